#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
#
# The metamorphic test: sources of hotrap_metamorphic and its test.
set(hotrap_METAMORPHIC_SOURCES
  tools/metamorphic/answer.cc
  tools/metamorphic/campaign.cc
  tools/metamorphic/configuration.cc
  tools/metamorphic/crash.cc
  tools/metamorphic/db_view.cc
  tools/metamorphic/executor.cc
  tools/metamorphic/generator.cc
  tools/metamorphic/ghost_filter.cc
  tools/metamorphic/ghost_keys.cc
  tools/metamorphic/maintenance.cc
  tools/metamorphic/model.cc
  tools/metamorphic/operation.cc
  tools/metamorphic/ralt_vandal.cc
  tools/metamorphic/resolved_writes.cc
  tools/metamorphic/shrinker.cc
  tools/metamorphic/view.cc
)

# The metamorphic test can be built in both flavours, only by name.
add_library(hotrap_metamorphic_lib STATIC EXCLUDE_FROM_ALL
  ${hotrap_METAMORPHIC_SOURCES})
target_link_libraries(hotrap_metamorphic_lib PUBLIC rocksdb ${GFLAGS_LIB})
add_executable(hotrap_metamorphic EXCLUDE_FROM_ALL tools/hotrap_metamorphic.cc)
target_link_libraries(hotrap_metamorphic hotrap_metamorphic_lib)
set_target_properties(hotrap_metamorphic PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

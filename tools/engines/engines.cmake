#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
#
# Programs that use RocksDB as MyRocks and TiKV do, for
# scripts/check_engines.py. Both flavours have them.
set(hotrap_ENGINES_SOURCES
  tools/bench/key_distribution.cc
  tools/bench/zipf_sampler.cc
  tools/engines/engine_run.cc
  tools/engines/invariant.cc
  tools/engines/maintenance.cc
  tools/engines/tier_report.cc
)
set(hotrap_MYROCKS_SOURCES
  tools/engines/myrocks_ddl.cc
  tools/engines/myrocks_engine.cc
  tools/engines/myrocks_options.cc
  tools/engines/myrocks_reads.cc
  tools/engines/myrocks_row.cc
  tools/engines/myrocks_style.cc
  tools/engines/myrocks_table.cc
  tools/engines/myrocks_verify.cc
  tools/engines/myrocks_writes.cc
)
set(hotrap_TIKV_SOURCES
  tools/engines/tikv_client.cc
  tools/engines/tikv_codec.cc
  tools/engines/tikv_filter.cc
  tools/engines/tikv_model.cc
  tools/engines/tikv_moves.cc
  tools/engines/tikv_options.cc
  tools/engines/tikv_raft.cc
  tools/engines/tikv_raw.cc
  tools/engines/tikv_store.cc
  tools/engines/tikv_style.cc
)

add_custom_target(hotrap_engines)
add_library(hotrap_engines_lib STATIC EXCLUDE_FROM_ALL
  ${hotrap_ENGINES_SOURCES})
target_link_libraries(hotrap_engines_lib PUBLIC rocksdb ${GFLAGS_LIB})
add_executable(myrocks_style EXCLUDE_FROM_ALL ${hotrap_MYROCKS_SOURCES})
add_executable(tikv_style EXCLUDE_FROM_ALL ${hotrap_TIKV_SOURCES})
foreach(program myrocks_style tikv_style)
  target_link_libraries(${program} hotrap_engines_lib)
  hotrap_link_jemalloc(${program})
  set_target_properties(${program} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  add_dependencies(hotrap_engines ${program})
endforeach()

# The short form, beside other tests: with asserts, and as it is shipped.
add_dependencies(hotrap_tests hotrap_engines)
add_test(NAME ${hotrap_FLAVOUR}.engines
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/check_engines.py
    --build=${CMAKE_BINARY_DIR} --folder=${CMAKE_BINARY_DIR}/test_tmp/engines)
set_tests_properties(${hotrap_FLAVOUR}.engines PROPERTIES
  LABELS hotrap TIMEOUT 1200 ENVIRONMENT BASE=${PROJECT_VERSION})

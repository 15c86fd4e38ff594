# Forced mode, for tests (forced_mode.h): a part of libraries with asserts; else
# libhotrap_forced.so, which forces HotRAP on in any program that uses the
# release library. That object links nothing of RocksDB, but a few objects that
# it has for itself, and exports one function, so that it can be preloaded into
# any process.

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  list(APPEND hotrap_SOURCES ${hotrap_FORCED_SOURCES})
else()
  set(forced_map ${CMAKE_CURRENT_LIST_DIR}/forced_preload.map)
  add_library(hotrap_forced MODULE EXCLUDE_FROM_ALL
    ${hotrap_FORCED_SOURCES}
    test_util/forced_preload.cc
    ${PROJECT_SOURCE_DIR}/util/cleanable.cc)
  # Else the bodies of DB's virtual functions in db.h would be compiled in, with
  # what they call.
  target_compile_options(hotrap_forced PRIVATE
    -fno-devirtualize-speculatively)
  target_include_directories(hotrap_forced PRIVATE include)
  target_link_options(hotrap_forced PRIVATE
    -Wl,-z,defs -Wl,--version-script=${forced_map})
  set_target_properties(hotrap_forced PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${forced_map}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endif()

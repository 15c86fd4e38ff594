#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
#
# Programs: RocksDB's db_bench and ldb with our main programs, which know
# several paths and HotRAP (without our flags they are RocksDB's), and RALT's.

# The commands of ldb, without its main program. Called in our CMakeLists.txt.
function(hotrap_add_ldb_commands)
  add_library(hotrap_ldb_lib STATIC EXCLUDE_FROM_ALL
    tools/json_output.cc
    tools/ldb/advice.cc
    tools/ldb/hotrap_command.cc
    tools/ldb/metrics_text.cc
    tools/ldb/tier_view.cc
    tools/ldb/tiered_commands.cc
    tools/ldb/tiered_db.cc
    tools/ldb/tool_paths.cc
    tools/path_list.cc
    tools/ralt_dump/folder_dump.cc)
  target_link_libraries(hotrap_ldb_lib PUBLIC rocksdb)
endfunction()

# RALT on its own: its costs and accuracy, and the contents of a folder.
function(hotrap_add_ralt_programs)
  add_executable(ralt_bench EXCLUDE_FROM_ALL
    tools/bench/zipf_sampler.cc
    tools/ralt_bench.cc
    tools/ralt_bench/amplification.cc
    tools/ralt_bench/costs.cc
    tools/ralt_bench/dynamics.cc
    tools/ralt_bench/sampling.cc
    tools/ralt_bench/workload.cc)
  add_executable(ralt_dump EXCLUDE_FROM_ALL
    tools/json_output.cc
    tools/ralt_dump.cc
    tools/ralt_dump/folder_dump.cc)
  foreach(program ralt_bench ralt_dump)
    target_link_libraries(${program} rocksdb ${GFLAGS_LIB})
    hotrap_link_jemalloc(${program})
    set_target_properties(${program} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    add_dependencies(hotrap_release ${program})
  endforeach()
endfunction()

# Every command of ldb, and the examples in docs/tools.md. The tests of db_bench
# take longer: make check-tools. Called in our CMakeLists.txt.
function(hotrap_add_tools_test)
  add_dependencies(hotrap_tests ldb sst_dump db_bench)
  add_test(NAME release.tools
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/check_tools.py ldb docs
      --build=${CMAKE_BINARY_DIR}
      --folder=${CMAKE_BINARY_DIR}/test_tmp/tools)
  set_tests_properties(release.tools PROPERTIES
    LABELS "hotrap;programs" TIMEOUT 600 ENVIRONMENT BASE=${PROJECT_VERSION})
endfunction()

# Called when RocksDB's CMakeLists.txt has been read, and its targets exist.
function(hotrap_extend_tools hotrap_dir)
  if(TARGET db_bench)
    get_target_property(sources db_bench SOURCES)
    list(TRANSFORM sources REPLACE "^tools/db_bench\\.cc$"
      "plugin/hotrap/tools/db_bench_main.cc")
    list(TRANSFORM sources REPLACE "^tools/db_bench_tool\\.cc$"
      "plugin/hotrap/tools/db_bench/stock_db_bench_tool.cc")
    set_property(TARGET db_bench PROPERTY SOURCES ${sources}
      plugin/hotrap/tools/db_bench/bench_hooks.cc
      plugin/hotrap/tools/db_bench/tier_report.cc
      plugin/hotrap/tools/path_list.cc)
  endif()
  if(TARGET ldb)
    set_property(TARGET ldb PROPERTY SOURCES ${hotrap_dir}/tools/ldb_main.cc)
    target_link_libraries(ldb hotrap_ldb_lib)
  endif()
endfunction()

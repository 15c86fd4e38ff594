#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
#
# RocksDB's db_bench and ldb with our main programs, which know several paths
# and HotRAP. Without our flags they are RocksDB's.

# REQUIRES: RocksDB's targets exist, because its CMakeLists.txt has been read.
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

# RocksDB's own test programs that `make check` runs unchanged, with HotRAP
# compiled in and off. They use RocksDB's sources, bundled GoogleTest and
# targets; only the way they are run is ours.

# REQUIRES: RocksDB's targets exist, because its CMakeLists.txt has been read.
# Runs in the scope of that file, and does not see our variables.
function(hotrap_add_upstream_tests)
  set(HOTRAP_UPSTREAM_TMPDIR ${CMAKE_BINARY_DIR}/test_tmp
    CACHE PATH "where RocksDB's own tests put their DBs")
  set(hotrap_UPSTREAM_TESTS
    column_family_test
    compaction_job_test
    db_basic_test
    db_compaction_test
    db_flush_test
    db_iterator_test
    db_range_del_test
    external_sst_file_test
    options_settable_test
    options_test
    tiered_compaction_test
    version_builder_test
    version_set_test
  )
  if(PROJECT_VERSION VERSION_LESS 11)
    list(APPEND hotrap_UPSTREAM_TESTS db_test2)
  else()
    list(APPEND hotrap_UPSTREAM_TESTS db_compaction_abort_test db_etc2_test)
  endif()

  # Lists the cases that cannot pass unchanged, with reasons.
  set(hotrap_UPSTREAM_EXCLUDED)
  set(exclusions
    ${PROJECT_SOURCE_DIR}/plugin/hotrap/test_util/upstream_exclusions.csv)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${exclusions})
  string(REPLACE "." "[.]" version "${PROJECT_VERSION}")
  file(STRINGS ${exclusions} lines REGEX "^(all|${version}),(off|both),")
  foreach(line ${lines})
    string(REGEX REPLACE "^[^,]*,[^,]*,[^,]*,([^,]*),.*" "\\1" case "${line}")
    list(APPEND hotrap_UPSTREAM_EXCLUDED "${case}")
  endforeach()

  list(JOIN hotrap_UPSTREAM_EXCLUDED ":" excluded)
  # GCC 12 warns of std::function at -O1.
  foreach(test options_test db_test2 db_etc2_test)
    if(TARGET ${test})
      target_compile_options(${test} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endforeach()
  add_custom_target(hotrap_upstream_tests)
  foreach(test ${hotrap_UPSTREAM_TESTS})
    add_dependencies(hotrap_upstream_tests ${test})
    if(HOTRAP_UNITY_OWN)
      target_compile_options(${test} PRIVATE -O0)
    endif()
    # One process per case, as RocksDB runs them: several cases change the
    # process-wide Env, which later cases in the same process do not expect.
    gtest_discover_tests(${test}
      TEST_PREFIX upstream.
      TEST_FILTER "-${excluded}"
      DISCOVERY_MODE PRE_TEST
      DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS upstream TIMEOUT 600
        ENVIRONMENT TEST_TMPDIR=${HOTRAP_UPSTREAM_TMPDIR})
  endforeach()

  # For scripts/check_upstream.py, which runs all of them. db_sanity_test is a
  # tool, not a test.
  set(names)
  foreach(source ${TESTS})
    get_filename_component(name ${source} NAME_WE)
    if(NOT source MATCHES "^plugin/" AND NOT name STREQUAL "db_sanity_test")
      list(APPEND names ${name})
    endif()
  endforeach()
  list(JOIN names "\n" lines)
  file(WRITE ${CMAKE_BINARY_DIR}/upstream_programs.txt "${lines}\n")
endfunction()

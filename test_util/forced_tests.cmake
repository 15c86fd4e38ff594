# Tests of forced mode with a release library: the preload object, and a few
# clients that need no registry and compile in seconds.

add_dependencies(hotrap_tests hotrap_forced)
set(scripts ${CMAKE_CURRENT_SOURCE_DIR}/scripts)
add_test(NAME release.forced
  COMMAND ${scripts}/forced_preload_test.py $<TARGET_FILE:hotrap_forced>)
add_test(NAME release.clients
  COMMAND ${scripts}/check_clients.py --quick --no-stock
    --folder=${CMAKE_BINARY_DIR}/test_tmp/clients)
add_test(NAME release.clients_test COMMAND ${scripts}/check_clients_test.py)
set_tests_properties(release.forced release.clients release.clients_test
  PROPERTIES
  LABELS hotrap TIMEOUT 600
  ENVIRONMENT BASE=${PROJECT_VERSION})

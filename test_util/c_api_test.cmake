#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
#
# A C program that uses the C API.
add_executable(hotrap_c_test EXCLUDE_FROM_ALL db/api/hotrap_c_test.c)
set_target_properties(hotrap_c_test PROPERTIES C_STANDARD 99
  C_EXTENSIONS OFF LINKER_LANGUAGE CXX)
target_compile_options(hotrap_c_test PRIVATE -Wall -Wextra -pedantic -Werror)
target_link_libraries(hotrap_c_test rocksdb)
add_dependencies(hotrap_engine_tests hotrap_c_test)
add_test(NAME ${hotrap_FLAVOUR}.hotrap_c_test COMMAND sh -ec
  "rm -rf $0; mkdir $0; $<TARGET_FILE:hotrap_c_test> $0"
  ${CMAKE_BINARY_DIR}/test_tmp/hotrap_c_test)
set_tests_properties(${hotrap_FLAVOUR}.hotrap_c_test PROPERTIES LABELS hotrap)

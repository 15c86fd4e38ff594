//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The main function of our test programs. It does the same steps as RocksDB's
// tests, so that a crash prints its stack whatever GoogleTest does then.

#include "port/stack_trace.h"
#include "test_util/testharness.h"

int main(int argc, char** argv) {
  ROCKSDB_NAMESPACE::port::InstallStackTraceHandler();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The libFuzzer program for RALT's files; see fuzz_harness.h. Built with clang
// and -DHOTRAP_FUZZ=ON.

#include "plugin/hotrap/ralt/fuzz_harness.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ROCKSDB_NAMESPACE::ralt::FuzzRaltFiles(data, size);
  return 0;
}

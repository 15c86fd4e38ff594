//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The only function that libhotrap_forced.so exports. A release library calls
// it when it has to do with the first column family; see hotrap_force.h.

#include <cstdio>
#include <cstring>

#include "plugin/hotrap/test_util/forced_build.h"
#include "plugin/hotrap/test_util/forced_mode.h"
#include "plugin/hotrap/test_util/hotrap_force.h"

extern "C" __attribute__((visibility("default")))
ROCKSDB_NAMESPACE::HotRapForce*
hotrap_forced(const ROCKSDB_NAMESPACE::HotRapForceBuild* library) {
  const ROCKSDB_NAMESPACE::HotRapForceBuild ours;
  if (library->version != ours.version ||
      std::memcmp(library->rocksdb, ours.rocksdb, sizeof(ours.rocksdb)) != 0 ||
      library->options_bytes != ours.options_bytes ||
      library->ralt_options_bytes != ours.ralt_options_bytes) {
    std::fprintf(stderr,
                 "libhotrap_forced.so: forced mode stays off, as the library "
                 "is of another build; build both with `make forced`\n");
    return nullptr;
  }
  return ROCKSDB_NAMESPACE::ForcedMode::Instance();
}

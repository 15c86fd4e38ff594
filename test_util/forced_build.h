//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// How the seam in the library (hotrap_force.h) comes to what is behind it.

#pragma once

#include <cstddef>
#include <cstdint>

#include "plugin/hotrap/ralt/ralt_options.h"
#include "rocksdb/options.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

class HotRapForce;

// In libraries with asserts only. REQUIRES: HOTRAP_FORCE is set.
HotRapForce* LinkedForcedMode();

// What must be equal in a release library and in the preloaded object.
struct HotRapForceBuild {
  // Of HotRapForce.
  static constexpr uint32_t kVersion = 2;

  // Goes first in every version.
  uint32_t version = kVersion;
  int rocksdb[3] = {ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH};
  // These show other options of the compiler, and most changes of a structure.
  size_t options_bytes = sizeof(ColumnFamilyOptions);
  size_t ralt_options_bytes = sizeof(RaltOptions);
};

}  // namespace ROCKSDB_NAMESPACE

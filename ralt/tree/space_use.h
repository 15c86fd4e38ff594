//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The disk space of RALT's files, now and while they are merged. RaltOptions
// says how the limit is divided.
//
//     physical limit
//     |---------------------------------------------------------------|
//     | merged records            | runs that     | copies of them,   |
//     |                 5/8       | wait          | while merged      |
//
// Thread safety: plain values.

#pragma once

#include <algorithm>
#include <cstdint>

#include "plugin/hotrap/ralt/tree/version.h"

namespace ROCKSDB_NAMESPACE::ralt {

struct SpaceUse {
  SpaceUse() = default;
  // `manifest_bytes` counts twice, because there are two manifests while one is
  // replaced. `file_bytes` is the size of data at which outputs are cut.
  SpaceUse(const Version& version, uint64_t manifest_bytes, uint64_t file_bytes)
      : total_bytes(2 * manifest_bytes) {
    uint64_t level0_bytes = 0;
    uint64_t part_consumed_bytes = 0;
    for (size_t level = 0; level < version.levels.size(); ++level) {
      uint64_t largest_bytes = 0;
      for (const RunSlice& slice : version.levels[level]) {
        const uint64_t bytes = slice.file->file_bytes();
        total_bytes += bytes;
        largest_bytes = std::max(largest_bytes, bytes);
        level0_bytes += level == 0 ? bytes : 0;
      }
      part_consumed_bytes += level > 0 ? largest_bytes : 0;
    }
    // An output exists before its inputs are deleted: one file of each deeper
    // level, and all of level 0, whose runs span all keys.
    merge_bytes = level0_bytes + part_consumed_bytes + file_bytes +
                  file_bytes / kTailDivisor + kRunBytes;
  }

  uint64_t total_bytes = 0;
  // Upper bound of what a merge of all levels takes besides its inputs.
  uint64_t merge_bytes = 0;

 private:
  // Upper bound of the filter, index and bounds of an output: half its data
  // plus kRunBytes.
  static constexpr uint64_t kTailDivisor = 2;
  static constexpr uint64_t kRunBytes = 4 << 10;
};

}  // namespace ROCKSDB_NAMESPACE::ralt

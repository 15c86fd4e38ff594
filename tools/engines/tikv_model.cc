//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/engines/tikv_model.h"

#include <algorithm>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

const KeyModel::Version* KeyModel::At(uint64_t ts) const {
  const uint64_t n = count.load();
  const uint64_t known = std::min<uint64_t>(n, kVersionsOfKey);
  for (uint64_t i = 0; i < known; i++) {
    const Version& version = versions[(n - 1 - i) % kVersionsOfKey];
    if (version.commit_ts <= ts) {
      return &version;
    }
  }
  return nullptr;
}

bool KeyModel::HasRoom(uint64_t safe_point) const {
  const uint64_t n = count.load();
  // The oldest one is forgotten; the next one is what the safe point sees.
  return n < kVersionsOfKey ||
         versions[(n + 1) % kVersionsOfKey].commit_ts <= safe_point;
}

void KeyModel::Add(uint64_t start_ts, uint64_t commit_ts, WriteType type) {
  const uint64_t n = count.load();
  versions[n % kVersionsOfKey] = {start_ts, commit_ts,
                                  static_cast<uint64_t>(type)};
  count = n + 1;
}

void KeyModel::Clear() {
  locked_by = 0;
  count = 0;
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE

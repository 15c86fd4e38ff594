//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/relocation/relocation_picker.h"

#include <algorithm>

#include "plugin/hotrap/db/placement/level_tier.h"

namespace ROCKSDB_NAMESPACE {

std::vector<RelocationTable> PickRelocations(
    const std::vector<RelocationTable>& tables, int first_slow_level,
    uint64_t fast_room_bytes) {
  std::vector<RelocationTable> picked;
  for (const RelocationTable& table : tables) {
    const bool up = IsFastLevel(table.level, first_slow_level);
    if (LiesOnWrongTier(table.level, table.path_id, first_slow_level) &&
        (!up || table.bytes <= fast_room_bytes)) {
      picked.push_back(table);
    }
  }
  std::sort(picked.begin(), picked.end(),
            [&](const RelocationTable& a, const RelocationTable& b) {
              const bool a_up = IsFastLevel(a.level, first_slow_level);
              const bool b_up = IsFastLevel(b.level, first_slow_level);
              if (a_up != b_up) {
                return b_up;
              }
              if (a.reads != b.reads) {
                return a_up ? a.reads > b.reads : a.reads < b.reads;
              }
              if (a.level != b.level) {
                return a_up ? a.level < b.level : a.level > b.level;
              }
              return a.number < b.number;
            });
  return picked;
}

}  // namespace ROCKSDB_NAMESPACE

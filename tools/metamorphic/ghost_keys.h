//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests keys that a compaction filter removes or changes, in a separate column
// family next to those of a list. A list cannot contain such keys, because the
// time of a change depends on compactions. But once a key is gone or changed,
// what was there must not come back; all kinds of reads agree on it; and after
// a compaction of everything each decision is in force. Not thread-safe.

#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "plugin/hotrap/tools/metamorphic/ghost_filter.h"
#include "rocksdb/db.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

class GhostKeys {
 public:
  static constexpr char kFamily[] = "ghosts";

  // `filter` must outlive this object. The column family may be without it.
  GhostKeys(uint64_t seed, GhostFilter* filter) : rnd_(seed), filter_(filter) {}

  // The end of the keys, for GhostFilter.
  static std::string End() { return KeyText(kNumKeys); }

  // Makes some writes and reads; sometimes also a flush, a compaction and a
  // check of every key. Returns what is wrong, or "".
  std::string Step(DB* db, ColumnFamilyHandle* family);
  // Checks every key.
  std::string CheckAll(DB* db, ColumnFamilyHandle* family);

 private:
  struct Key {
    bool there = false;  // as far as is known; the filter may have removed it
    Fate fate = Fate::kStays;
    uint64_t time = 0;  // from which on the filter may act
    bool changed = false;
    std::string value;  // value of the last Put
  };

  // Keys from here on are deleted by SingleDelete only, after each Put.
  static constexpr int kSingleBegin = 200;
  // Keys from here on are written all at once, when none is there, and never
  // deleted: the filter skips them.
  static constexpr int kBlockBegin = 240;
  static constexpr int kNumKeys = 270;
  static constexpr int kHotKeys = 40;
  // A compaction beside a promotion may leave something out.
  static constexpr int kMaxFullCompactions = 8;

  static std::string KeyText(int key);

  bool MayHaveActed(const Key& key) const {
    return key.fate != Fate::kStays && key.time <= filter_->now();
  }
  Status Put(int key, Fate fate, uint64_t time, DB* db,
             ColumnFamilyHandle* family);
  Status Write(int key, DB* db, ColumnFamilyHandle* family);
  Status WriteSome(DB* db, ColumnFamilyHandle* family);
  Status WriteBlock(DB* db, ColumnFamilyHandle* family);
  Status CompactPart(DB* db, ColumnFamilyHandle* family);
  std::string CompactAll(DB* db, ColumnFamilyHandle* family);
  std::string ReadHot(DB* db, ColumnFamilyHandle* family);
  // `found` is nullptr if no value was found.
  std::string Check(int key, const char* how, const std::string* found);

  Random64 rnd_;
  GhostFilter* const filter_;
  std::array<Key, kNumKeys> keys_;
  int values_ = 0;
};

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

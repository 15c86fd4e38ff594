//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Keys that a compaction filter removes, in a column family of their own beside
// those of a list. When a key goes depends on the compactions, so a list cannot
// have it; but once it is gone, it must not come back. Not thread safe.

#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "rocksdb/compaction_filter.h"
#include "rocksdb/db.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

class GhostKeys {
 public:
  static constexpr char kFamily[] = "ghosts";

  explicit GhostKeys(uint64_t seed) : rnd_(seed) {}

  // Removes what GhostKeys has written for it, and keeps all else.
  static const CompactionFilter* Filter();

  // Some writes and reads; now and then a flush, a compaction and a look at
  // every key. What is wrong, or "".
  std::string Step(DB* db, ColumnFamilyHandle* family);
  // A look at every key.
  std::string CheckAll(DB* db, ColumnFamilyHandle* family);

 private:
  enum class State {
    kGone,       // deleted, removed by the filter, or never there
    kMayBeGone,  // the filter may have removed it
    kThere,      // the filter does not want it
  };
  struct Key {
    State state = State::kGone;
    std::string value;  // of the last Put
  };

  static constexpr int kNumKeys = 240;
  // From here on each Put is followed by a SingleDelete, or by nothing.
  static constexpr int kSingleBegin = 200;
  static constexpr int kHotKeys = 40;

  static std::string KeyText(int key);

  Status Write(int key, DB* db, ColumnFamilyHandle* family);
  Status WriteSome(DB* db, ColumnFamilyHandle* family);
  std::string ReadHot(DB* db, ColumnFamilyHandle* family);
  // `found`: nullptr if there was none.
  std::string Check(int key, const char* how, const std::string* found);

  Random64 rnd_;
  std::array<Key, kNumKeys> keys_;
  int values_ = 0;
};

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

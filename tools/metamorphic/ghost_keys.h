//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests keys that a compaction filter removes, in a separate column family next
// to those of a list. A list cannot contain such keys, because the time of
// removal depends on compactions; but once a key is gone, it must not come
// back. Not thread-safe.

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

  // The filter. It removes what GhostKeys has written for it, and keeps
  // everything else.
  static const CompactionFilter* Filter();

  // Makes some writes and reads; sometimes also a flush, a compaction and a
  // check of every key. Returns what is wrong, or "".
  std::string Step(DB* db, ColumnFamilyHandle* family);
  // Checks every key.
  std::string CheckAll(DB* db, ColumnFamilyHandle* family);

 private:
  enum class State {
    kGone,       // deleted, removed by the filter, or never there
    kMayBeGone,  // the filter may have removed it
    kThere,      // the filter keeps it
  };
  struct Key {
    State state = State::kGone;
    std::string value;  // value of the last Put
  };

  static constexpr int kNumKeys = 240;
  // Keys from here on are deleted by SingleDelete only, after each Put.
  static constexpr int kSingleBegin = 200;
  static constexpr int kHotKeys = 40;

  static std::string KeyText(int key);

  Status Write(int key, DB* db, ColumnFamilyHandle* family);
  Status WriteSome(DB* db, ColumnFamilyHandle* family);
  std::string ReadHot(DB* db, ColumnFamilyHandle* family);
  // `found` is nullptr if no value was found.
  std::string Check(int key, const char* how, const std::string* found);

  Random64 rnd_;
  std::array<Key, kNumKeys> keys_;
  int values_ = 0;
};

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

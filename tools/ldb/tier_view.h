//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Where the tables of a column family lie, and where they belong.
//
// Thread safety: a plain value.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/json_output.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {

struct TierView {
  struct Tables {
    uint64_t tables = 0;
    uint64_t bytes = 0;
  };

  std::string column_family;
  // The option, and why HotRAP cannot work with the options in a writable DB.
  // With HotRAP off or inactive no table is on the wrong tier.
  bool enabled = false;
  std::string inactive_reason;
  // Levels below are on the fast tier. The number of levels if HotRAP is off or
  // inactive.
  int first_slow_level = 0;
  // 0 where HotRAP is off.
  uint64_t fast_budget_bytes = 0;
  // The fast path first, and what lies there.
  std::vector<DbPath> paths;
  std::vector<Tables> by_path;
  // By level, then by path. Levels at the end that are empty are left out.
  std::vector<std::vector<Tables>> levels;
  // Targets of the levels with HotRAP, in bytes.
  std::vector<uint64_t> targets;
  // By path.
  std::vector<Tables> on_wrong_tier;

  static TierView Of(DB* db, ColumnFamilyHandle* family);

  bool active() const { return enabled && inactive_reason.empty(); }
  uint64_t bytes_on_wrong_tier() const;
  Json ToJson() const;
  // As a table for a reader.
  std::string ToString() const;
};

}  // namespace ROCKSDB_NAMESPACE

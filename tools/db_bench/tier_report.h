//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What HotRAP did during a benchmark of db_bench, in one line.
//
// Thread safety: none.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {

class TierReport {
 public:
  // A DB was opened. It replaces one of the same name, which must not be used
  // any more. Column families that are created later are not known.
  void Opened(const std::string& name, DB* db,
              const std::vector<ColumnFamilyHandle*>& handles);

  // Prints to stdout what HotRAP did since the last call, or since the DB was
  // opened, in all DBs. Prints nothing if HotRAP is off in all of them.
  void Print(const std::string& benchmark);

 private:
  // Counters and sizes, by name.
  using Figures = std::map<std::string, uint64_t>;

  struct OpenDB {
    DB* db;
    std::vector<ColumnFamilyHandle*> handles;
    // The counters at the last call.
    Figures before;
  };

  // Adds what the column families with HotRAP have. Returns why HotRAP is
  // inactive in the last one where it is, or nothing.
  static std::string AddFigures(const OpenDB& db, Figures* counters,
                                Figures* sizes);

  std::map<std::string, OpenDB> dbs_;
};

}  // namespace ROCKSDB_NAMESPACE

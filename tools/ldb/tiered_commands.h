//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// RocksDB's commands of ldb for DBs over several paths. Each is a subclass of
// RocksDB's, which sets the paths where the command sets its options.
//
// Thread safety: none.

#pragma once

#include <vector>

#include "rocksdb/options.h"
#include "rocksdb/utilities/ldb_cmd.h"

namespace ROCKSDB_NAMESPACE {

class TieredCommands {
 public:
  // The option that all commands have.
  static const std::string ARG_DB_PATHS;

  // Returns the command that `params` name, or nullptr if there is none.
  // `params` have no --db_paths any more: `given` is its value.
  static LDBCommand* Select(const LDBCommand::ParsedParams& params,
                            const std::vector<DbPath>& given);
};

}  // namespace ROCKSDB_NAMESPACE

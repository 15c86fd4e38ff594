//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// `ldb hotrap`: looks at a DB's tiers and hot keys, and prepares it for a stock
// RocksDB.
//
// Thread safety: none.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/db/advice/hit_rate_model.h"
#include "plugin/hotrap/ralt/heat/heat_survey.h"
#include "plugin/hotrap/tools/json_output.h"
#include "plugin/hotrap/tools/ldb/advice.h"
#include "plugin/hotrap/tools/ldb/tiered_db.h"
#include "rocksdb/utilities/ldb_cmd.h"

namespace ROCKSDB_NAMESPACE {

class HotRapCommand : public LDBCommand {
 public:
  static std::string Name() { return "hotrap"; }
  static void Help(std::string& text);

  // `given` are the paths of --db_paths, or none.
  HotRapCommand(const std::vector<std::string>& params,
                const std::map<std::string, std::string>& options,
                const std::vector<std::string>& flags,
                const std::vector<DbPath>& given);

  // Opens the DB by itself.
  bool NoDBOpen() override { return true; }
  void DoCommand() override;

 private:
  // The subcommands.
  Status Stats();
  Status Tiers();
  Status Top();
  Status Advise();
  Status Metrics();
  Status Settle();
  Status Relocation();

  Status OpenTiered(TieredDB::Mode mode);
  // The column families that were asked for. All, unless --column_family is
  // given.
  std::vector<ColumnFamilyHandle*> Families();
  // What RALT's folder says of itself; of its keys as well, if `records`.
  Status DescribeRalt(ColumnFamilyHandle* family, bool records, Json* result);
  // What a column family's hit rate depends on.
  Status LoadModel(ColumnFamilyHandle* family,
                   std::unique_ptr<HitRateModel>* model);
  // Prints `families` by name, as text or JSON.
  void Print(const Json& families);
  uint64_t BytesOnWrongTier();
  Status WaitForRelocation();

  const std::vector<DbPath> given_;
  std::string subcommand_;
  bool json_ = false;
  bool wait_ = false;
  int max_keys_ = 20;
  HeatOptions heat_;
  bool hide_keys_ = false;
  AdviceOptions advice_;
  std::unique_ptr<TieredDB> tiered_db_;
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ldb/hotrap_command.h"

#include <cinttypes>
#include <cstdio>
#include <iostream>

#include "plugin/hotrap/tools/ldb/tier_view.h"
#include "plugin/hotrap/tools/ralt_dump/folder_dump.h"
#include "rocksdb/hotrap.h"
#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr char kJson[] = "json";
constexpr char kWait[] = "wait";

// While a DB is in use, its RALT replaces files that are being read.
constexpr int kReadAttempts = 5;

constexpr int kPollMicros = 200 * 1000;
// A relocation that moves nothing for so long has no room on the fast tier.
constexpr uint64_t kPatienceMicros = 30 * 1000 * 1000;

}  // namespace

void HotRapCommand::Help(std::string& text) {
  text.append("  " + Name() + " stats [--" + kJson + "]\n");
  text.append("  " + Name() + " tiers [--" + kJson + "]\n");
  text.append("  " + Name() + " top [--" + ARG_MAX_KEYS + "=<N>] [--" +
              ARG_KEY_HEX + "] [--" + kJson + "]\n");
  text.append("  " + Name() + " settle\n");
  text.append("  " + Name() + " relocation [--" + kWait + "] [--" + kJson +
              "]\n");
}

HotRapCommand::HotRapCommand(const std::vector<std::string>& params,
                             const std::map<std::string, std::string>& options,
                             const std::vector<std::string>& flags,
                             const std::vector<DbPath>& given)
    : LDBCommand(options, flags, /*is_read_only=*/false,
                 BuildCmdLineOptions(
                     {kJson, kWait, ARG_MAX_KEYS, ARG_HEX, ARG_KEY_HEX})),
      given_(given) {
  json_ = IsFlagPresent(flags, kJson);
  wait_ = IsFlagPresent(flags, kWait);
  if (ParseIntOption(options, ARG_MAX_KEYS, max_keys_, exec_state_) &&
      max_keys_ < 1) {
    exec_state_ =
        LDBCommandExecuteResult::Failed(ARG_MAX_KEYS + " must be at least 1");
  }
  if (params.size() == 1) {
    subcommand_ = params.front();
  } else {
    exec_state_ = LDBCommandExecuteResult::Failed(
        "hotrap needs one of stats, tiers, top, settle, relocation");
  }
}

void HotRapCommand::DoCommand() {
  static const std::map<std::string, Status (HotRapCommand::*)()> kSubcommands =
      {{"stats", &HotRapCommand::Stats},
       {"tiers", &HotRapCommand::Tiers},
       {"top", &HotRapCommand::Top},
       {"settle", &HotRapCommand::Settle},
       {"relocation", &HotRapCommand::Relocation}};
  const auto subcommand = kSubcommands.find(subcommand_);
  if (subcommand == kSubcommands.end()) {
    exec_state_ = LDBCommandExecuteResult::Failed(
        "hotrap has no subcommand " + subcommand_ +
        ": stats, tiers, top, settle or relocation");
    return;
  }
  if (db_path_.empty()) {
    exec_state_ = LDBCommandExecuteResult::Failed("--db must be given");
    return;
  }
  const Status s = (this->*subcommand->second)();
  tiered_db_.reset();
  if (!s.ok()) {
    const ToolPaths paths =
        ToolPaths::Find(options_.env->GetFileSystem().get(), db_path_, given_);
    std::string hint = paths.Hint(options_.env->GetFileSystem().get());
    exec_state_ = LDBCommandExecuteResult::Failed(
        "hotrap " + subcommand_ + ": " + s.ToString() +
        (hint.empty() ? "" : "\n" + hint));
  }
}

Status HotRapCommand::OpenTiered(TieredDB::Mode mode) {
  config_options_.env = options_.env;
  const ToolPaths paths =
      ToolPaths::Find(options_.env->GetFileSystem().get(), db_path_, given_);
  tiered_db_.reset();
  Status s =
      TieredDB::Open(db_path_, config_options_, paths, mode, &tiered_db_);
  if (s.ok() && Families().empty()) {
    s = Status::InvalidArgument("no such column family", column_family_name_);
  }
  return s;
}

std::vector<ColumnFamilyHandle*> HotRapCommand::Families() {
  std::vector<ColumnFamilyHandle*> families;
  for (ColumnFamilyHandle* family : tiered_db_->families()) {
    if (option_map_.count(ARG_CF_NAME) == 0 ||
        family->GetName() == column_family_name_) {
      families.push_back(family);
    }
  }
  return families;
}

Status HotRapCommand::DescribeRalt(ColumnFamilyHandle* family, uint64_t top,
                                   Json* result) {
  ralt::FolderDumpOptions options;
  options.path = tiered_db_->RaltFolder(family);
  options.fs = options_.env->GetFileSystem();
  options.top = top;
  options.records = top > 0;
  options.hex_keys = is_key_hex_;
  options.comparator = family->GetComparator();
  Status s;
  for (int i = 0; i < kReadAttempts; i++) {
    *result = Json::object();
    (*result)["folder"] = options.path;
    s = ralt::DescribeFolder(options, result);
    if (s.ok()) {
      break;
    }
  }
  return s;
}

void HotRapCommand::Print(const Json& families) {
  PrintJson(families, /*as_text=*/!json_, &std::cout);
}

Status HotRapCommand::Stats() {
  Status s = OpenTiered(TieredDB::Mode::kReadOnly);
  if (!s.ok()) {
    return s;
  }
  if (!tiered_db_->KnowsHotRap()) {
    return Status::NotFound("HotRAP was never on in this DB", db_path_);
  }
  Json result = Json::object();
  for (ColumnFamilyHandle* family : Families()) {
    const TierView view = TierView::Of(tiered_db_->db(), family);
    Json& stats = result[family->GetName()];
    stats["enabled"] = view.enabled;
    stats["inactive_reason"] = view.inactive_reason;
    stats["first_slow_level"] = view.first_slow_level;
    stats["fast_budget_bytes"] = view.fast_budget_bytes;
    stats["promoted_copies"] = tiered_db_->PromotedCopies(family);
    stats["bytes_on_wrong_tier"] = view.bytes_on_wrong_tier();
    if (tiered_db_->RaltFolder(family).empty()) {
      continue;
    }
    Json ralt;
    s = DescribeRalt(family, /*top=*/0, &ralt);
    if (!s.ok()) {
      break;
    }
    Json& summary = stats["ralt"];
    summary["folder"] = ralt["folder"];
    for (const char* figure : {"records", "hot_records", "tracked_bytes",
                               "hot_bytes", "file_bytes"}) {
      uint64_t sum = 0;
      for (const Json& run : ralt["runs"]) {
        sum += run[figure].get<uint64_t>();
      }
      summary[figure] = sum;
    }
    for (const char* figure : {"hot_set_limit_bytes", "record_limit_bytes",
                               "stable_bytes", "accessed_bytes", "tick"}) {
      summary[figure] = ralt["manifest"][figure];
    }
  }
  Print(result);
  return s;
}

Status HotRapCommand::Tiers() {
  const Status s = OpenTiered(TieredDB::Mode::kReadOnly);
  if (!s.ok()) {
    return s;
  }
  Json result = Json::object();
  for (ColumnFamilyHandle* family : Families()) {
    const TierView view = TierView::Of(tiered_db_->db(), family);
    if (json_) {
      result[family->GetName()] = view.ToJson();
    } else {
      std::cout << view.ToString();
    }
  }
  if (json_) {
    Print(result);
  }
  return s;
}

Status HotRapCommand::Top() {
  Status s = OpenTiered(TieredDB::Mode::kReadOnly);
  if (!s.ok()) {
    return s;
  }
  Json result = Json::object();
  for (ColumnFamilyHandle* family : Families()) {
    if (tiered_db_->RaltFolder(family).empty()) {
      continue;
    }
    Json ralt;
    s = DescribeRalt(family, max_keys_, &ralt);
    if (!s.ok()) {
      return s;
    }
    result[family->GetName()] = {{"hot_records", ralt["hot_records"]},
                                 {"top_hot_keys", ralt["top_hot_keys"]}};
  }
  if (result.empty()) {
    return Status::NotFound(
        "no folder of RALT, which knows the hot keys: HotRAP was never on, or "
        "its folder was removed",
        db_path_);
  }
  if (json_) {
    Print(result);
    return s;
  }
  for (const auto& [name, family] : result.items()) {
    std::cout << "Column family " << name << ": " << family["hot_records"]
              << " hot keys; score, bytes of the value, key:\n";
    for (const Json& key : family["top_hot_keys"]) {
      std::cout << "  " << key["score"] << " " << key["value_bytes"] << " "
                << key["key"].get<std::string>() << "\n";
    }
  }
  return s;
}

Status HotRapCommand::Settle() {
  // Nothing is changed in a DB that needs no settling.
  Status s = OpenTiered(TieredDB::Mode::kReadOnly);
  if (s.ok() && !tiered_db_->KnowsHotRap()) {
    std::cout << "HotRAP was never on in this DB: there is nothing to settle\n";
    return s;
  }
  if (s.ok()) {
    s = OpenTiered(TieredDB::Mode::kHotRapOff);
  }
  if (!s.ok()) {
    return s;
  }
  uint64_t left = 0;
  for (ColumnFamilyHandle* family : tiered_db_->families()) {
    const uint64_t before = tiered_db_->PromotedCopies(family);
    if (before > 0) {
      s = tiered_db_->db()->CompactRange(CompactRangeOptions(), family,
                                         /*begin=*/nullptr, /*end=*/nullptr);
    }
    if (!s.ok()) {
      return s;
    }
    const uint64_t after = tiered_db_->PromotedCopies(family);
    std::cout << "Column family " << family->GetName() << ": "
              << kHotRapCopiesProperty << " was " << before << ", is " << after
              << "\n";
    left += after;
  }
  if (left > 0) {
    return Status::Incomplete("promoted copies are left", std::to_string(left));
  }
  std::cout
      << "HotRAP is off, no promoted copies are left: a stock RocksDB may "
         "open the DB with the same paths\n";
  return s;
}

uint64_t HotRapCommand::BytesOnWrongTier() {
  uint64_t bytes = 0;
  for (ColumnFamilyHandle* family : Families()) {
    bytes += TierView::Of(tiered_db_->db(), family).bytes_on_wrong_tier();
  }
  return bytes;
}

Status HotRapCommand::WaitForRelocation() {
  DB* const db = tiered_db_->db();
  const uint64_t first = BytesOnWrongTier();
  uint64_t left = first;
  uint64_t changed_micros = options_.env->NowMicros();
  while (left > 0) {
    options_.env->SleepForMicroseconds(kPollMicros);
    const uint64_t now = BytesOnWrongTier();
    const uint64_t now_micros = options_.env->NowMicros();
    if (now != left) {
      std::cout << "left: " << BytesToHumanString(now) << " of "
                << BytesToHumanString(first) << std::endl;
      changed_micros = now_micros;
    } else if (now_micros - changed_micros > kPatienceMicros) {
      std::map<std::string, std::string> stats;
      db->GetMapProperty(Families().front(), kHotRapStatsProperty, &stats);
      return Status::Incomplete(
          BytesToHumanString(now) +
              " are left and do not move: tables go up only while the fast "
              "budget has room",
          stats["inactive_reason"]);
    }
    left = now;
  }
  std::cout << "moved: " << BytesToHumanString(first) << std::endl;
  return Status::OK();
}

Status HotRapCommand::Relocation() {
  Status s = OpenTiered(TieredDB::Mode::kReadOnly);
  if (!s.ok()) {
    return s;
  }
  Json result = Json::object();
  bool active = false;
  for (ColumnFamilyHandle* family : Families()) {
    const TierView view = TierView::Of(tiered_db_->db(), family);
    active |= view.active();
    Json& of_family = result[family->GetName()];
    of_family["bytes_on_wrong_tier"] = view.bytes_on_wrong_tier();
    of_family["relocation_bytes_per_sec"] =
        tiered_db_->db()->GetOptions(family).hotrap.relocation_bytes_per_sec;
    of_family["inactive_reason"] =
        view.enabled ? view.inactive_reason : "HotRAP is off";
  }
  Print(result);
  if (!active) {
    return Status::NotFound(
        "HotRAP is off or inactive, so that tables stay where they are",
        db_path_);
  }
  if (!wait_ || BytesOnWrongTier() == 0) {
    return s;
  }
  s = OpenTiered(TieredDB::Mode::kAsConfigured);
  return s.ok() ? WaitForRelocation() : s;
}

}  // namespace ROCKSDB_NAMESPACE

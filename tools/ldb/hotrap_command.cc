//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ldb/hotrap_command.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iostream>
#include <utility>

#include "plugin/hotrap/tools/ldb/metrics_text.h"
#include "plugin/hotrap/tools/ldb/tier_view.h"
#include "plugin/hotrap/tools/ralt_dump/folder_dump.h"
#include "rocksdb/hotrap.h"
#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr char kJson[] = "json";
constexpr char kWait[] = "wait";
constexpr char kPrefixBytes[] = "prefix_bytes";
constexpr char kDelimiter[] = "delimiter";
constexpr char kHideKeys[] = "hide_keys";
constexpr char kFastPrice[] = "fast_price";
constexpr char kSlowPrice[] = "slow_price";
constexpr char kSvg[] = "svg";

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
              kPrefixBytes + "=<N>] [--" + kDelimiter + "=<char>] [--" +
              ARG_KEY_HEX + "] [--" + kHideKeys + "] [--" + kJson + "]\n");
  text.append("  " + Name() + " advise [--" + kFastPrice + "=<money>] [--" +
              kSlowPrice + "=<money>] [--" + kSvg + "=<file>] [--" + kJson +
              "]\n");
  text.append("  " + Name() + " metrics\n");
  text.append("  " + Name() + " settle\n");
  text.append("  " + Name() + " relocation [--" + kWait + "] [--" + kJson +
              "]\n");
}

HotRapCommand::HotRapCommand(const std::vector<std::string>& params,
                             const std::map<std::string, std::string>& options,
                             const std::vector<std::string>& flags,
                             const std::vector<DbPath>& given)
    : LDBCommand(
          options, flags, /*is_read_only=*/false,
          BuildCmdLineOptions({kJson, kWait, ARG_MAX_KEYS, ARG_HEX, ARG_KEY_HEX,
                               kPrefixBytes, kDelimiter, kHideKeys, kFastPrice,
                               kSlowPrice, kSvg})),
      given_(given) {
  json_ = IsFlagPresent(flags, kJson);
  wait_ = IsFlagPresent(flags, kWait);
  hide_keys_ = IsFlagPresent(flags, kHideKeys);
  int prefix_bytes = static_cast<int>(heat_.prefix_bytes);
  if (ParseIntOption(options, kPrefixBytes, prefix_bytes, exec_state_)) {
    heat_.prefix_bytes = static_cast<uint32_t>(std::max(0, prefix_bytes));
  }
  ParseStringOption(options, kDelimiter, &heat_.delimiter);
  ParseStringOption(options, kSvg, &advice_.svg);
  for (const auto& [flag, price] :
       {std::make_pair(kFastPrice, &advice_.fast_price),
        std::make_pair(kSlowPrice, &advice_.slow_price)}) {
    std::string text;
    if (ParseStringOption(options, flag, &text) && !ParsePrice(text, price)) {
      exec_state_ = LDBCommandExecuteResult::Failed(
          std::string(flag) + " must be money for a GB and month");
    }
  }
  if (ParseIntOption(options, ARG_MAX_KEYS, max_keys_, exec_state_) &&
      max_keys_ < 1) {
    exec_state_ =
        LDBCommandExecuteResult::Failed(ARG_MAX_KEYS + " must be at least 1");
  }
  if (params.size() == 1) {
    subcommand_ = params.front();
  } else {
    exec_state_ = LDBCommandExecuteResult::Failed(
        "hotrap needs one of stats, tiers, top, advise, metrics, settle, "
        "relocation");
  }
}

void HotRapCommand::DoCommand() {
  static const std::map<std::string, Status (HotRapCommand::*)()> kSubcommands =
      {{"stats", &HotRapCommand::Stats},
       {"tiers", &HotRapCommand::Tiers},
       {"top", &HotRapCommand::Top},
       {"advise", &HotRapCommand::Advise},
       {"metrics", &HotRapCommand::Metrics},
       {"settle", &HotRapCommand::Settle},
       {"relocation", &HotRapCommand::Relocation}};
  const auto subcommand = kSubcommands.find(subcommand_);
  if (subcommand == kSubcommands.end()) {
    exec_state_ = LDBCommandExecuteResult::Failed(
        "hotrap has no subcommand " + subcommand_ +
        ": stats, tiers, top, advise, metrics, settle or relocation");
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

Status HotRapCommand::DescribeRalt(ColumnFamilyHandle* family, bool records,
                                   Json* result) {
  ralt::FolderDumpOptions options;
  options.path = tiered_db_->RaltFolder(family);
  options.fs = options_.env->GetFileSystem();
  options.heat = heat_;
  options.heat.top = static_cast<uint32_t>(max_keys_);
  options.records = records;
  options.prefixes = true;
  options.keys = hide_keys_ ? "hidden" : is_key_hex_ ? "hex" : "text";
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
    s = DescribeRalt(family, /*records=*/false, &ralt);
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
  std::map<std::string, double> accesses;
  double all = 0;
  for (ColumnFamilyHandle* family : Families()) {
    if (tiered_db_->RaltFolder(family).empty()) {
      continue;
    }
    Json ralt;
    s = DescribeRalt(family, /*records=*/true, &ralt);
    if (!s.ok()) {
      return s;
    }
    result[family->GetName()] = {{"hot_records", ralt["hot_records"]},
                                 {"top_hot_keys", ralt["top_hot_keys"]},
                                 {"prefixes", ralt["prefixes"]}};
    accesses[family->GetName()] = ralt["accesses_per_slice"].get<double>();
    all += accesses[family->GetName()];
  }
  for (auto& [name, family] : result.items()) {
    // Slices have as many bytes as the family's fast budget lets them, so this
    // is a share only among families with equal budgets.
    family["share_of_accesses"] = all > 0 ? accesses[name] / all : 0;
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
    std::cout << "Share of accesses, of bytes, prefix:\n";
    for (const Json& group : family["prefixes"]) {
      std::cout << "  " << group["share_of_accesses"] << " "
                << group["share_of_bytes"] << " "
                << group["prefix"].get<std::string>() << "\n";
    }
  }
  return s;
}

Status HotRapCommand::LoadModel(ColumnFamilyHandle* family,
                                std::unique_ptr<HitRateModel>* model) {
  const TierView view = TierView::Of(tiered_db_->db(), family);
  TierBytes bytes;
  bytes.budget = view.fast_budget_bytes;
  for (size_t path = 0; path < view.by_path.size(); path++) {
    bytes.fast_tables += path == 0 ? view.by_path[path].bytes : 0;
    bytes.all_tables += view.by_path[path].bytes;
  }
  TablePropertiesCollection tables;
  Status s = tiered_db_->db()->GetPropertiesOfAllTables(family, &tables);
  uint64_t raw_bytes = 0;
  for (const auto& [name, table] : tables) {
    raw_bytes += table->raw_key_size + table->raw_value_size;
  }
  if (raw_bytes > 0) {
    bytes.file_ratio =
        static_cast<double>(bytes.all_tables) / static_cast<double>(raw_bytes);
  }
  HitRateCurve curve;
  if (s.ok()) {
    s = ralt::LoadHitRates(tiered_db_->RaltFolder(family),
                           options_.env->GetFileSystem().get(), &curve);
    if (s.IsNotFound() || s.IsPathNotFound()) {
      s = Status::NotFound(
          "no hit rates yet: they are saved once twice the fast budget in "
          "bytes of records was read",
          family->GetName());
    }
  }
  if (s.ok()) {
    *model = std::make_unique<HitRateModel>(curve, bytes);
  }
  return s;
}

Status HotRapCommand::Advise() {
  Status s = OpenTiered(TieredDB::Mode::kReadOnly);
  if (!s.ok()) {
    return s;
  }
  Json result = Json::object();
  for (ColumnFamilyHandle* family : Families()) {
    if (tiered_db_->RaltFolder(family).empty()) {
      continue;
    }
    std::unique_ptr<HitRateModel> model;
    s = LoadModel(family, &model);
    if (!s.ok()) {
      return s;
    }
    const Advice advice(family->GetName(), *model, advice_);
    result[family->GetName()] = Json::parse(model->ToJson());
    if (!json_) {
      std::cout << advice.ToString();
    }
    if (!advice_.svg.empty()) {
      s = WriteStringToFile(options_.env, advice.ToSvg(), advice_.svg);
    }
  }
  if (result.empty()) {
    return Status::NotFound("no folder of RALT: HotRAP was never on", db_path_);
  }
  if (json_) {
    Print(result);
  }
  return s;
}

Status HotRapCommand::Metrics() {
  const Status s = OpenTiered(TieredDB::Mode::kReadOnly);
  if (!s.ok()) {
    return s;
  }
  MetricsText text(db_path_);
  for (ColumnFamilyHandle* family : Families()) {
    const TierView view = TierView::Of(tiered_db_->db(), family);
    const std::string name = family->GetName();
    text.Add("enabled", "Whether HotRAP is on in the OPTIONS file", name,
             view.enabled ? 1 : 0);
    text.Add("fast_budget_bytes", "The fast budget", name,
             static_cast<double>(view.fast_budget_bytes));
    text.Add("first_slow_level", "The first level on the slow tier", name,
             view.first_slow_level);
    text.Add("relocation_bytes_left",
             "File bytes of tables on the wrong tier for their level", name,
             static_cast<double>(view.bytes_on_wrong_tier()));
    text.Add("promoted_copies",
             "Copies that tables hold beside their originals", name,
             static_cast<double>(tiered_db_->PromotedCopies(family)));
    for (size_t path = 0; path < view.by_path.size(); path++) {
      text.Add("table_bytes", "File bytes of tables by path", name,
               static_cast<double>(view.by_path[path].bytes),
               {{"path", view.paths[path].path}});
    }
    std::unique_ptr<HitRateModel> model;
    if (!tiered_db_->RaltFolder(family).empty() &&
        LoadModel(family, &model).ok() && model->known()) {
      text.Add("measured_hit_rate",
               "Share of recent point reads that the fast path answered", name,
               model->measured());
      for (const double factor : {0.5, 1.0, 2.0, 4.0}) {
        text.Add("estimated_hit_rate",
                 "Share that a fast budget so many times as large would answer",
                 name,
                 model->At(factor * static_cast<double>(view.fast_budget_bytes))
                     .hit_rate,
                 {{"budget", std::to_string(factor).substr(0, 3)}});
      }
    }
  }
  std::cout << text.ToString();
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

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/executor.h"

#include <algorithm>

#include "file/file_util.h"
#include "plugin/hotrap/tools/metamorphic/answer.h"
#include "plugin/hotrap/tools/metamorphic/copied_db.h"
#include "plugin/hotrap/tools/metamorphic/db_view.h"
#include "plugin/hotrap/tools/metamorphic/maintenance.h"
#include "plugin/hotrap/tools/metamorphic/resolved_writes.h"
#include "rocksdb/hotrap.h"
#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {

constexpr char kSecondFamily[] = "second";

}  // namespace

void Figures::Add(const Figures& other) {
  flush_promoted_records += other.flush_promoted_records;
  compaction_promoted_records += other.compaction_promoted_records;
  retained_records += other.retained_records;
  crossing_compactions += other.crossing_compactions;
  promoted_with_filter += other.promoted_with_filter;
  dropped_filtered += other.dropped_filtered;
  promotion_cache_hits += other.promotion_cache_hits;
  ralt_resets += other.ralt_resets;
  ralt_errors += other.ralt_errors;
  budget_delays += other.budget_delays;
  budget_stops += other.budget_stops;
  split_key_misses += other.split_key_misses;
}

Executor::Executor(const Configuration& configuration,
                   const std::string& folder, uint64_t seed)
    : setup_(folder, seed) {
  DestroyDir(Env::Default(), folder).PermitUncheckedError();
  // Open() fails if the folder cannot be created.
  Env::Default()->CreateDirIfMissing(folder).PermitUncheckedError();
  configuration.change(&setup_);
  setup_.Finish();
  if (setup_.ballast) {
    ballast_.emplace(seed);
  }
  if (setup_.ghosts != nullptr) {
    ghosts_.emplace(seed, setup_.ghosts.get());
  }
}

Executor::~Executor() {
  Close().PermitUncheckedError();
  DestroyDir(Env::Default(), setup_.folder).PermitUncheckedError();
}

Status Executor::Open() {
  ColumnFamilyOptions second = setup_.options;
  second.cf_paths = setup_.second_cf_paths;
  std::vector<ColumnFamilyDescriptor> families = {
      {kDefaultColumnFamilyName, setup_.options}, {kSecondFamily, second}};
  for (size_t i = 0; i < Ballast::kFamilies && ballast_.has_value(); i++) {
    families.emplace_back(Ballast::FamilyName(i), setup_.options);
  }
  if (setup_.ghosts != nullptr) {
    families.emplace_back(GhostKeys::kFamily, setup_.options);
  }
  const std::string path = setup_.folder + "/db";
  Status s;
  if (setup_.transactions) {
    s = TransactionDB::Open(setup_.options, TransactionDBOptions(), path,
                            families, &handles_, &transaction_db_);
    db_.reset(transaction_db_);
  } else {
    s = DB::Open(setup_.options, path, families, &handles_, &db_);
  }
  return s;
}

Status Executor::Close() {
  if (db_ == nullptr) {
    return Status::OK();
  }
  ReleaseAll();
  CollectFigures();
  Status result;
  for (ColumnFamilyHandle* const handle : handles_) {
    const Status s = db_->DestroyColumnFamilyHandle(handle);
    result = result.ok() ? s : result;
  }
  handles_.clear();
  const Status s = db_->Close();
  result = result.ok() ? s : result;
  transaction_db_ = nullptr;
  db_.reset();
  return result;
}

void Executor::CollectFigures() {
  for (ColumnFamilyHandle* const handle : handles_) {
    std::map<std::string, std::string> values;
    db_->GetMapProperty(handle, kHotRapStatsProperty, &values);
    const auto take = [&](const char* name) {
      const auto it = values.find(name);
      return it == values.end() ? 0 : ParseUint64(it->second);
    };
    Figures figures;
    figures.flush_promoted_records = take("promoted_records");
    figures.compaction_promoted_records = take("compaction_promoted_records");
    if (setup_.options.compaction_filter != nullptr ||
        setup_.options.compaction_filter_factory != nullptr) {
      figures.promoted_with_filter =
          figures.flush_promoted_records + figures.compaction_promoted_records;
      figures.dropped_filtered = take("dropped_filtered");
    }
    figures.retained_records = take("retained_records");
    figures.crossing_compactions = take("crossing_compactions");
    figures.promotion_cache_hits = take("get_hits_promotion_cache");
    figures.ralt_resets = take("ralt_resets");
    figures.ralt_errors = take("ralt_background_errors");
    figures.budget_delays = take("budget_delays");
    figures.budget_stops = take("budget_stops");
    figures_.Add(figures);
  }
}

void Executor::ReleaseAll() {
  iterators_.clear();
  for (const auto& [slot, snapshot] : snapshots_) {
    db_->ReleaseSnapshot(snapshot);
  }
  snapshots_.clear();
}

std::vector<Operation> Executor::Resolve(const std::vector<Operation>& writes) {
  std::vector<Operation> resolved;
  for (const Operation& write : writes) {
    Operation one = write;
    switch (write.verb) {
      case Verb::kSinglePut:
        one.verb = Verb::kPut;
        if (single_keys_.emplace(write.cf, write.key).second) {
          resolved.push_back(one);
        }
        break;
      case Verb::kSingleDelete:
        if (single_keys_.erase({write.cf, write.key}) > 0) {
          resolved.push_back(one);
        }
        break;
      case Verb::kLoad:
        one.verb = Verb::kPut;
        for (; one.key < one.end; one.key++, one.value++) {
          resolved.push_back(one);
        }
        break;
      case Verb::kDeleteRange:
        if (!setup_.delete_range_by_keys) {
          if (one.key < one.end) {
            resolved.push_back(one);
          }
          break;
        }
        one.verb = Verb::kDelete;
        for (; one.key < one.end; one.key++) {
          resolved.push_back(one);
        }
        break;
      default:
        resolved.push_back(one);
    }
  }
  return resolved;
}

Status Executor::Write(const std::vector<Operation>& resolved) {
  const bool any_range = std::any_of(
      resolved.begin(), resolved.end(),
      [](const Operation& one) { return one.verb == Verb::kDeleteRange; });
  Status s;
  if (transaction_db_ != nullptr && !any_range) {
    std::unique_ptr<Transaction> transaction(
        transaction_db_->BeginTransaction(setup_.write_options));
    for (size_t i = 0; i < resolved.size() && s.ok(); i++) {
      s = ApplyWrite(resolved[i], handles_, transaction.get());
    }
    return s.ok() ? transaction->Commit() : s;
  }
  WriteBatch batch(0, 0, setup_.write_options.protection_bytes_per_key, 0);
  for (size_t i = 0; i < resolved.size() && s.ok(); i++) {
    s = ApplyWrite(resolved[i], handles_, &batch);
  }
  // A TransactionDB does not support range tombstones.
  return s.ok() ? db_->GetRootDB()->Write(setup_.write_options, &batch) : s;
}

Status Executor::WriteEach(const std::vector<Operation>& resolved) {
  Status s;
  for (size_t i = 0; i < resolved.size() && s.ok(); i++) {
    s = Write({resolved[i]});
  }
  return s;
}

Status Executor::WriteTable(int cf, const std::vector<Operation>& writes,
                            const std::string& path, bool* empty) {
  const ResolvedTable table(cf, writes, setup_.delete_range_by_keys);
  *empty = table.empty();
  if (table.empty()) {
    return Status::OK();
  }
  SstFileWriter writer(EnvOptions(), db_->GetOptions(handles_[cf]),
                       handles_[cf]);
  Status s = writer.Open(path);
  if (s.ok()) {
    s = table.WriteTo(&writer);
  }
  return s.ok() ? writer.Finish() : s;
}

Status Executor::Ingest(const std::vector<Operation>& writes) {
  std::vector<IngestExternalFileArg> arguments;
  for (int cf = 0; cf < kNumColumnFamilies; cf++) {
    const std::string path =
        setup_.folder + "/ingested." + std::to_string(tables_written_++);
    bool empty = false;
    const Status s = WriteTable(cf, writes, path, &empty);
    if (!s.ok()) {
      return s;
    }
    if (!empty) {
      arguments.emplace_back();
      arguments.back().column_family = handles_[cf];
      arguments.back().external_files = {path};
    }
  }
  return arguments.empty() ? Status::OK() : db_->IngestExternalFiles(arguments);
}

std::optional<ReadOptions> Executor::OptionsOf(
    const Operation& operation) const {
  ReadOptions options = setup_.read_options;
  if (operation.slot != Operation::kNow) {
    const auto snapshot = snapshots_.find(operation.slot);
    if (snapshot == snapshots_.end()) {
      return std::nullopt;
    }
    options.snapshot = snapshot->second;
  }
  return options;
}

std::string Executor::Read(const Operation& operation) {
  const std::optional<ReadOptions> options = OptionsOf(operation);
  if (!options.has_value()) {
    return kNothing;
  }
  missed_before_.clear();
  if (AsksGet(operation.verb)) {
    missed_before_ =
        SplitKeysView(db_.get(), handles_, *options, {}).missed_keys();
  }
  DbView view(db_.get(), handles_, *options, setup_.prepare_scans);
  return ReadAnswer(operation, &view);
}

bool Executor::IsRocksDBsOwn(const Operation& operation,
                             const std::string& expected) {
  const std::optional<ReadOptions> options = OptionsOf(operation);
  if (!AsksGet(operation.verb) || !options.has_value()) {
    return false;
  }
  SplitKeysView view(db_.get(), handles_, *options, missed_before_);
  if (view.missed_keys().empty() || ReadAnswer(operation, &view) != expected) {
    return false;
  }
  figures_.split_key_misses++;
  return true;
}

std::string Executor::ReadCopy(const Operation& operation) {
  CopiedDb copy(setup_.options, setup_.folder + "/copy");
  Status s = operation.mode == 0 ? copy.TakeCheckpoint(db_.get())
                                 : copy.BackUpAndRestore(db_.get());
  if (s.ok()) {
    s = copy.Open({kDefaultColumnFamilyName, kSecondFamily});
  }
  if (!s.ok()) {
    return s.ToString();
  }
  DbView view(copy.db(), copy.handles(), setup_.read_options);
  return ReadAnswer(operation, &view);
}

void Executor::OpenIterator(const Operation& operation) {
  iterators_[operation.slot].reset(
      db_->NewIterator(setup_.read_options, handles_[operation.cf]));
}

std::string Executor::Walk(const Operation& operation) {
  const auto held = iterators_.find(operation.slot);
  if (held == iterators_.end()) {
    return kNothing;
  }
  const bool back = operation.verb == Verb::kWalkBack;
  if (back) {
    held->second->SeekForPrev(KeyOf(operation.key));
  } else {
    held->second->Seek(KeyOf(operation.key));
  }
  return EntriesText(held->second.get(), operation.count, back);
}

std::string Executor::Run(const Operation& operation) {
  std::string answer = RunOperation(operation);
  if (ballast_.has_value() && db_ != nullptr) {
    const Status s = ballast_->Step(setup_.write_options, db_.get(),
                                    &handles_[kNumColumnFamilies]);
    if (!s.ok()) {
      return "ballast: " + s.ToString();
    }
  }
  if (ghosts_.has_value() && db_ != nullptr) {
    const std::string wrong = ghosts_->Step(db_.get(), handles_.back());
    if (!wrong.empty()) {
      return wrong;
    }
  }
  return answer;
}

std::string Executor::RunOperation(const Operation& operation) {
  setup_.clock->NextOperation();
  const auto done = [](const Status& s) {
    return s.ok() ? std::string(kDone) : s.ToString();
  };
  if (operation.verb == Verb::kLoad) {
    return done(WriteEach(Resolve({operation})));
  }
  if (IsWrite(operation.verb)) {
    return done(Write(Resolve({operation})));
  }
  switch (operation.verb) {
    case Verb::kBatch:
      return done(Write(Resolve(operation.parts)));
    case Verb::kIngest:
      return done(Ingest(operation.parts));
    case Verb::kSnapshot:
    case Verb::kRelease: {
      const auto held = snapshots_.find(operation.slot);
      if (held != snapshots_.end()) {
        db_->ReleaseSnapshot(held->second);
        snapshots_.erase(held);
      }
      if (operation.verb == Verb::kSnapshot) {
        snapshots_[operation.slot] = db_->GetSnapshot();
      }
      return kDone;
    }
    case Verb::kIterator:
      OpenIterator(operation);
      return kDone;
    case Verb::kCloseIterator:
      iterators_.erase(operation.slot);
      return kDone;
    case Verb::kWalk:
    case Verb::kWalkBack:
      return Walk(operation);
    case Verb::kFlush:
      return done(FlushAll(db_.get(), handles_));
    case Verb::kCompactRange:
      return CompactionAnswer(
          CompactPart(operation, db_.get(), handles_[operation.cf]));
    case Verb::kCompactFiles:
      return CompactionAnswer(
          CompactSomeFiles(operation, db_.get(), handles_[operation.cf]));
    case Verb::kHotRap:
      return done(SetHotRap(static_cast<HotRapMode>(operation.mode),
                            setup_.options.hotrap, db_.get(), handles_));
    case Verb::kDisturb:
      setup_.vandal.Disturb(/*db_is_open=*/true);
      return kDone;
    case Verb::kCopy:
      return ReadCopy(operation);
    case Verb::kWait:
      return done(WaitForRest(db_.get(), handles_, *setup_.compactions));
    case Verb::kReopen: {
      Status s =
          operation.mode == 1 ? FlushAll(db_.get(), handles_) : Status::OK();
      if (s.ok()) {
        s = Close();
      }
      if (s.ok()) {
        setup_.vandal.Disturb(/*db_is_open=*/false);
        if (setup_.at_reopen) {
          setup_.at_reopen(&setup_);
        }
        s = Open();
      }
      return done(s);
    }
    default:
      return Read(operation);
  }
}

void PrepareThreads(int dbs) {
  Env::Default()->SetBackgroundThreads(2 * dbs + 1, Env::Priority::LOW);
  Env::Default()->SetBackgroundThreads(dbs, Env::Priority::HIGH);
}

std::optional<Difference> RunOperations(
    const Configuration& configuration, const std::string& folder,
    uint64_t seed, const std::vector<Operation>& operations,
    const std::vector<std::string>& expected, Figures* figures) {
  Executor executor(configuration, folder, seed);
  Status s = executor.Open();
  if (!s.ok()) {
    return Difference{0, "to open", s.ToString(), executor.drawn()};
  }
  for (size_t i = 0; i < operations.size(); i++) {
    std::string found = executor.Run(operations[i]);
    if (found != expected[i] &&
        !executor.IsRocksDBsOwn(operations[i], expected[i])) {
      return Difference{i, expected[i], std::move(found), executor.drawn()};
    }
  }
  s = executor.Close();
  if (!s.ok()) {
    return Difference{operations.size(), "to close", s.ToString(),
                      executor.drawn()};
  }
  if (figures != nullptr) {
    figures->Add(executor.figures());
  }
  return std::nullopt;
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

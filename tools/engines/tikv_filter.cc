//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/engines/tikv_filter.h"

#include "plugin/hotrap/tools/engines/engine_run.h"
#include "plugin/hotrap/tools/engines/invariant.h"
#include "plugin/hotrap/tools/engines/tikv_codec.h"
#include "rocksdb/write_batch.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

// DEFAULT_DELETE_BATCH_COUNT
constexpr size_t kDeleteBatch = 128;

OperationCount filtered_versions("versions_filtered");
OperationCount expired_raws("raw_values_filtered");
OperationCount values_deleted("values_deleted_by_filters");

class MvccFilter : public CompactionFilter {
 public:
  MvccFilter(MvccFilterFactory* factory, uint64_t safe_point)
      : factory_(factory), safe_point_(safe_point) {}

  // Before the compaction's result is installed.
  ~MvccFilter() override {
    FinishKey();
    factory_->queue()->AddKeys(deleted_keys_);
    factory_->DeleteValues(&values_);
  }

  // do_filter()
  Decision FilterV2(int /*level*/, const Slice& key, ValueType type,
                    const Slice& value, std::string* /*new_value*/,
                    std::string* skip_until) const override {
    if (key.size() <= kTimestampBytes) {
      return Decision::kKeep;
    }
    const uint64_t commit_ts = TimestampOf(key);
    if (commit_ts > safe_point_ || type != ValueType::kValue) {
      return Decision::kKeep;
    }
    const Slice prefix = WithoutTimestamp(key);
    if (prefix != Slice(prefix_)) {
      FinishKey();
      prefix_ = prefix.ToString();
      remove_older_ = false;
    } else if (deletion_seen_) {
      below_deletion_++;
    }
    WriteRecord record;
    if (!DecodeWrite(value, &record)) {
      return Decision::kKeep;
    }
    bool filtered = remove_older_;
    if (!remove_older_) {
      switch (record.type) {
        case WriteType::kRollback:
        case WriteType::kLock:
          filtered = true;
          break;
        case WriteType::kPut:
          remove_older_ = true;
          break;
        case WriteType::kDelete:
          remove_older_ = true;
          // In TiKV only where the output is the last level, which RocksDB's
          // own context does not tell. The GC worker looks again anyway.
          deletion_seen_ = true;
          below_deletion_ = 0;
          break;
      }
    }
    if (!filtered) {
      return Decision::kKeep;
    }
    filtered_versions.Add();
    if (record.type == WriteType::kPut && !record.has_short_value) {
      values_.push_back(WithTimestamp(prefix_, record.start_ts));
      if (values_.size() > kDeleteBatch) {
        factory_->DeleteValues(&values_);
      }
    }
    if (!remove_older_) {
      return Decision::kRemove;
    }
    // No tombstone, which only the last level could drop.
    *skip_until = WithTimestamp(prefix_, commit_ts - 1);
    return Decision::kRemoveAndSkipUntil;
  }

  bool IgnoreSnapshots() const override { return true; }
  const char* Name() const override { return "write_compaction_filter"; }

 private:
  void FinishKey() const {
    if (deletion_seen_ && below_deletion_ == 0) {
      deleted_keys_.push_back(prefix_);
    }
    deletion_seen_ = false;
  }

  MvccFilterFactory* const factory_;
  const uint64_t safe_point_;
  mutable std::string prefix_;
  mutable bool remove_older_ = false;
  mutable bool deletion_seen_ = false;
  mutable uint64_t below_deletion_ = 0;
  mutable std::vector<std::string> deleted_keys_;
  mutable std::vector<std::string> values_;
};

class RawTtlFilter : public CompactionFilter {
 public:
  Decision FilterV2(int /*level*/, const Slice& key, ValueType type,
                    const Slice& value, std::string* /*new_value*/,
                    std::string* /*skip_until*/) const override {
    if (!key.starts_with("r") || type != ValueType::kValue ||
        RawExpireSecs(value) > now_secs_) {
      return Decision::kKeep;
    }
    expired_raws.Add();
    return Decision::kRemove;
  }

  bool IgnoreSnapshots() const override { return true; }
  const char* Name() const override { return "ttl_compaction_filter"; }

 private:
  const uint64_t now_secs_ = NowSecs();
};

}  // namespace

void GcQueue::AddKeys(const std::vector<std::string>& keys) {
  const std::lock_guard<std::mutex> lock(mutex_);
  keys_.insert(keys_.end(), keys.begin(), keys.end());
}

void GcQueue::AddOrphans(const std::vector<std::string>& keys) {
  const std::lock_guard<std::mutex> lock(mutex_);
  orphans_.insert(orphans_.end(), keys.begin(), keys.end());
}

void GcQueue::Take(std::vector<std::string>* keys,
                   std::vector<std::string>* orphans) {
  const std::lock_guard<std::mutex> lock(mutex_);
  keys->swap(keys_);
  orphans->swap(orphans_);
}

void MvccFilterFactory::SetDB(DB* db, ColumnFamilyHandle* default_family) {
  const std::lock_guard<std::mutex> lock(mutex_);
  db_ = db;
  default_family_ = default_family;
}

void MvccFilterFactory::DeleteValues(std::vector<std::string>* keys) {
  if (keys->empty()) {
    return;
  }
  Status s = Status::Aborted();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (db_ != nullptr) {
      WriteBatch batch;
      for (const auto& key : *keys) {
        s = batch.Delete(default_family_, key);
        if (!s.ok()) {
          break;
        }
      }
      WriteOptions options;
      options.no_slowdown = true;
      if (s.ok()) {
        s = db_->Write(options, &batch);
      }
    }
  }
  if (s.ok()) {
    values_deleted.Add(keys->size());
  } else {
    queue_->AddOrphans(*keys);
  }
  keys->clear();
}

std::unique_ptr<CompactionFilter> MvccFilterFactory::CreateCompactionFilter(
    const CompactionFilter::Context& /*context*/) {
  return std::make_unique<MvccFilter>(this, safe_point_->load());
}

std::unique_ptr<CompactionFilter> RawTtlFilterFactory::CreateCompactionFilter(
    const CompactionFilter::Context& /*context*/) {
  return std::make_unique<RawTtlFilter>();
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE

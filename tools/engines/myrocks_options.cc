//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/engines/myrocks_options.h"

#include "plugin/hotrap/tools/engines/invariant.h"
#include "rocksdb/cache.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

// rocksdb_default_cf_options of the my.cnf that MyRocks' documentation
// recommends, with sizes divided by 128: there write_buffer_size is 128m,
// target_file_size_base 32m, max_bytes_for_level_base 512m. block_size is
// rocksdb_block_size, by default 16 KiB.
constexpr char kDefaultCfOptions[] =
    "write_buffer_size=1m;target_file_size_base=256k;"
    "max_bytes_for_level_base=4m;level0_file_num_compaction_trigger=4;"
    "level0_slowdown_writes_trigger=20;level0_stop_writes_trigger=30;"
    "max_write_buffer_number=4;"
    "level_compaction_dynamic_level_bytes=true;optimize_filters_for_hits=true;"
    "memtable_prefix_bloom_size_ratio=0.05;prefix_extractor=capped:12;"
    "compaction_pri=kMinOverlappingRatio;compression=kLZ4Compression;"
    "bottommost_compression=kZSTD;compression_opts=-14:4:0;";

// rocksdb_override_cf_options: smaller column families have smaller levels, so
// that their data is several times their fast budget, too.
std::string OverrideCfOptions(int family) {
  switch (family) {
    case kDefaultFamily:
    case kTtlFamily:
      return "write_buffer_size=256k;target_file_size_base=128k;"
             "max_bytes_for_level_base=1m;";
    case kSecondaryFamily:
    case kReverseFamily:
      return "write_buffer_size=128k;target_file_size_base=64k;"
             "max_bytes_for_level_base=512k;";
    default:
      return "";
  }
}

// A compaction filter of its own for each compaction, used by one thread, as
// in MyRocks. Also what it is asked for in between: it has no side effects.
class MyRocksFilter : public CompactionFilter {
 public:
  explicit MyRocksFilter(const MyRocksFilterFactory* factory)
      : factory_(factory) {}

  // Secondary keys are single-deleted. RocksDB wants kPurge for such records:
  // by kRemove one becomes a Delete, and a SingleDelete above that is an error
  // (DBOptions::enforce_single_del_contracts).
  Decision FilterV2(int /*level*/, const Slice& key, ValueType /*value_type*/,
                    const Slice& existing_value, std::string* /*new_value*/,
                    std::string* /*skip_until*/) const override {
    const uint32_t index = IndexOf(key);
    if (index != previous_index_) {
      previous_index_ = index;
      secondary_ = false;
      dropped_ = factory_->dropped().Contains(index, &secondary_);
      const auto* const ttl =
          dropped_ ? nullptr : factory_->FindTtlIndex(index);
      ttl_secs_ = ttl == nullptr ? 0 : ttl->ttl_secs;
      if (ttl != nullptr) {
        secondary_ = ttl->secondary;
        if (snapshot_secs_ == 0) {
          snapshot_secs_ = factory_->OldestSnapshotSecs();
        }
      }
    }
    if (!dropped_ && (ttl_secs_ == 0 || !IsExpired(existing_value))) {
      return Decision::kKeep;
    }
    return secondary_ ? Decision::kPurge : Decision::kRemove;
  }

  bool IgnoreSnapshots() const override { return true; }
  const char* Name() const override { return "Rdb_compact_filter"; }

 private:
  bool IsExpired(const Slice& value) const {
    if (value.size() < 8) {
      return false;
    }
    uint64_t written_secs = 0;
    for (int i = 0; i < 8; i++) {
      written_secs =
          written_secs << 8 | static_cast<unsigned char>(value.data()[i]);
    }
    return written_secs + ttl_secs_ <= snapshot_secs_;
  }

  const MyRocksFilterFactory* const factory_;
  mutable uint32_t previous_index_ = 0;
  mutable bool dropped_ = false;
  mutable bool secondary_ = false;
  mutable uint64_t ttl_secs_ = 0;
  mutable uint64_t snapshot_secs_ = 0;
};

}  // namespace

void DroppedIndexes::Add(uint32_t index, bool secondary) {
  const std::lock_guard<std::mutex> lock(mutex_);
  indexes_[index] = secondary;
}

void DroppedIndexes::Remove(uint32_t index) {
  const std::lock_guard<std::mutex> lock(mutex_);
  indexes_.erase(index);
}

bool DroppedIndexes::Contains(uint32_t index, bool* secondary) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = indexes_.find(index);
  if (found == indexes_.end()) {
    return false;
  }
  *secondary = found->second;
  return true;
}

void MyRocksFilterFactory::SetDB(DB* db) {
  const std::lock_guard<std::mutex> lock(mutex_);
  db_ = db;
}

const MyRocksFilterFactory::TtlIndex* MyRocksFilterFactory::FindTtlIndex(
    uint32_t index) const {
  for (const auto& ttl : ttl_) {
    if (ttl.index == index) {
      return &ttl;
    }
  }
  return nullptr;
}

uint64_t MyRocksFilterFactory::OldestSnapshotSecs() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t secs = 0;
  if (db_ == nullptr ||
      !db_->GetIntProperty(DB::Properties::kOldestSnapshotTime, &secs) ||
      secs == 0) {
    // Without a DB nothing expires. A snapshot may be taken at any time, and
    // its time is that of its second.
    return db_ == nullptr ? 1 : NowSecs() - 1;
  }
  return secs - 1;
}

std::unique_ptr<CompactionFilter> MyRocksFilterFactory::CreateCompactionFilter(
    const CompactionFilter::Context& /*context*/) {
  return std::make_unique<MyRocksFilter>(this);
}

DBOptions MyRocksDBOptions(const RunConfig& config) {
  DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.db_paths = config.DbPaths("myrocks");
  // rocksdb_max_background_jobs=2, rocksdb_wal_recovery_mode=2 (point in time),
  // rocksdb_max_total_wal_size=4g in that my.cnf: scaled.
  options.max_background_jobs = 2;
  options.wal_recovery_mode = WALRecoveryMode::kPointInTimeRecovery;
  options.max_total_wal_size = 32 << 20;
  // rocksdb_bytes_per_sync=4m, rocksdb_wal_bytes_per_sync=4m: scaled.
  options.bytes_per_sync = 1 << 20;
  options.wal_bytes_per_sync = 1 << 20;
  // rocksdb_compaction_readahead_size=16m: scaled.
  options.compaction_readahead_size = 256 << 10;
  // rocksdb_max_subcompactions=2, rocksdb_max_open_files=-1,
  // rocksdb_max_row_locks and the like as they are.
  options.max_subcompactions = 2;
  options.max_open_files = -1;
  // rocksdb_enable_2pc, rocksdb_two_write_queues, rocksdb_manual_wal_flush, all
  // on by default.
  options.allow_2pc = true;
  options.two_write_queues = true;
  options.manual_wal_flush = true;
  // rocksdb_enable_pipelined_write and
  // rocksdb_allow_concurrent_memtable_write are off, write thread yields
  // (rocksdb_enable_write_thread_adaptive_yield) too.
  options.enable_pipelined_write = false;
  options.allow_concurrent_memtable_write = false;
  options.enable_write_thread_adaptive_yield = false;
  options.statistics = CreateDBStatistics();
  return options;
}

TransactionDBOptions MyRocksTransactionDBOptions(TxnDBWritePolicy policy) {
  TransactionDBOptions options;
  // rocksdb_write_policy, and rocksdb_lock_wait_timeout=1.
  options.write_policy = policy;
  options.transaction_lock_timeout = 1000;
  options.default_lock_timeout = 1000;
  return options;
}

uint64_t MyRocksBudget(int family) {
  switch (family) {
    case kPrimaryFamily:
      return 8 << 20;
    case kDefaultFamily:
    case kTtlFamily:
      return 2 << 20;
    case kSecondaryFamily:
    case kReverseFamily:
      return 1 << 20;
    default:
      return 0;
  }
}

std::vector<ColumnFamilyDescriptor> MyRocksFamilies(
    const RunConfig& config, bool hotrap,
    const std::shared_ptr<CompactionFilterFactory>& filter_factory) {
  // rocksdb_block_cache_size=512m: scaled.
  const std::shared_ptr<Cache> cache = NewLRUCache(4 << 20);
  std::vector<ColumnFamilyDescriptor> families;
  for (int family = 0; family < kFamilies; family++) {
    const std::string text =
        kDefaultCfOptions + OverrideCfOptions(family) +
        HotRapString(config, hotrap, MyRocksBudget(family));
    ColumnFamilyOptions options;
    ConfigOptions config_options;
    config_options.input_strings_escaped = false;
    Must(GetColumnFamilyOptionsFromString(config_options, ColumnFamilyOptions(),
                                          text, &options),
         text);
    BlockBasedTableOptions table;
    table.block_size = 16 << 10;
    table.block_cache = cache;
    // block_based_table_factory={cache_index_and_filter_blocks=1;
    // filter_policy=bloomfilter:10:false;whole_key_filtering=0} there.
    table.cache_index_and_filter_blocks = true;
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    table.whole_key_filtering = false;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    // MyRocks gives every column family its filter.
    options.compaction_filter_factory = filter_factory;
    if (family == kReverseFamily) {
      options.comparator = ReverseBytewiseComparator();
    }
    families.emplace_back(kMyRocksFamilyNames[family], options);
  }
  return families;
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE

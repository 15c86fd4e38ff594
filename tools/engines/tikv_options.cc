//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/engines/tikv_options.h"

#include "plugin/hotrap/tools/engines/invariant.h"
#include "plugin/hotrap/tools/engines/tikv_codec.h"
#include "rocksdb/cache.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

const char* const kTikvFamilyNames[kTikvFamilies] = {"default", "lock", "write",
                                                     "raft"};

namespace {

// rocksdb.defaultcf and rocksdb.writecf: the same there but for what is set
// below. Sizes are divided by 128 (write: by 512, as it holds less): there
// write-buffer-size is 128MB, max-bytes-for-level-base 512MB,
// target-file-size-base 8MB, soft-pending-compaction-bytes-limit 192GB. Titan
// is off.
constexpr char kCommonOptions[] =
    "max_write_buffer_number=5;min_write_buffer_number_to_merge=1;"
    "level0_file_num_compaction_trigger=4;level0_slowdown_writes_trigger=20;"
    "level0_stop_writes_trigger=36;compaction_pri=kMinOverlappingRatio;"
    "level_compaction_dynamic_level_bytes=true;num_levels=7;"
    "max_bytes_for_level_multiplier=10;"
    "soft_pending_compaction_bytes_limit=1536m;"
    "hard_pending_compaction_bytes_limit=8g;"
    "compression_per_level=kNoCompression:kNoCompression:kLZ4Compression:"
    "kLZ4Compression:kLZ4Compression:kZSTD:kZSTD;"
    "bottommost_compression=kZSTD;";
constexpr char kDefaultOptions[] =
    "write_buffer_size=1m;max_bytes_for_level_base=4m;"
    "target_file_size_base=256k;optimize_filters_for_hits=true;";
constexpr char kWriteOptions[] =
    "write_buffer_size=256k;max_bytes_for_level_base=1m;"
    "target_file_size_base=64k;memtable_prefix_bloom_size_ratio=0.1;";
// rocksdb.lockcf and rocksdb.raftcf: write-buffer-size 32MB,
// max-bytes-for-level-base 128MB, level0-file-num-compaction-trigger 1, no
// compression.
constexpr char kSmallOptions[] =
    "write_buffer_size=256k;max_bytes_for_level_base=1m;"
    "target_file_size_base=64k;level0_file_num_compaction_trigger=1;"
    "compression_per_level=kNoCompression;"
    "bottommost_compression=kDisableCompressionOption;";

// FixedSuffixSliceTransform: all but the timestamp.
class FixedSuffix : public SliceTransform {
 public:
  const char* Name() const override { return "FixedSuffixSliceTransform"; }
  Slice Transform(const Slice& key) const override {
    return WithoutTimestamp(key);
  }
  bool InDomain(const Slice& key) const override {
    return key.size() >= kTimestampBytes;
  }
};

ColumnFamilyOptions Parse(const std::string& text) {
  ConfigOptions config_options;
  config_options.input_strings_escaped = false;
  ColumnFamilyOptions options;
  Must(GetColumnFamilyOptionsFromString(config_options, ColumnFamilyOptions(),
                                        text, &options),
       text);
  return options;
}

}  // namespace

uint64_t KvBudget(int family) {
  switch (family) {
    case kTikvDefault:
      return 8 << 20;
    case kTikvWrite:
      return 2 << 20;
    default:
      // Locks and apply states are few.
      return 0;
  }
}

DBOptions KvDBOptions(const RunConfig& config, WriteMode mode) {
  DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.db_paths = config.DbPaths("kv");
  // max-background-jobs is 8 or the number of cores less one,
  // max-background-flushes 2, max-sub-compactions 3.
  options.max_background_jobs = 4;
  options.max_subcompactions = 3;
  // wal-recovery-mode 2
  options.wal_recovery_mode = WALRecoveryMode::kPointInTimeRecovery;
  // max-total-wal-size 4GB, bytes-per-sync 1MB, wal-bytes-per-sync 512KB,
  // writable-file-max-buffer-size 1MB, max-manifest-file-size 128MB: scaled.
  options.max_total_wal_size = 32 << 20;
  options.bytes_per_sync = 1 << 20;
  options.wal_bytes_per_sync = 512 << 10;
  options.writable_file_max_buffer_size = 256 << 10;
  options.max_manifest_file_size = 1 << 20;
  // max-open-files 40960
  options.max_open_files = 40960;
  // rate-bytes-per-sec 10GB, scaled; rate-limiter-mode 2 (writes only),
  // rate-limiter-auto-tuned.
  options.rate_limiter.reset(NewGenericRateLimiter(
      80 << 20, /*refill_period_us=*/100 * 1000, /*fairness=*/10,
      RateLimiter::Mode::kWritesOnly, /*auto_tuned=*/true));
  options.enable_pipelined_write = mode == WriteMode::kPipelined;
  options.unordered_write = mode == WriteMode::kUnordered;
  options.statistics = CreateDBStatistics();
  return options;
}

std::vector<ColumnFamilyDescriptor> KvFamilies(const RunConfig& config,
                                               bool hotrap,
                                               const TikvFilters& filters) {
  // storage.block-cache.capacity: shared by all.
  const std::shared_ptr<Cache> cache = NewLRUCache(4 << 20);
  std::vector<ColumnFamilyDescriptor> families;
  for (int family = 0; family < kTikvFamilies; family++) {
    const bool small = family == kTikvLock || family == kTikvRaft;
    ColumnFamilyOptions options =
        Parse(std::string(kCommonOptions) +
              (small                    ? kSmallOptions
               : family == kTikvDefault ? kDefaultOptions
                                        : kWriteOptions) +
              HotRapString(config, hotrap, KvBudget(family)));
    BlockBasedTableOptions table;
    // block-size 32KB, lock 16KB; cache-index-and-filter-blocks,
    // pin-l0-filter-and-index-blocks, bloom-filter-bits-per-key 10.
    table.block_size = small ? 16 << 10 : 32 << 10;
    table.block_cache = cache;
    table.cache_index_and_filter_blocks = true;
    table.pin_l0_filter_and_index_blocks_in_cache = true;
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    // whole-key-filtering is off in the write column family only.
    table.whole_key_filtering = family != kTikvWrite;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    // The write column family has a prefix extractor that trims the timestamp;
    // the others have NoopSliceTransform, or none.
    if (family == kTikvWrite) {
      options.prefix_extractor = std::make_shared<FixedSuffix>();
      options.compaction_filter_factory = filters.mvcc;
    } else {
      options.prefix_extractor.reset(NewNoopTransform());
    }
    if (family == kTikvDefault && filters.raw_ttl != nullptr) {
      options.compaction_filter_factory = filters.raw_ttl;
    }
    families.emplace_back(kTikvFamilyNames[family], options);
  }
  return families;
}

Options RaftDBOptions(const RunConfig& config, bool hotrap) {
  // raftdb.defaultcf: the same sizes, no Bloom filter; use-bloom-filter false.
  Options options(
      DBOptions(),
      Parse(std::string(kCommonOptions) + kWriteOptions +
            HotRapString(config, hotrap, /*fast_budget_bytes=*/2 << 20)));
  options.create_if_missing = true;
  options.db_paths = config.DbPaths("raft");
  // max-background-jobs 4, max-sub-compactions 2.
  options.max_background_jobs = 2;
  options.max_subcompactions = 2;
  options.wal_recovery_mode = WALRecoveryMode::kPointInTimeRecovery;
  options.bytes_per_sync = 1 << 20;
  options.enable_pipelined_write = true;
  options.memtable_prefix_bloom_size_ratio = 0;
  BlockBasedTableOptions table;
  table.block_size = 64 << 10;
  table.block_cache = NewLRUCache(1 << 20);
  table.cache_index_and_filter_blocks = true;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE

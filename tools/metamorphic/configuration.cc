//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/configuration.h"

#include <algorithm>
#include <map>
#include <utility>

#include "plugin/hotrap/tools/metamorphic/answer.h"
#include "plugin/hotrap/tools/metamorphic/ghost_keys.h"
#include "plugin/hotrap/tools/metamorphic/operation.h"
#include "rocksdb/cache.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/file_system.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_partitioner.h"
#include "rocksdb/utilities/table_properties_collectors.h"
#include "rocksdb/version.h"
#include "rocksdb/write_buffer_manager.h"
#if ROCKSDB_MAJOR >= 11
#include "utilities/trie_index/trie_index_factory.h"
#endif

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {

// Of flushes and compactions; less than a list writes.
constexpr int64_t kStallingBytesPerSec = 3 << 20;

void Off(Setup* setup) { setup->options.hotrap.enabled = false; }

void OnePath(Setup* setup) {
  Off(setup);
  setup->options.db_paths.resize(1);
  setup->options.db_paths[0].target_size = kSlowBytes;
}

void Universal(Setup* setup) {
  setup->options.compaction_style = kCompactionStyleUniversal;
}

void ThreeFastLevels(Setup* setup) {
  setup->options.max_bytes_for_level_base = kLevelBytes / 2;
  setup->options.db_paths[0].target_size = 7 * kLevelBytes / 2;
}

void SevenLevels(Setup* setup) {
  setup->options.num_levels = 7;
  setup->options.max_bytes_for_level_base = kLevelBytes / 2;
  setup->options.max_bytes_for_level_multiplier = 2;
  setup->options.target_file_size_base = 2 << 10;
  setup->options.db_paths[0].target_size = 2 * kLevelBytes;
}

void PathsOfTheirOwn(Setup* setup) {
  setup->second_cf_paths = {{setup->folder + "/fast2", kFastBytes},
                            {setup->folder + "/middle2", kSlowBytes},
                            {setup->folder + "/slow2", kSlowBytes}};
}

void CompressedAndPartitioned(Setup* setup) {
  setup->options.compression = kLZ4Compression;
  setup->options.bottommost_compression = kZSTD;
  BlockBasedTableOptions* const table = &setup->table_options;
  table->filter_policy.reset(NewBloomFilterPolicy(10));
  table->index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table->partition_filters = true;
  table->metadata_block_size = 256;
  // "mixed" may have disabled the cache.
  table->cache_index_and_filter_blocks = !table->no_block_cache;
}

void PrefixBloom(Setup* setup) {
  setup->options.prefix_extractor.reset(NewFixedPrefixTransform(6));
  setup->options.memtable_prefix_bloom_size_ratio = 0.1;
  setup->options.memtable_whole_key_filtering = true;
  setup->table_options.filter_policy.reset(NewRibbonFilterPolicy(10));
  setup->read_options.total_order_seek = true;
}

void Blobs(Setup* setup) {
  setup->options.enable_blob_files = true;
  setup->options.min_blob_size = 250;
  setup->options.blob_file_size = 8 << 10;
  setup->options.enable_blob_garbage_collection = true;
  setup->options.blob_garbage_collection_age_cutoff = 0.5;
}

void Ages(Setup* setup) {
  // Files expire after a few dozen operations.
  setup->clock->set_secs_per_operation(5);
  setup->options.ttl = 300;
  setup->options.periodic_compaction_seconds = 200;
}

void Paranoid(Setup* setup) {
#if ROCKSDB_MAJOR >= 11
  setup->options.verify_output_flags = VerifyOutputFlags::kVerifyAll;
#endif
  setup->options.paranoid_file_checks = true;
  setup->options.compaction_verify_record_count = true;
  setup->options.flush_verify_memtable_count = true;
  setup->options.memtable_protection_bytes_per_key = 8;
  setup->options.block_protection_bytes_per_key = 8;
  setup->options.paranoid_memory_checks = true;
  setup->options.verify_sst_unique_id_in_manifest = true;
  setup->write_options.protection_bytes_per_key = 8;
}

// Appends a mark to each value, once. Answers omit the mark, because they must
// not depend on whether a compaction has processed a record yet.
class MarkingFilter : public CompactionFilter {
 public:
  const char* Name() const override { return "MarkingFilter"; }
  Decision FilterV2(int /*level*/, const Slice& /*key*/, ValueType type,
                    const Slice& value, std::string* new_value,
                    std::string* /*skip_until*/) const override {
    if (type != ValueType::kValue || value.ends_with({&kFilterMark, 1})) {
      return Decision::kKeep;
    }
    *new_value = value.ToString() + kFilterMark;
    return Decision::kChangeValue;
  }
};

void FilterMarks(Setup* setup) {
  static const MarkingFilter filter;
  setup->options.compaction_filter = &filter;
}

void FilterSwitched(Setup* setup) {
  setup->at_reopen = [](Setup* s) {
    static const MarkingFilter filter;
    s->options.compaction_filter =
        s->options.compaction_filter == nullptr ? &filter : nullptr;
  };
}

void SwitchHotRapSometimes(Setup* setup) {
  if (setup->rnd.OneIn(3)) {
    setup->options.hotrap.enabled = !setup->options.hotrap.enabled;
  }
}

void FilterRemoves(Setup* setup) {
  setup->ghosts = std::make_unique<GhostFilter>(GhostKeys::End());
  setup->ghost_filter = setup->ghosts->NewFilter();
  setup->options.compaction_filter = setup->ghost_filter.get();
  setup->at_reopen = [](Setup* s) {
    const bool off = s->options.compaction_filter == nullptr;
    s->options.compaction_filter = off ? s->ghost_filter.get() : nullptr;
    SwitchHotRapSometimes(s);
  };
}

void FilterFactory(Setup* setup) {
  setup->ghosts = std::make_unique<GhostFilter>(GhostKeys::End());
  setup->options.compaction_filter_factory = setup->ghosts->NewFactory();
  setup->at_reopen = SwitchHotRapSometimes;
}

void PathsChange(Setup* setup) {
  setup->at_reopen = [](Setup* s) {
    std::vector<DbPath>& paths = s->options.db_paths;
    // RocksDB looks for blob files on the first path only.
    const bool stays = s->options.enable_blob_files;
    switch (stays ? 3 : s->rnd.Uniform(4)) {
      case 0:
        std::swap(paths.front().path, paths.back().path);
        break;
      case 1:
        if (paths.size() < 4) {
          paths.insert(
              paths.begin(),
              {s->folder + "/more" + std::to_string(paths.size()), kFastBytes});
        }
        break;
      default:
        paths.front().target_size = (2 + s->rnd.Uniform(8)) * kLevelBytes;
        break;
    }
  };
}

// The DB's paths follow from a root, which is forgotten or another one at some
// reopenings.
void Roots(Setup* setup) {
  const std::string first = setup->folder + "/root1";
  const std::string second = setup->folder + "/root2";
  for (const std::string& root : {first, second}) {
    // Open() fails if it cannot be created.
    Env::Default()->CreateDirIfMissing(root).PermitUncheckedError();
  }
  setup->options.db_paths.clear();
  setup->options.hotrap.fast_budget_bytes = kFastBytes;
  setup->options.hotrap.slow_root = first;
  const HotRapOptions on = setup->options.hotrap;
  setup->at_reopen = [on, second](Setup* s) {
    s->options.hotrap = on;
    if (s->rnd.OneIn(4)) {
      s->options.hotrap = HotRapOptions();
    } else if (s->rnd.OneIn(4)) {
      s->options.hotrap.slow_root = second;
    }
  };
}

// SetHotRap() and each reopening switch to other ranges.
void Ranges(Setup* setup) {
  setup->options.hotrap.pinned_percent = 80;
  setup->at_reopen = [](Setup* s) {
    const int begin = static_cast<int>(s->rnd.Uniform(kNumKeys / 2));
    HotRapOptions& hotrap = s->options.hotrap;
    hotrap.pinned_ranges = {{KeyOf(begin), KeyOf(begin + kNumKeys / 4), ""}};
    hotrap.excluded_ranges = {{KeyOf(begin + kNumKeys / 3), "", ""}};
    hotrap.relocation_bytes_per_sec = s->rnd.OneIn(4) ? 0 : 1ull << 30;
  };
  setup->at_reopen(setup);
}

// Here the tiers are equally fast, so the option decides whether anything
// moves. SetHotRap() switches it while the DB is open.
void OnlyIfSlower(Setup* setup) {
  setup->options.hotrap.promote_only_if_slower = true;
  setup->at_reopen = [](Setup* s) {
    s->options.hotrap.promote_only_if_slower = !s->rnd.OneIn(3);
  };
}

// The column families share the fast path. SetHotRap() and each reopening
// change the least that they ask for.
void LeastShare(Setup* setup) {
  setup->options.db_paths[0].target_size = 2 * kFastBytes;
  setup->options.hotrap.min_fast_budget_bytes = kLevelBytes;
  setup->at_reopen = [](Setup* s) {
    s->options.hotrap.min_fast_budget_bytes =
        (1 + s->rnd.Uniform(4)) * kLevelBytes;
  };
}

// More is written to the fast tier than compactions take away: the budget, not
// RocksDB, slows writes and stops them. All of them must end.
void BudgetStalls(Setup* setup) {
  setup->ballast = true;
  setup->options.rate_limiter.reset(
      NewGenericRateLimiter(kStallingBytesPerSec));
  setup->options.level0_slowdown_writes_trigger = 1000;
  setup->options.level0_stop_writes_trigger = 1000;
}

void Mixed(Setup* setup) {
  std::map<std::string, std::vector<const Configuration*>> groups;
  for (const Configuration& configuration : AllConfigurations()) {
    if (configuration.group != nullptr) {
      groups[configuration.group].push_back(&configuration);
    }
  }
  for (const auto& [name, members] : groups) {
    if (setup->rnd.OneIn(2)) {
      const Configuration* const drawn =
          members[setup->rnd.Uniform(members.size())];
      drawn->change(setup);
      setup->drawn += std::string(" ") + drawn->name;
    }
  }
}

// The groups. "mixed" iterates over them in alphabetical order.
constexpr char kTiers[] = "tiers";
constexpr char kHotRap[] = "hotrap";
constexpr char kRalt[] = "ralt";
constexpr char kWrites[] = "writes";
constexpr char kCaches[] = "caches";
constexpr char kIo[] = "io";
constexpr char kTables[] = "tables";
constexpr char kMemtables[] = "memtables";
constexpr char kCompactions[] = "compactions";

// Those of options that only the newer base has.
void AddNewer([[maybe_unused]] std::vector<Configuration>* all) {
#if ROCKSDB_MAJOR >= 11
  // 10.4.2 may give the output an old id.
  all->push_back(
      {"mempurge", "a flush writes another memtable, if it can",
       [](Setup* setup) { setup->options.experimental_mempurge_threshold = 1; },
       Moves::kAlways, kMemtables});
  all->push_back({"prepared_scans", "their ranges are announced",
                  [](Setup* setup) { setup->prepare_scans = true; },
                  Moves::kAlways, kIo});
  all->push_back(
      {"scan_flushes", "a scan may have the memtable flushed",
       [](Setup* setup) { setup->options.memtable_op_scan_flush_trigger = 4; },
       Moves::kAlways, kMemtables});
  all->push_back({"trie_index", "another index of tables, which reads use",
                  [](Setup* setup) {
                    setup->table_options.user_defined_index_factory =
                        std::make_shared<trie_index::TrieIndexFactory>();
                    setup->table_options.use_udi_as_primary_index = true;
                  },
                  Moves::kAlways, kTables});
  all->push_back({"range_conversion", "scans write range tombstones",
                  [](Setup* setup) {
                    setup->options.min_tombstones_for_range_conversion = 2;
                  },
                  Moves::kAlways, kCompactions});
  all->push_back({"opened_later", "tables are opened in the background",
                  [](Setup* setup) { setup->options.open_files_async = true; },
                  Moves::kAlways, kCompactions});
#endif
}

std::vector<Configuration> MakeConfigurations() {
  return {
      {"off", "two paths, HotRAP off", Off, Moves::kNever},
      {"off_one_path", "one path: stock RocksDB", OnePath, Moves::kNever},
      {"universal", "HotRAP is inactive with universal compaction", Universal,
       Moves::kNever},
      {"on", "as the others below, but for what they say", [](Setup*) {}},
      // HotRAP's options.
      {"tiny_cache", "a promotion cache of four records",
       [](Setup* setup) {
         setup->options.hotrap.promotion_cache_bytes = 1 << 10;
       },
       Moves::kAlways, kHotRap},
      {"large_cache", "one that is never full: promotion by compaction",
       [](Setup* setup) {
         setup->options.hotrap.promotion_cache_bytes = 1 << 20;
       },
       Moves::kAlways, kHotRap},
      {"no_hotness_check", "all is hot",
       [](Setup* setup) { setup->options.hotrap.no_hotness_check = true; },
       Moves::kAlways, kHotRap},
      {"no_by_compaction", "",
       [](Setup* setup) { setup->options.hotrap.no_by_compaction = true; },
       Moves::kAlways, kHotRap},
      {"no_retain", "",
       [](Setup* setup) { setup->options.hotrap.no_retain = true; },
       Moves::kAlways, kHotRap},
      {"sampled", "one cached hit in 16 is recorded, limits do not move",
       [](Setup* setup) {
         setup->options.hotrap.cached_hit_sampling = 16;
         setup->options.hotrap.auto_tune = false;
       },
       Moves::kAlways, kHotRap},
      {"only_if_slower",
       "slow reads are measured, and are fast here; switched all the time",
       OnlyIfSlower, Moves::kPerhaps, kHotRap},
      {"ranges", "pinned and excluded ranges that change", Ranges,
       Moves::kAlways, kHotRap},
      // Tiers and levels.
      {"no_extra_level", "the slow levels follow from the fast ones",
       [](Setup* setup) { setup->options.hotrap.extra_level = false; },
       Moves::kAlways, kTiers},
      {"fast_blocks", "one record each",
       [](Setup* setup) { setup->options.hotrap.fast_block_bytes = 1; },
       Moves::kAlways, kTiers},
      {"three_fast_levels", "the first slow level is 3", ThreeFastLevels,
       Moves::kAlways, kTiers},
      {"seven_levels", "small ones, of small files", SevenLevels,
       Moves::kAlways, kTiers},
      {"small_budget", "no room on the fast tier most of the time",
       [](Setup* setup) {
         setup->options.hotrap.fast_budget_bytes = 2 * kLevelBytes;
       },
       Moves::kPerhaps, kTiers},
      {"least_share", "min_fast_budget_bytes, which changes", LeastShare,
       Moves::kAlways, kTiers},
      {"budget_stalls",
       "a fast budget that several column families overrun: writes are slowed",
       BudgetStalls, Moves::kPerhaps, kTiers},
      {"cf_paths", "a column family with three paths of its own",
       PathsOfTheirOwn, Moves::kAlways, kTiers},
      {"paths_change", "their order, number and sizes at each reopening",
       PathsChange, Moves::kPerhaps, kTiers},
      {"roots", "the slow path from slow_root, which is forgotten or changed",
       Roots, Moves::kPerhaps, kTiers},
      // RALT.
      {"ralt_deleted", "whenever the DB is closed",
       [](Setup* setup) { setup->vandal.set_deletes(true); }, Moves::kAlways,
       kRalt},
      {"ralt_damaged", "whenever the DB is closed, and while it is open",
       [](Setup* setup) { setup->vandal.set_damages(true); }, Moves::kAlways,
       kRalt},
      {"ralt_no_space", "the fast path is full: RALT's writes fail at times",
       [](Setup* setup) { setup->vandal.set_fails_writes(true); },
       Moves::kPerhaps, kRalt},
      {"ralt_io_errors", "RALT's reads fail at times",
       [](Setup* setup) { setup->vandal.set_fails_reads(true); },
       Moves::kPerhaps, kRalt},
      // RocksDB's options.
      {"subcompactions", "four",
       [](Setup* setup) {
         setup->options.max_subcompactions = 4;
         setup->options.target_file_size_base = 2 << 10;
       },
       Moves::kAlways, kCompactions},
      {"one_job", "a single compaction at a time",
       [](Setup* setup) { setup->options.max_background_jobs = 1; },
       Moves::kAlways, kCompactions},
      {"round_robin", "compaction_pri; HotRAP does not order files then",
       [](Setup* setup) { setup->options.compaction_pri = kRoundRobin; },
       Moves::kAlways, kCompactions},
      {"ages", "ttl and periodic compaction; operations take seconds", Ages,
       Moves::kAlways, kCompactions},
      {"small_compactions", "of a few tables, those with the oldest data first",
       [](Setup* setup) {
         setup->options.max_compaction_bytes = kLevelBytes / 2;
         setup->options.compaction_pri = kOldestSmallestSeqFirst;
       },
       Moves::kAlways, kCompactions},
      {"filter_switched", "a compaction filter at every other reopening",
       FilterSwitched, Moves::kPerhaps, kCompactions},
      {"filter_marks", "a compaction filter that changes each value once",
       FilterMarks, Moves::kAlways, kCompactions,
       /*promotes_with_filter=*/true},
      {"filter_removes",
       "keys that expire do not come back; no filter at every other reopening",
       FilterRemoves, Moves::kAlways, kCompactions,
       /*promotes_with_filter=*/true},
      {"filter_factory", "the same with a factory, and never without it",
       FilterFactory, Moves::kAlways, kCompactions,
       /*promotes_with_filter=*/true},
      {"partitioned_files", "no table has keys of two dozens",
       [](Setup* setup) {
         setup->options.sst_partitioner_factory =
             NewSstPartitionerFixedPrefixFactory(6);
       },
       Moves::kAlways, kCompactions},
      {"deletions_compact", "tables with many deletions are compacted",
       [](Setup* setup) {
         setup->options.table_properties_collector_factories.push_back(
             NewCompactOnDeletionCollectorFactory(16, 4));
       },
       Moves::kAlways, kCompactions},
      {"row_cache", "",
       [](Setup* setup) {
         setup->options.row_cache = SmallCache(64 << 10);
         setup->delete_range_by_keys = true;
       },
       Moves::kAlways, kCaches},
      {"no_block_cache", "every read is from a file",
       [](Setup* setup) {
         setup->table_options.no_block_cache = true;
         setup->table_options.block_cache = nullptr;
       },
       Moves::kAlways, kCaches},
      {"tiny_block_cache", "filters and indexes are in it",
       [](Setup* setup) {
         setup->table_options.block_cache = SmallCache(4 << 10);
         setup->table_options.cache_index_and_filter_blocks = true;
         setup->table_options.filter_policy.reset(NewBloomFilterPolicy(10));
       },
       Moves::kAlways, kCaches},
      {"secondary_cache", "for blocks that the block cache drops",
       [](Setup* setup) {
         CompressedSecondaryCacheOptions secondary;
         secondary.capacity = 64 << 10;
         LRUCacheOptions primary;
         primary.capacity = 8 << 10;
         primary.num_shard_bits = 0;
         primary.secondary_cache = secondary.MakeSharedSecondaryCache();
         setup->table_options.block_cache = primary.MakeSharedCache();
       },
       Moves::kAlways, kCaches},
      {"few_open_files", "a table cache of a few tables",
       [](Setup* setup) { setup->options.max_open_files = 20; }, Moves::kAlways,
       kCaches},
      {"direct_io",
       "reads, flushes and compactions, where there is such a thing",
       [](Setup* setup) {
         const bool possible = SupportsDirectIo(setup->folder);
         setup->options.use_direct_reads = possible;
         setup->options.use_direct_io_for_flush_and_compaction = possible;
       },
       Moves::kAlways, kIo},
      {"mmap_reads", "",
       [](Setup* setup) { setup->options.allow_mmap_reads = true; },
       Moves::kAlways, kIo},
      {"temperatures", "of the last level, and of what is written",
       [](Setup* setup) {
         setup->options.default_write_temperature = Temperature::kWarm;
         setup->options.last_level_temperature = Temperature::kCold;
       },
       Moves::kAlways, kIo},
      {"refreshed_iterators", "iterators let go of old versions",
       [](Setup* setup) {
         setup->read_options.auto_refresh_iterator_with_snapshot = true;
       },
       Moves::kAlways, kIo},
      {"async_io", "MultiGet and scans",
       [](Setup* setup) {
         setup->read_options.async_io = true;
         setup->read_options.optimize_multiget_for_io = true;
         setup->read_options.adaptive_readahead = true;
       },
       Moves::kAlways, kIo},
      {"atomic_flush", "",
       [](Setup* setup) { setup->options.atomic_flush = true; }, Moves::kAlways,
       kWrites},
      {"unordered_write", "",
       [](Setup* setup) { setup->options.unordered_write = true; },
       Moves::kAlways, kWrites},
      {"pipelined_write", "",
       [](Setup* setup) { setup->options.enable_pipelined_write = true; },
       Moves::kAlways, kWrites},
      {"recovered_memtables", "nothing is flushed when the DB is closed",
       [](Setup* setup) {
         setup->options.avoid_flush_during_shutdown = true;
         setup->options.avoid_flush_during_recovery = true;
       },
       Moves::kAlways, kWrites},
      {"no_wal", "what is written is flushed at the end, of both at once",
       [](Setup* setup) {
         setup->options.atomic_flush = true;
         setup->write_options.disableWAL = true;
       },
       Moves::kAlways, kWrites},
      {"transactions", "TransactionDB, two write queues",
       [](Setup* setup) {
         setup->transactions = true;
         setup->options.two_write_queues = true;
       },
       Moves::kAlways, kWrites},
      {"merges", "max_successive_merges",
       [](Setup* setup) { setup->options.max_successive_merges = 2; },
       Moves::kAlways, kWrites},
      {"many_memtables", "all of them tiny",
       [](Setup* setup) {
         setup->options.max_write_buffer_number = 6;
         // Do not set min_write_buffer_number_to_merge: with a value above 1
         // and unordered_write, a Flush() was seen to wait forever.
         setup->options.write_buffer_manager =
             std::make_shared<WriteBufferManager>(48 << 10);
       },
       Moves::kAlways, kMemtables},
      {"hash_memtable", "a skip list for each prefix, one writer at a time",
       [](Setup* setup) {
         setup->options.allow_concurrent_memtable_write = false;
         setup->options.prefix_extractor.reset(NewFixedPrefixTransform(6));
         setup->options.memtable_factory.reset(NewHashSkipListRepFactory(16));
         setup->read_options.total_order_seek = true;
       }},
      {"compressed", "and filters and indexes in parts",
       CompressedAndPartitioned, Moves::kAlways, kTables},
      {"prefix_bloom", "in memtables and tables", PrefixBloom, Moves::kAlways,
       kTables},
      {"blobs", "of larger values, with garbage collection", Blobs,
       Moves::kPerhaps, kTables},
      {"paranoid", "all checks and checksums there are", Paranoid,
       Moves::kAlways, kTables},
      {"mixed", "several of these at once, others for each seed", Mixed,
       Moves::kPerhaps},
  };
}

}  // namespace

const std::vector<Configuration>& AllConfigurations() {
  static const std::vector<Configuration> kConfigurations = [] {
    std::vector<Configuration> all = MakeConfigurations();
    AddNewer(&all);
    return all;
  }();
  return kConfigurations;
}

const Configuration* FindConfiguration(const std::string& name) {
  const std::vector<Configuration>& all = AllConfigurations();
  const auto it =
      std::find_if(all.begin(), all.end(),
                   [&](const Configuration& one) { return one.name == name; });
  return it == all.end() ? nullptr : &*it;
}

bool SupportsDirectIo(const std::string& folder) {
  FileOptions options;
  options.use_direct_writes = true;
  const std::string path = folder + "/direct_io";
  const std::shared_ptr<FileSystem>& fs = FileSystem::Default();
  std::unique_ptr<FSWritableFile> file;
  const IOStatus s = fs->NewWritableFile(path, options, &file, nullptr);
  file.reset();
  fs->DeleteFile(path, IOOptions(), nullptr).PermitUncheckedError();
  return s.ok();
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

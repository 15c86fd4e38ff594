//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/setup.h"

#include "env/composite_env_wrapper.h"
#include "rocksdb/file_system.h"
#include "test_util/testutil.h"
#include "utilities/merge_operators.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

std::shared_ptr<Cache> SmallCache(size_t bytes) {
  LRUCacheOptions options;
  options.capacity = bytes;
  options.num_shard_bits = 0;
  return options.MakeSharedCache();
}

std::string CompactionReasons::Text() const {
  std::string text;
  for (size_t i = 0; i < counts_.size(); i++) {
    if (counts_[i] > 0) {
      text += std::string(
                  GetCompactionReasonString(static_cast<CompactionReason>(i))) +
              " " + std::to_string(counts_[i]) + "; ";
    }
  }
  return text;
}

Setup::Setup(const std::string& db_folder, uint64_t seed)
    : folder(db_folder),
      rnd(seed),
      vandal(seed),
      clock(std::make_shared<OperationClock>()),
      compactions(std::make_shared<CompactionReasons>()) {
  options.listeners.push_back(compactions);
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.db_paths = {{FastPath(), kFastBytes}, {SlowPath(), kSlowBytes}};
  options.num_levels = 5;
  options.max_bytes_for_level_base = kLevelBytes;
  options.max_bytes_for_level_multiplier = 3;
  options.target_file_size_base = 4 << 10;
  options.level0_file_num_compaction_trigger = 2;
  options.level_compaction_dynamic_level_bytes = false;
  options.compression = kNoCompression;
  options.write_buffer_size = 64 << 10;
  options.arena_block_size = 4 << 10;
  options.max_background_jobs = 3;
  options.merge_operator = MergeOperators::CreateStringAppendOperator();
  table_options.block_size = 512;
  table_options.block_cache = SmallCache(128 << 10);
  // Switch off what only costs time.
  options.info_log = std::make_shared<test::NullLogger>();
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.allow_fallocate = false;
  options.max_file_opening_threads = 1;
  options.skip_stats_update_on_db_open = true;

  options.hotrap.enabled = true;
  options.hotrap.promotion_cache_bytes = 3 << 10;
  options.hotrap.cached_hit_sampling = 1;
  options.hotrap.access_buffer_bytes = 1 << 20;
  // Both tiers are on one disk.
  options.hotrap.promote_only_if_slower = false;
}

void Setup::Finish() {
  std::vector<std::string> fast_paths = {FastPath()};
  if (!second_cf_paths.empty()) {
    fast_paths.push_back(second_cf_paths[0].path);
  }
  env_ = std::make_unique<CompositeEnvWrapper>(
      Env::Default(), vandal.Wrap(FileSystem::Default(), fast_paths), clock);
  options.env = env_.get();
  options.table_factory.reset(NewBlockBasedTableFactory(table_options));
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

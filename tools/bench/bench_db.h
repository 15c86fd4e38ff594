//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Opens the DB under test on its two tiers, and provides measurements of it.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "plugin/hotrap/tools/bench/bench_config.h"
#include "plugin/hotrap/tools/bench/tier_file_system.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/statistics.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

struct PathBytes {
  uint64_t fast = 0;
  uint64_t slow = 0;
};

// How far compactions lag behind, and how RocksDB reacts.
struct CompactionDebt {
  // Bytes that compactions would have to write until all levels are within
  // their targets.
  uint64_t bytes = 0;
  // The rate to which writes are limited; 0 if they are not delayed.
  uint64_t delayed_write_bytes_per_sec = 0;
};

// RocksDB's statistics of the compactions into one level, in bytes. For a
// crossing compaction they include everything that was read, and what was
// written to the slow tier.
struct LevelCompaction {
  double read_from_above = 0;
  double read_from_level = 0;
  double written = 0;
  double moved = 0;
};
// By output level.
using CompactionByLevel = std::map<int, LevelCompaction>;

class BenchDb {
 public:
  // First deletes the contents of the two paths, unless config.existing_db.
  static Status Open(const BenchConfig& config,
                     std::unique_ptr<BenchDb>* result);

  // What Open opens the DB with.
  static Status MakeOptions(const BenchConfig& config, Env* env,
                            Options* result);

  DB* db() const { return db_.get(); }
  const TierFileSystem& file_system() const { return *file_system_; }
  Statistics* statistics() const { return options_.statistics.get(); }
  const Options& options() const { return options_; }

  // The first level on the slow tier: as reported by the engine if HotRAP is
  // on, otherwise by RocksDB's rule.
  int first_slow_level() const;

  // Waits until no flush or compaction is left to do.
  Status WaitUntilIdle();

  // Returns Corruption if a table file lies on the wrong tier for its level.
  Status CheckPlacement();

  // Returns IOError if a flush or a compaction has failed since the DB was
  // opened. It may have been retried, so that no write failed.
  Status CheckBackgroundErrors() const;

  // Bytes of the files under each path, including RALT's and the write-ahead
  // log, but not RocksDB's text log.
  PathBytes MeasurePaths() const;

  CompactionDebt MeasureDebt() const;

  // "rocksdb.hotrap.stats"; empty if the library has no HotRAP or it is off.
  std::map<std::string, std::string> HotrapStats() const;

  // Since the DB was opened. L0 has the flushes.
  CompactionByLevel Compactions() const;
  // Bytes of the live table files of each level.
  std::map<int, uint64_t> LevelBytes() const;

  Status Reopen();
  Status Close();

 private:
  explicit BenchDb(const BenchConfig& config) : config_(config) {}

  Status OpenDb();

  const BenchConfig config_;
  std::shared_ptr<TierFileSystem> file_system_;
  std::unique_ptr<Env> env_;
  Options options_;
  // The last member, so that the DB is closed before anything it uses.
  std::unique_ptr<DB> db_;
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/bench_db.h"

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <system_error>

#include "plugin/hotrap/tools/bench/level_shape.h"
#include "rocksdb/cache.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/metadata.h"
#include "rocksdb/persistent_cache.h"
#include "rocksdb/table.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

constexpr char kHotrapStats[] = "rocksdb.hotrap.stats";

Status EmptyDirectory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) {
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      if (entry.path().filename() != "lost+found") {
        std::filesystem::remove_all(entry.path(), error);
      }
      if (error) {
        break;
      }
    }
  }
  return error ? Status::IOError(path, error.message()) : Status::OK();
}

// RocksDB's text log is not data, and grows with every flush and compaction.
// With tiny memtables it would outgrow the fast tier.
bool IsTextLog(const std::filesystem::path& path) {
  return path.filename().string().rfind("LOG", 0) == 0;
}

uint64_t BytesUnder(const std::string& path) {
  uint64_t bytes = 0;
  std::error_code error;
  std::filesystem::recursive_directory_iterator files(path, error);
  for (; !error && files != std::filesystem::end(files);
       files.increment(error)) {
    // A file that disappears after the listing counts as empty.
    std::error_code file_error;
    const bool counts =
        files->is_regular_file(file_error) && !IsTextLog(files->path());
    const uint64_t file_bytes = counts ? files->file_size(file_error) : 0;
    bytes += file_error ? 0 : file_bytes;
  }
  return bytes;
}

}  // namespace

Status BenchDb::MakeOptions(const BenchConfig& config, Env* env,
                            Options* result) {
  Status s;
  DBOptions db_options;
  db_options.env = env;
  db_options.create_if_missing = !config.existing_db;
  db_options.statistics = CreateDBStatistics();
  db_options.max_background_jobs = config.max_background_jobs;
  db_options.max_subcompactions = config.max_subcompactions;
  db_options.use_direct_reads = config.direct_io;
  db_options.use_direct_io_for_flush_and_compaction = config.direct_io;
  db_options.db_paths = {
      {config.fast_path, config.fast_bytes},
      {config.slow_path, std::numeric_limits<uint64_t>::max()}};

  ColumnFamilyOptions cf_options;
  const bool hotrap = config.options.find("hotrap=") != std::string::npos;
  FitLevelsToFastTier(config.fast_bytes, hotrap, &cf_options);
  if (config.write_buffer_bytes > 0) {
    cf_options.write_buffer_size = config.write_buffer_bytes;
  }
  cf_options.max_write_buffer_number = 4;
  cf_options.compression = kNoCompression;
  BlockBasedTableOptions table_options;
  table_options.block_size = config.block_bytes;
  table_options.block_align = config.block_align && config.direct_io;
  table_options.block_cache = NewLRUCache(config.block_cache_bytes);
  if (config.bloom_bits_per_key > 0) {
    table_options.filter_policy.reset(
        NewBloomFilterPolicy(config.bloom_bits_per_key));
  }
  if (config.row_cache_bytes > 0) {
    db_options.row_cache = NewLRUCache(config.row_cache_bytes);
  }
  if (config.persistent_cache_bytes > 0) {
    const std::string folder = config.fast_path + "/persistent_cache";
    s = env->CreateDirIfMissing(folder);
    if (s.ok()) {
      s = NewPersistentCache(env, folder, config.persistent_cache_bytes,
                             /*log=*/nullptr, /*optimized_for_nvm=*/false,
                             &table_options.persistent_cache);
    }
    if (!s.ok()) {
      return s;
    }
    // Never destroy the cache: its destructor waits for a writer that may wait
    // for room forever.
    new std::shared_ptr<PersistentCache>(table_options.persistent_cache);
  }
  cf_options.table_factory.reset(NewBlockBasedTableFactory(table_options));

  ConfigOptions strict;
  strict.env = env;
  DBOptions final_db_options;
  s = GetDBOptionsFromString(strict, db_options, config.db_options,
                             &final_db_options);
  ColumnFamilyOptions final_cf_options;
  if (s.ok()) {
    s = GetColumnFamilyOptionsFromString(strict, cf_options, config.options,
                                         &final_cf_options);
  }
  if (s.ok()) {
    *result = Options(final_db_options, final_cf_options);
  }
  return s;
}

Status BenchDb::Open(const BenchConfig& config,
                     std::unique_ptr<BenchDb>* result) {
  std::shared_ptr<SlowThrottle> throttle;
  Status s;
  if (!config.throttle.empty()) {
    s = SlowThrottle::FromProfile(config.throttle, &throttle);
  }
  if (s.ok() && !config.existing_db) {
    s = EmptyDirectory(config.fast_path);
    if (s.ok()) {
      s = EmptyDirectory(config.slow_path);
    }
  }
  if (!s.ok()) {
    return s;
  }
  std::unique_ptr<BenchDb> bench_db(new BenchDb(config));
  bench_db->file_system_ = std::make_shared<TierFileSystem>(
      FileSystem::Default(), config.fast_path, config.slow_path, throttle);
  bench_db->env_ = NewCompositeEnv(bench_db->file_system_);
  s = MakeOptions(config, bench_db->env_.get(), &bench_db->options_);
  if (s.ok()) {
    s = bench_db->OpenDb();
  }
  if (s.ok()) {
    *result = std::move(bench_db);
  }
  return s;
}

Status BenchDb::OpenDb() { return DB::Open(options_, config_.fast_path, &db_); }

Status BenchDb::Close() {
  if (db_ == nullptr) {
    return Status::OK();
  }
  Status s = db_->Close();
  db_.reset();
  return s;
}

Status BenchDb::Reopen() {
  Status s = Close();
  if (s.ok()) {
    options_.create_if_missing = false;
    s = OpenDb();
  }
  return s;
}

int BenchDb::first_slow_level() const {
  const auto stats = HotrapStats();
  const auto found = stats.find("first_slow_level");
  if (found != stats.end()) {
    const int level = std::atoi(found->second.c_str());
    if (level > 0) {
      return level;
    }
  }
  return FirstSlowLevel(options_, config_.fast_bytes);
}

Status BenchDb::WaitUntilIdle() {
  return db_->WaitForCompact(WaitForCompactOptions());
}

Status BenchDb::CheckPlacement() {
  const int boundary = first_slow_level();
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  for (const LiveFileMetaData& file : files) {
    const bool is_slow = file.db_path == config_.slow_path;
    if (is_slow != (file.level >= boundary)) {
      return Status::Corruption(
          "table file " + file.name + " of level " +
          std::to_string(file.level) + " lies in " + file.db_path +
          ", but the first slow level is " + std::to_string(boundary));
    }
  }
  return Status::OK();
}

Status BenchDb::CheckBackgroundErrors() const {
  uint64_t errors = 0;
  if (!db_->GetIntProperty(DB::Properties::kBackgroundErrors, &errors)) {
    return Status::NotSupported(DB::Properties::kBackgroundErrors);
  }
  return errors == 0 ? Status::OK()
                     : Status::IOError("flushes or compactions failed",
                                       std::to_string(errors) + " times");
}

PathBytes BenchDb::MeasurePaths() const {
  return {BytesUnder(config_.fast_path), BytesUnder(config_.slow_path)};
}

CompactionDebt BenchDb::MeasureDebt() const {
  CompactionDebt debt;
  // Unknown properties leave 0.
  db_->GetIntProperty(DB::Properties::kEstimatePendingCompactionBytes,
                      &debt.bytes);
  db_->GetIntProperty(DB::Properties::kActualDelayedWriteRate,
                      &debt.delayed_write_bytes_per_sec);
  return debt;
}

std::map<std::string, std::string> BenchDb::HotrapStats() const {
  std::map<std::string, std::string> stats;
  if (!db_->GetMapProperty(kHotrapStats, &stats)) {
    stats.clear();
  }
  return stats;
}

CompactionByLevel BenchDb::Compactions() const {
  CompactionByLevel levels;
  std::map<std::string, std::string> stats;
  if (!db_->GetMapProperty(DB::Properties::kCFStats, &stats)) {
    return levels;
  }
  constexpr double kGiB = 1 << 30;
  for (int level = 0; level < options_.num_levels; ++level) {
    const auto bytes = [&](const char* name) {
      const auto found =
          stats.find("compaction.L" + std::to_string(level) + "." + name);
      return found == stats.end()
                 ? 0
                 : strtod(found->second.c_str(), nullptr) * kGiB;
    };
    levels[level] = {bytes("RnGB"), bytes("Rnp1GB"), bytes("WriteGB"),
                     bytes("MovedGB")};
  }
  return levels;
}

std::map<int, uint64_t> BenchDb::LevelBytes() const {
  std::map<int, uint64_t> levels;
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  for (const LiveFileMetaData& file : files) {
    levels[file.level] += file.size;
  }
  return levels;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

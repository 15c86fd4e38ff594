//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/benchmark.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "plugin/hotrap/tools/bench/bench_db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

class BenchmarkTest : public testing::Test {
 public:
  BenchmarkTest()
      : root_(std::filesystem::temp_directory_path() /
              ("benchmark_test." + std::to_string(getpid()))) {
    config_.fast_path = root_ / "fast";
    config_.slow_path = root_ / "slow";
    config_.fast_bytes = uint64_t{2} << 20;
    config_.slow_disk = "none";
    config_.records = 20000;
    config_.max_inserts = 100000;
    config_.key_bytes = 24;
    config_.value_bytes = 1000;
    config_.hotspot_fraction = 0.05;
    config_.hotspot_ops = 0.95;
    config_.zipf_theta = 0.99;
    config_.max_scan_keys = 20;
    config_.multiget = 1;
    config_.threads = 4;
    config_.run_ops = 5000;
    config_.seed = 1;
    config_.verify = true;
    config_.verify_snapshots = true;
    config_.block_bytes = 4096;
    config_.bloom_bits_per_key = 10;
    config_.block_cache_bytes = 1 << 20;
    config_.max_background_jobs = 2;
    config_.direct_io = false;
    config_.oracle_max_keys = config_.records;
  }
  ~BenchmarkTest() override { std::filesystem::remove_all(root_); }

 protected:
  // Runs the benchmark and returns the result, with "errors": 0 if all went
  // well.
  nlohmann::json RunBenchmark() {
    Benchmark benchmark(config_);
    const Status s = benchmark.Run();
    EXPECT_TRUE(s.ok()) << s.ToString();
    return nlohmann::json::parse(ToJson(benchmark.report()));
  }

  const std::filesystem::path root_;
  BenchConfig config_;
};

TEST_F(BenchmarkTest, EveryMixVerifies) {
  for (const char* mix :
       {"RO", "RW", "WH", "UH", "A", "B", "C", "D", "E", "F"}) {
    SCOPED_TRACE(mix);
    config_.mix = mix;
    const nlohmann::json result = RunBenchmark();
    EXPECT_EQ(result["errors"], 0) << result["error_samples"];
    EXPECT_EQ(result["operations"], config_.run_ops);
    EXPECT_GE(result["verified_keys"], config_.records);
    EXPECT_GT(result["throughput"], 0);
  }
}

TEST_F(BenchmarkTest, OperationsASecondAreLimited) {
  config_.mix = "RO";
  config_.run_ops = 1000;
  config_.ops_per_sec = 2000;
  const nlohmann::json result = RunBenchmark();
  EXPECT_EQ(result["operations"], config_.run_ops);
  EXPECT_GE(result["secs"], 0.3);
}

TEST_F(BenchmarkTest, AShortRunHasAFinalTenth) {
  config_.mix = "RO";
  config_.threads = 1;
  config_.run_ops = 500;
  const nlohmann::json result = RunBenchmark();
  const double final_secs = result["final_secs"];
  EXPECT_GT(final_secs, 0);
  EXPECT_NEAR(result["final_throughput"].get<double>() * final_secs, 50, 1e-3);
}

TEST_F(BenchmarkTest, SaysWhenItWasAndHowFarCompactionsAreBehind) {
  config_.mix = "WH";
  config_.run_ops = 3000;
  config_.ops_per_sec = 2000;
  const nlohmann::json result = RunBenchmark();
  // The start is after 2020; the final tenth is part of the run.
  EXPECT_GT(result["start_unix_secs"], 1.5e9);
  EXPECT_GT(result["final_secs"], 0);
  EXPECT_LT(result["final_secs"], result["secs"]);
  ASSERT_FALSE(result["timeline"].empty());
  for (const auto& point : result["timeline"]) {
    EXPECT_TRUE(point.contains("compaction_debt_bytes"));
    EXPECT_EQ(point["delayed_write_bytes_per_sec"], 0);
  }
}

TEST_F(BenchmarkTest, ReadsAreCountedByTier) {
  config_.mix = "RO";
  config_.distribution = "uniform";
  // Reads through snapshots count as hits in levels, but not as gets.
  config_.verify_snapshots = false;
  const nlohmann::json result = RunBenchmark();
  EXPECT_EQ(result["first_slow_level"], 3);
  EXPECT_EQ(result["gets"], 5000);
  EXPECT_EQ(result["gets_found"], 5000);
  // A tenth of the data is on the fast tier; less while levels fill.
  EXPECT_GT(result["fast_hit_rate"], 0.005);
  EXPECT_LT(result["fast_hit_rate"], 0.3);
  const auto& hits = result["hits"];
  EXPECT_EQ(hits["memory"].get<int>() + hits["fast_levels"].get<int>() +
                hits["slow_levels"].get<int>(),
            5000);
  EXPECT_GT(hits["slow_levels"], 3500);
  EXPECT_GT(result["io"]["slow"]["reads"], 3500);
  EXPECT_GT(result["path_bytes"]["slow"], result["path_bytes"]["fast"]);
}

TEST_F(BenchmarkTest, MultiGetVerifies) {
  config_.mix = "UH";
  config_.multiget = 8;
  const nlohmann::json result = RunBenchmark();
  EXPECT_EQ(result["errors"], 0) << result["error_samples"];
  EXPECT_GT(result["gets"], 15000);
}

TEST_F(BenchmarkTest, FindsAKeyThatAnExistingDbHasLost) {
  config_.mix = "UH";
  EXPECT_EQ(RunBenchmark()["errors"], 0);

  config_.existing_db = true;
  EXPECT_EQ(RunBenchmark()["errors"], 0);

  {
    std::unique_ptr<BenchDb> bench_db;
    ASSERT_TRUE(BenchDb::Open(config_, &bench_db).ok());
    std::string key;
    SyntheticKeySpace(config_.key_bytes).KeyOf(7, &key);
    ASSERT_TRUE(bench_db->db()->Delete(WriteOptions(), key).ok());
    ASSERT_TRUE(bench_db->Close().ok());
  }
  Benchmark benchmark(config_);
  EXPECT_TRUE(benchmark.Run().IsCorruption());
}

TEST_F(BenchmarkTest, PhasesFollowEachOther) {
  config_.mix = "RO";
  config_.run_ops = 1000;
  config_.phases =
      "{distribution=uniform}:{hotspot_fraction=0.01;ops=2000;mix=UH}:"
      "{hotspot_fraction=0.01;hotspot_start=0.5;name=shifted}";
  const nlohmann::json result = RunBenchmark();
  EXPECT_EQ(result["errors"], 0) << result["error_samples"];
  EXPECT_EQ(result["operations"], 4000);
  const auto& phases = result["phases"];
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_EQ(phases[0]["name"], "uniform");
  EXPECT_EQ(phases[0]["hotspot_bytes"], 0);
  EXPECT_EQ(phases[0]["written_user_bytes"], 0);
  EXPECT_EQ(phases[1]["operations"], 2000);
  EXPECT_EQ(phases[1]["hotspot_bytes"], 200 * 1024);
  EXPECT_GT(phases[1]["written_user_bytes"], 800 * 1024);
  EXPECT_EQ(phases[1]["written_user_bytes"], result["written_user_bytes"]);
  EXPECT_EQ(phases[2]["name"], "shifted");
  EXPECT_EQ(phases[2]["operations"], 1000);
}

TEST_F(BenchmarkTest, TheOracleStandsBesideTheHitRate) {
  config_.mix = "RO";
  config_.verify_snapshots = false;
  config_.phases = "{distribution=uniform}:{distribution=hotspot;ops=15000}";
  const nlohmann::json result = RunBenchmark();
  // 3 of 20 MB are the fast tier and the block cache.
  const double placed = static_cast<double>(3 << 20) / (20000 * 1024);
  const auto& uniform = result["phases"][0]["oracle"];
  EXPECT_EQ(uniform["basis"], "distribution");
  EXPECT_EQ(uniform["placed_bytes"], 3 << 20);
  EXPECT_GT(uniform["memtable_bytes"], 0);
  EXPECT_NEAR(uniform["whole"]["hit_rate"], placed, 1e-6);
  EXPECT_NEAR(uniform["whole"]["block_cache_hit_rate"]["4096"], placed, 1e-3);
  const double hotspot = 0.95 + 0.05 * (placed - 0.05) / 0.95;
  EXPECT_NEAR(result["phases"][1]["oracle"]["final"]["hit_rate"], hotspot,
              1e-6);
  const auto& total = result["oracle"];
  EXPECT_NEAR(total["whole"]["hit_rate"], (placed + 3 * hotspot) / 4, 1e-6);
  EXPECT_NEAR(total["final"]["hit_rate"], hotspot, 1e-6);
  EXPECT_NEAR(total["final_points_below"],
              100 * (hotspot - result["final_fast_hit_rate"].get<double>()),
              1e-6);
  EXPECT_GT(result["peak_rss_bytes"], 1 << 20);

  config_.oracle_max_keys = config_.records - 1;
  config_.phases.clear();
  EXPECT_FALSE(RunBenchmark().contains("oracle"));
}

TEST_F(BenchmarkTest, TheOracleAloneNeedsNoDisk) {
  config_.mix = "D";
  config_.oracle_only = true;
  nlohmann::json result = RunBenchmark();
  EXPECT_FALSE(std::filesystem::exists(root_));
  EXPECT_FALSE(result.contains("operations"));
  const auto& latest = result["oracle"];
  EXPECT_GT(latest["final"]["hit_rate"], 0.7);
  EXPECT_LT(latest["final"]["hit_rate"], 1);
  // Blocks of what is being inserted are not known.
  EXPECT_FALSE(latest["final"].contains("block_cache_hit_rate"));
  EXPECT_FALSE(latest.contains("final_points_below"));

  config_.phases = "{distribution=uniform;mix=RO}:{distribution=hotspot}";
  result = RunBenchmark();
  EXPECT_FALSE(result.contains("oracle"));
  EXPECT_LT(result["phases"][0]["oracle"]["final"]["hit_rate"],
            result["phases"][1]["oracle"]["final"]["hit_rate"]);
}

TEST_F(BenchmarkTest, ATraceHasWindows) {
  std::filesystem::create_directories(root_);
  config_.trace = root_ / "trace.csv";
  config_.trace_format = "twitter";
  config_.trace_value_divisor = 1;
  config_.verify = false;
  config_.run_ops = 0;
  {
    std::ofstream file(config_.trace);
    for (int i = 0; i < 2000; ++i) {
      file << i << ",key" << i % 100 << ",5,1000,0,get,0\n";
    }
  }
  const nlohmann::json result = RunBenchmark();
  EXPECT_EQ(result["operations"], 2000);
  EXPECT_EQ(result["oracle"]["basis"], "hindsight");
  // All 100 records fit.
  EXPECT_EQ(result["oracle"]["whole"]["hit_rate"], 1);
  ASSERT_EQ(result["oracle"]["windows"].size(), 10u);
  for (const auto& window : result["oracle"]["windows"]) {
    EXPECT_EQ(window["operations"], 200);
    EXPECT_EQ(window["reads"], 200);
    EXPECT_EQ(window["hit_rate"], 1);
  }
}

TEST_F(BenchmarkTest, WritesAreCountedByTierAndPurpose) {
  config_.mix = "WH";
  config_.run_ops = 40000;
  // Writers must wait for compactions, or all compaction work would remain.
  config_.options =
      "level0_stop_writes_trigger=8;hard_pending_compaction_bytes_limit="
      "4000000";
  config_.verify = false;
  config_.verify_snapshots = false;
  const nlohmann::json result = RunBenchmark();
  EXPECT_GT(result["written_user_bytes"], 19000 * 1024);
  // Every table byte is written for one purpose, on one tier.
  uint64_t table_bytes = 0;
  for (const char* tier : {"fast", "slow"}) {
    const auto& io = result["io"][tier];
    uint64_t written = 0;
    for (const auto& [purpose, bytes] : io["by_purpose"].items()) {
      written += bytes["written_bytes"].get<uint64_t>();
    }
    EXPECT_EQ(io["written_bytes"], written);
    table_bytes +=
        io["by_purpose"]["flush"]["written_bytes"].get<uint64_t>() +
        io["by_purpose"]["compaction"]["written_bytes"].get<uint64_t>();
    EXPECT_EQ(result["compactions"]["driver"][tier]["written_bytes"],
              io["by_purpose"]["compaction"]["written_bytes"]);
    EXPECT_GT(result["compactions"]["driver"][tier]["written_bytes"], 0);
    EXPECT_GT(result["compactions"]["engine"][tier]["written_bytes"], 0);
  }
  EXPECT_EQ(result["io"]["slow"]["by_purpose"]["flush"]["written_bytes"], 0);
  EXPECT_GT(result["io"]["fast"]["by_purpose"]["other"]["written_bytes"],
            result["written_user_bytes"]);
  EXPECT_EQ(result["table_written_bytes"], table_bytes);
  EXPECT_GT(result["write_amplification"], 2);
}

TEST_F(BenchmarkTest, VerifiesBesideCompactRange) {
  config_.mix = "UH";
  config_.compact_range_secs = 1;
  config_.max_subcompactions = 4;
  const nlohmann::json result = RunBenchmark();
  EXPECT_EQ(result["errors"], 0) << result["error_samples"];
  EXPECT_GE(result["compact_ranges"], 1);
}

TEST_F(BenchmarkTest, AFlushThatFailedIsAnError) {
  // Not with the table files, whose writes will fail.
  config_.db_options = "wal_dir=" + (root_ / "wal").string();
  std::unique_ptr<BenchDb> bench_db;
  ASSERT_TRUE(BenchDb::Open(config_, &bench_db).ok());
  EXPECT_TRUE(bench_db->CheckBackgroundErrors().ok());
  ASSERT_TRUE(bench_db->db()->Put(WriteOptions(), "key", "value").ok());
  std::filesystem::remove_all(config_.fast_path);
  EXPECT_FALSE(bench_db->db()->Flush(FlushOptions()).ok());
  EXPECT_TRUE(bench_db->CheckBackgroundErrors().IsIOError());
}

TEST_F(BenchmarkTest, RefusesWhatItDoesNotKnow) {
  config_.mix = "XX";
  EXPECT_TRUE(Benchmark(config_).Run().IsInvalidArgument());
  config_.mix = "RO";
  config_.throttle = "floppy";
  EXPECT_TRUE(Benchmark(config_).Run().IsInvalidArgument());
  config_.throttle.clear();
  config_.phases = "{secs=1}:{seconds=1}";
  EXPECT_TRUE(Benchmark(config_).Run().IsInvalidArgument());
  config_.phases.clear();
  config_.options = "no_such_option=1";
  EXPECT_TRUE(Benchmark(config_).Run().IsInvalidArgument());
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

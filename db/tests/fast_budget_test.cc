//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests that the fast path stays within its budget while more is written than
// it holds, as fast as the DB takes it: what lies there is sampled all the
// time. And that hot records are still there afterwards, that nobody waits for
// ever, and who hears of it.

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "db/version_set.h"
#include "plugin/hotrap/db/budget/fast_ledger.h"
#include "plugin/hotrap/test_util/hotrap_db_test_base.h"
#include "rocksdb/hotrap_listener.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr int kLastFastLevel = 2;
constexpr uint64_t kBudget = 12 << 20;
constexpr uint64_t kFile = 128 << 10;
constexpr int kValueBytes = 1000;
// Ten budgets.
constexpr int kBurst = static_cast<int>(10 * kBudget / kValueBytes);

// Notes the largest output of a compaction within the tier, and stalls.
class Listener : public HotRapListener {
 public:
  const char* Name() const override { return "ListenerOfTheTest"; }

#if ROCKSDB_MAJOR >= 11
  void OnCompactionPreCommit(DB* db,
                             const CompactionJobInfo& /*info*/) override {
    if (pre_commit) {
      pre_commit(db);
    }
  }
#endif
  void OnFlushCompleted(DB* db, const FlushJobInfo& /*info*/) override {
    if (flushed) {
      flushed(db);
    }
  }
  void OnCompactionCompleted(DB* db, const CompactionJobInfo& info) override {
    if (completed) {
      completed(db);
    }
    if (info.output_level <= kLastFastLevel) {
      const uint64_t bytes =
          std::max(info.stats.total_output_bytes, info.stats.total_input_bytes);
      std::lock_guard<std::mutex> lock(mutex_);
      largest_ = std::max(largest_, bytes);
    }
  }
  void OnHotRapWriteStall(DB* /*db*/,
                          const HotRapWriteStallInfo& info) override {
    std::lock_guard<std::mutex> lock(mutex_);
    stalls_.push_back(info);
  }

  std::function<void(DB*)> pre_commit;
  std::function<void(DB*)> completed;
  std::function<void(DB*)> flushed;

  uint64_t largest() {
    std::lock_guard<std::mutex> lock(mutex_);
    return largest_;
  }
  std::vector<HotRapWriteStallInfo> stalls() {
    std::lock_guard<std::mutex> lock(mutex_);
    return stalls_;
  }

 private:
  std::mutex mutex_;
  uint64_t largest_ = 0;
  std::vector<HotRapWriteStallInfo> stalls_;
};

}  // namespace

class FastBudgetTest : public HotRapDBTestBase {
 public:
  FastBudgetTest() : HotRapDBTestBase("fast_budget_test") {}
  ~FastBudgetTest() override { StopSampling(); }

  // L0, L1 and L2 are fast.
  Options BudgetOptions() {
    Options options = HotRapOptionsForTest();
    options.write_buffer_size = kFile;
    options.target_file_size_base = kFile;
    options.max_bytes_for_level_base = 2 * kFile;
    options.max_bytes_for_level_multiplier = 10;
    options.max_background_jobs = 4;
    options.db_paths[0].target_size = kBudget;
    listener_ = std::make_shared<Listener>();
    options.listeners = {listener_};
    return options;
  }

  // Tables, whole or not, and RALT's files.
  uint64_t BytesOnFastPath() {
    uint64_t sum = 0;
    std::vector<std::string> folders = {FastPath()};
    for (size_t i = 0; i < folders.size(); i++) {
      std::vector<std::string> children;
      env_->GetChildren(folders[i], &children).PermitUncheckedError();
      for (const std::string& child : children) {
        const std::string name = folders[i] + "/" + child;
        uint64_t bytes = 0;
        if (Slice(child).starts_with("hotrap.ralt.")) {
          folders.push_back(name);
        } else if ((i > 0 || Slice(child).ends_with(".sst")) &&
                   env_->GetFileSize(name, &bytes).ok()) {
          sum += bytes;
        }
      }
    }
    return sum;
  }

  void StartSampling() {
    most_.store(0);
    stop_.store(false);
    sampler_ = std::thread([this] {
      while (!stop_.load()) {
        most_.store(std::max(most_.load(), BytesOnFastPath()));
        env_->SleepForMicroseconds(2000);
      }
    });
  }
  void StopSampling() {
    stop_.store(true);
    if (sampler_.joinable()) {
      sampler_.join();
    }
  }

  // The budget, what one compaction writes beside its inputs, and tables of a
  // crossing that are about to be deleted.
  void ExpectWithinBudget() {
    EXPECT_LE(most_.load(), kBudget + listener_->largest() + 4 * kFile);
    EXPECT_GT(most_.load(), kBudget / 3);
  }

  // In an order that makes every file overlap all others.
  void Burst(int puts, ColumnFamilyHandle* cf = nullptr) {
    Random rnd(301);
    for (int i = 0; i < puts; i++) {
      const int key = static_cast<int>(int64_t{i} * 7919 % puts);
      ASSERT_OK(db_->Put(WriteOptions(),
                         cf != nullptr ? cf : db_->DefaultColumnFamily(),
                         Key(key) + "cold", rnd.RandomString(kValueBytes)));
    }
  }

  std::map<std::string, std::string> Stats() {
    std::map<std::string, std::string> stats;
    EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
    return stats;
  }

  // Only the budget holds up writes. There are as many threads for compactions
  // as a test needs.
  Options OptionsForListeners(int max_background_jobs) {
    Options options = BudgetOptions();
    options.level0_slowdown_writes_trigger = 1000;
    options.level0_stop_writes_trigger = 1000;
    options.max_write_buffer_number = 16;
    options.max_background_jobs = max_background_jobs;
    return options;
  }

  // Writes until a listener, called at `when`, has written or flushed at a
  // time when the budget held writes up. With `state`, the first one called
  // waits until the budget does that to writes; else it is one that finds them
  // held up.
  void ActWhileHeldUp(const Options& options,
                      std::function<void(DB*)> Listener::*when, bool flushes,
                      const std::string& state) {
    std::atomic<bool> begun{false};
    std::atomic<bool> done{false};
    std::atomic<bool> over{false};
    const auto writes = [](DB* db) {
      std::map<std::string, std::string> stats;
      EXPECT_TRUE(db->GetMapProperty(kHotRapStatsProperty, &stats));
      return stats["fast_path_writes"];
    };
    listener_.get()->*when = [&](DB* db) {
      if ((state.empty() && writes(db).empty()) || begun.exchange(true)) {
        return;
      }
      while (!state.empty() && writes(db) != state && !over.load()) {
        env_->SleepForMicroseconds(1000);
      }
      if (flushes) {
        FlushOptions flush_options;
        // There may be no other thread for flushes.
        flush_options.wait = when != &Listener::flushed;
        EXPECT_OK(db->Flush(flush_options));
      } else {
        EXPECT_OK(db->Put(WriteOptions(), "listener", "was here"));
      }
      done.store(true);
    };
    DestroyAndReopen(options);
    Random rnd(301);
    for (int i = 0; i < kBurst && !done.load(); i++) {
      const int key = static_cast<int>(int64_t{i} * 7919 % kBurst);
      EXPECT_OK(Put(Key(key), rnd.RandomString(kValueBytes)));
    }
    EXPECT_TRUE(done.load());
    over.store(true);
    EXPECT_OK(db_->WaitForCompact(WaitForCompactOptions()));
    EXPECT_EQ(flushes ? "NOT_FOUND" : "was here", Get("listener"));
    Close();
    listener_.get()->*when = nullptr;
  }

 protected:
  std::shared_ptr<Listener> listener_;
  std::thread sampler_;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> most_{0};
};

TEST_F(FastBudgetTest, ABurstStaysWithinTheBudget) {
  DestroyAndReopen(BudgetOptions());
  ASSERT_EQ(kLastFastLevel + 1, Tier()->first_slow_level());
  StartSampling();
  ASSERT_NO_FATAL_FAILURE(Burst(kBurst));
  StopSampling();
  EXPECT_EQ(std::to_string(kBudget), Stats()["fast_path_limit_bytes"]);
  ExpectWithinBudget();
  ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  EXPECT_LE(BytesOnFastPath(), kBudget);
}

TEST_F(FastBudgetTest, HotRecordsSurviveABurst) {
  DestroyAndReopen(BudgetOptions());
  Random rnd(1);
  std::vector<std::string> hot;
  for (int i = 0; i < kBurst; i += kBurst / 500) {
    hot.push_back(Key(i));
    ASSERT_OK(Put(hot.back(), rnd.RandomString(kValueBytes)));
  }
  ASSERT_NO_FATAL_FAILURE(MakeHot(hot));
  ASSERT_NO_FATAL_FAILURE(Burst(kBurst));
  ASSERT_OK(Flush());
  ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  const uint64_t fast_before = Counter(HotRapCounter::kHitsFast);
  for (const std::string& key : hot) {
    ASSERT_NE("NOT_FOUND", Get(key));
  }
  EXPECT_GE(Counter(HotRapCounter::kHitsFast) - fast_before,
            hot.size() * 98 / 100);
}

TEST_F(FastBudgetTest, ColumnFamiliesShareIt) {
  const Options options = BudgetOptions();
  DestroyAndReopen(options);
  EXPECT_EQ(std::to_string(kBudget), Stats()["fast_share_bytes"]);
  CreateColumnFamilies({"a", "b", "c", "d", "e"}, options);
  StartSampling();
  for (ColumnFamilyHandle* cf : handles_) {
    ASSERT_NO_FATAL_FAILURE(Burst(kBurst / 4, cf));
  }
  ASSERT_NO_FATAL_FAILURE(Burst(kBurst / 4));
  StopSampling();
  // Twelve memtables are much for it, levels that got smaller shares are not.
  EXPECT_LE(std::stoull(Stats()["fast_path_limit_bytes"]), kBudget * 11 / 10);
  ExpectWithinBudget();
  uint64_t shares = 0;
  for (ColumnFamilyHandle* cf : handles_) {
    shares += Tier(cf)->sizes().share_bytes();
  }
  EXPECT_LT(shares, kBudget);
  EXPECT_GT(shares, kBudget / 2);
}

// It had the path for itself, and writes nothing any more.
TEST_F(FastBudgetTest, AnIdleColumnFamilyGivesUpWhatOthersNeed) {
  const Options options = BudgetOptions();
  DestroyAndReopen(options);
  const uint32_t id = db_->DefaultColumnFamily()->GetID();
  const auto bytes = [&] { return Tier()->sizes().ledger()->TableBytes(id); };
  ASSERT_NO_FATAL_FAILURE(Burst(kBurst / 8));
  ASSERT_OK(Flush());
  ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  ASSERT_GT(bytes(), kBudget / 2);
  CreateColumnFamilies({"a"}, options);
  ASSERT_OK(db_->SetOptions(handles_[0], {{"hotrap.min_fast_budget_bytes",
                                           std::to_string(kBudget * 3 / 4)}}));
  EXPECT_LT(Tier()->sizes().share_bytes(), kBudget / 3);
  for (int i = 0; bytes() > kBudget / 3; i++) {
    ASSERT_LT(i, 60000);
    env_->SleepForMicroseconds(1000);
  }
}

TEST_F(FastBudgetTest, AColumnFamilyMayAskForALeast) {
  const Options options = BudgetOptions();
  DestroyAndReopen(options);
  CreateColumnFamilies({"a", "b"}, options);
  const auto share = [&] { return Tier(handles_[0])->sizes().share_bytes(); };
  EXPECT_LT(share(), kBudget / 2);
  ASSERT_OK(db_->SetOptions(handles_[0], {{"hotrap.min_fast_budget_bytes",
                                           std::to_string(kBudget / 2)}}));
  EXPECT_GE(share(), kBudget / 2);
  EXPECT_LT(share(), kBudget);
  ASSERT_OK(
      db_->SetOptions(handles_[0], {{"hotrap.min_fast_budget_bytes", "0"}}));
  EXPECT_LT(share(), kBudget / 2);
}

// One folder, as two column families name it.
TEST_F(FastBudgetTest, ASlashMakesNoOtherPath) {
  Options options = BudgetOptions();
  DestroyAndReopen(options);
  options.cf_paths = options.db_paths;
  options.cf_paths[0].path += "/";
  CreateColumnFamilies({"a"}, options);
  EXPECT_EQ(Tier()->sizes().ledger(), Tier(handles_[0])->sizes().ledger());
  for (const char* value : {"1", "2"}) {
    ASSERT_OK(db_->Put(WriteOptions(), handles_[0], "a", value));
    ASSERT_OK(db_->Flush(FlushOptions(), handles_[0]));
  }
  ASSERT_OK(db_->DisableFileDeletions());
  ASSERT_OK(CompactLevel(db_, handles_[0], 0, 1));
  EXPECT_NE("0", Stats()["fast_path_leaving_bytes"]);
  ASSERT_OK(db_->EnableFileDeletions());
}

// Each has its first path, and writes are as fast as the fuller one allows.
TEST_F(FastBudgetTest, WritesAreFreeAgainWithSeveralFastPaths) {
  Options options = BudgetOptions();
  DestroyAndReopen(options);
  options.cf_paths = options.db_paths;
  options.cf_paths[0].path += "2";
  CreateColumnFamilies({"a"}, options);
  EXPECT_NE(Tier()->sizes().ledger(), Tier(handles_[0])->sizes().ledger());
  ASSERT_NO_FATAL_FAILURE(Burst(kBurst / 4));
  ASSERT_NO_FATAL_FAILURE(Burst(kBurst / 4, handles_[0]));
  ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  for (int i = 0; Stats()["fast_path_writes"] != ""; i++) {
    ASSERT_LT(i, 60000);
    env_->SleepForMicroseconds(1000);
  }
}

// Tables that an iterator keeps cannot be deleted, and the one who holds it may
// be the one who writes.
TEST_F(FastBudgetTest, WritesGoOnBesideAnIterator) {
  DestroyAndReopen(BudgetOptions());
  ASSERT_NO_FATAL_FAILURE(Burst(kBurst / 8));
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  ASSERT_NO_FATAL_FAILURE(Burst(kBurst / 4));
  ASSERT_TRUE(it->Valid());
  it.reset();
}

// HotRAP is on and inactive; or nothing is compacted but by hand.
TEST_F(FastBudgetTest, WhatLeavesSlowsNobodyWhereNothingIsLimited) {
  for (const bool one_path : {true, false}) {
    Options options = BudgetOptions();
    options.disable_auto_compactions = true;
    if (one_path) {
      options.db_paths.resize(1);
    }
    DestroyAndReopen(options);
    ASSERT_OK(db_->DisableFileDeletions());
    ASSERT_NO_FATAL_FAILURE(Burst(2000));
    ASSERT_OK(Flush());
    ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, 1));
    ASSERT_OK(Put("a", "b"));
    ASSERT_OK(Flush());
    EXPECT_NE("0", Stats()["fast_path_leaving_bytes"]);
    EXPECT_EQ("", Stats()["fast_path_writes"]);
    ASSERT_OK(db_->EnableFileDeletions());
  }
}

// With what holds deletions, as a backup does.
TEST_F(FastBudgetTest, WritesGoOnWhileNothingIsDeleted) {
  DestroyAndReopen(BudgetOptions());
  ASSERT_OK(db_->DisableFileDeletions());
  ASSERT_NO_FATAL_FAILURE(Burst(kBurst / 8));
  EXPECT_GT(std::stoull(Stats()["fast_path_leaving_bytes"]), 0u);
  ASSERT_OK(db_->EnableFileDeletions());
  ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  ASSERT_OK(Put("a", "b"));
  ASSERT_OK(Flush());
  for (int i = 0; Stats()["fast_path_leaving_bytes"] != "0"; i++) {
    ASSERT_LT(i, 10000);
    ASSERT_OK(Put("a", "b"));
    ASSERT_OK(Flush());
    env_->SleepForMicroseconds(1000);
  }
}

TEST_F(FastBudgetTest, ItIsToldAndCounted) {
  DestroyAndReopen(BudgetOptions());
  ASSERT_NO_FATAL_FAILURE(Burst(kBurst / 2));
  ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  for (int i = 0; Stats()["fast_path_writes"] != ""; i++) {
    ASSERT_LT(i, 60000);
    env_->SleepForMicroseconds(1000);
  }
  while (Tier()->jobs().busy()) {
    env_->SleepForMicroseconds(1000);
  }
  const auto stalls = listener_->stalls();
  ASSERT_GE(stalls.size(), 2u);
  EXPECT_EQ(WriteStallCondition::kNormal, stalls.front().before);
  EXPECT_EQ(WriteStallCondition::kNormal, stalls.back().condition);
  EXPECT_EQ("default", stalls.front().cf_name);
  EXPECT_EQ(kBudget, stalls.front().limit_bytes);
  EXPECT_GT(stalls.front().fast_bytes, kBudget / 2);
  EXPECT_GT(Counter(HotRapCounter::kBudgetDelays), 0u);
  EXPECT_GT(Counter(HotRapCounter::kBudgetStallMicros), 0u);
  EXPECT_NE("0", Stats()["fast_path_drain_rate"]);
}

// A budget that is lowered holds up nobody.
TEST_F(FastBudgetTest, ALoweredBudgetIsNoBurst) {
  Options options = BudgetOptions();
  options.db_paths[0].target_size = 4 * kBudget;
  DestroyAndReopen(options);
  ASSERT_NO_FATAL_FAILURE(Burst(kBurst / 2));
  ASSERT_OK(Flush());
  ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  ASSERT_GT(BytesOnFastPath(), 2 * kBudget);
  const uint64_t stops = Counter(HotRapCounter::kBudgetStops);
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=true;fast_budget_bytes=" +
                                            std::to_string(kBudget) + "}"}}));
  ASSERT_OK(Put("a", "b"));
  EXPECT_EQ("", Stats()["fast_path_writes"]);
  EXPECT_EQ(stops, Counter(HotRapCounter::kBudgetStops));
}

TEST_F(FastBudgetTest, RoomIsGivenBackBeforeListenersHear) {
  DestroyAndReopen(BudgetOptions());
  // The test's compactions are the only ones.
  std::atomic<int> heard{0};
  listener_->completed = [&](DB* db) {
    heard.fetch_add(1);
    uint64_t bytes = 1;
    EXPECT_TRUE(db->GetIntProperty(
        std::string(kHotRapStatsProperty) + ".fast_path_output_bytes", &bytes));
    EXPECT_EQ(0u, bytes);
    EXPECT_FALSE(Tier()->sizes().ledger()->drain().drains());
  };
  ASSERT_NO_FATAL_FAILURE(Burst(150));
  ASSERT_OK(Flush());
  // CompactFiles() tells no listener, and a trivial move needs no room.
  CompactRangeOptions force;
  force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_OK(db_->CompactRange(force, nullptr, nullptr));
  EXPECT_GT(heard.load(), 0);
  listener_->completed = nullptr;
}

// If writes waited for what waits for the listener, these would hang. The only
// thread for compactions waits for a write, or for a flush that waits for one:
// nothing empties the path, which is full then.
#if ROCKSDB_MAJOR >= 11
TEST_F(FastBudgetTest, AListenerMayWriteBeforeItsCompactionIsInstalled) {
  for (const bool flushes : {false, true}) {
    // The compaction counts as one that makes room.
    ActWhileHeldUp(OptionsForListeners(2), &Listener::pre_commit, flushes,
                   "stopped");
  }
}
#endif

TEST_F(FastBudgetTest, AListenerMayWriteWhenItsCompactionIsInstalled) {
  for (const bool flushes : {false, true}) {
    ActWhileHeldUp(OptionsForListeners(2), &Listener::completed, flushes,
                   "delayed");
  }
}

// It has one of two threads for flushes: with one, what RocksDB's own stalls
// wait for would wait for the listener.
TEST_F(FastBudgetTest, AListenerOfAFlushMayWrite) {
  for (const bool flushes : {false, true}) {
    ActWhileHeldUp(OptionsForListeners(8), &Listener::flushed, flushes, "");
  }
}

TEST_F(FastBudgetTest, CrossingsComeFirst) {
  Options options = BudgetOptions();
  options.disable_auto_compactions = true;
  options.level0_slowdown_writes_trigger = 1000;
  options.level0_stop_writes_trigger = 1000;
  DestroyAndReopen(options);
  ASSERT_NO_FATAL_FAILURE(Burst(static_cast<int>(kBudget / kValueBytes)));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
  for (int i = 0; i < 20; i++) {
    ASSERT_OK(Put(Key(i), "x"));
    ASSERT_OK(Put(Key(kBurst - i), "x"));
    ASSERT_OK(Flush());
  }
  const VersionStorageInfo& storage = *Tier()->cfd()->current()->storage_info();
  ASSERT_GT(storage.NumLevelBytes(kLastFastLevel),
            Tier()->sizes().last_target_bytes());
  // L0 has five times its trigger, the last fast level not twice its target.
  EXPECT_EQ(kLastFastLevel, storage.CompactionScoreLevel(0));
  EXPECT_EQ(0, storage.CompactionScoreLevel(1));
  EXPECT_GE(storage.CompactionScore(1), 5);
}

// After a budget was lowered, crossings have one file of debt at any time.
TEST_F(FastBudgetTest, L0ComesBeforeWhatALoweredBudgetLeaves) {
  Options options = BudgetOptions();
  options.disable_auto_compactions = true;
  options.max_bytes_for_level_multiplier = 100;
  options.db_paths[0].target_size = 4 * kBudget;
  DestroyAndReopen(options);
  ASSERT_NO_FATAL_FAILURE(Burst(static_cast<int>(2 * kBudget / kValueBytes)));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=true;fast_budget_bytes=" +
                                            std::to_string(kBudget) + "}"}}));
  ASSERT_EQ(kLastFastLevel + 1, Tier()->first_slow_level());
  Random rnd(1);
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 100; j++) {
      ASSERT_OK(Put(Key(j), rnd.RandomString(kValueBytes)));
    }
    ASSERT_OK(Flush());
  }
  const VersionStorageInfo& storage = *Tier()->cfd()->current()->storage_info();
  EXPECT_EQ(0, storage.CompactionScoreLevel(0));
  EXPECT_EQ(kLastFastLevel, storage.CompactionScoreLevel(1));
  EXPECT_GT(storage.CompactionScore(1), 1);
}

TEST_F(FastBudgetTest, OffIsOff) {
  Options options = BudgetOptions();
  options.hotrap.enabled = false;
  DestroyAndReopen(options);
  ASSERT_NO_FATAL_FAILURE(Burst(kBurst / 4));
  EXPECT_EQ(nullptr, Tier());
  EXPECT_TRUE(listener_->stalls().empty());
}

}  // namespace ROCKSDB_NAMESPACE

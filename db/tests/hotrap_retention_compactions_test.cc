//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests retention in every kind of compaction that crosses the tiers: how it is
// started, which levels it covers, how it is divided, and that it ends.

#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"

namespace ROCKSDB_NAMESPACE {

// Moves forward on request.
class ShiftedClock : public SystemClockWrapper {
 public:
  using SystemClockWrapper::SystemClockWrapper;
  const char* Name() const override { return "ShiftedClock"; }
  Status GetCurrentTime(int64_t* unix_time_secs) override {
    const Status s = SystemClockWrapper::GetCurrentTime(unix_time_secs);
    *unix_time_secs += shift_secs_.load();
    return s;
  }
  void Advance(int64_t secs) { shift_secs_ += secs; }

 private:
  std::atomic<int64_t> shift_secs_{0};
};

class HotRapRetentionCompactionsTest : public HotRapCrossingTestBase {
 public:
  HotRapRetentionCompactionsTest()
      : HotRapCrossingTestBase("hotrap_retention_compactions_test"),
        clock_(std::make_shared<ShiftedClock>(env_->GetSystemClock())),
        shifted_env_(
            std::make_unique<CompositeEnvWrapper>(gated_env_.get(), clock_)) {}
  ~HotRapRetentionCompactionsTest() override { Close(); }

  // `count` keys, written with Put().
  static constexpr int kManyBegin = 10000;
  static std::vector<std::string> Many(int count) {
    return Keys(kManyBegin, kManyBegin + count);
  }
  void PutMany(int count, int version) {
    ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), kManyBegin,
                         kManyBegin + count, version));
  }
  void ExpectMany(int count, int version) {
    for (int i = kManyBegin; i < kManyBegin + count; i++) {
      ASSERT_EQ(Value(i, version), Get(Key(i)));
    }
    ExpectScans(Many(count));
  }

  uint64_t BytesAtLevel(int level) {
    uint64_t bytes = 0;
    for (const auto& file : FilesAtLevel(level)) {
      bytes += file.size;
    }
    return bytes;
  }

  // Returns into how many subcompactions compactions were divided.
  HistogramData Subcompactions() {
    HistogramData data;
    db_->GetOptions().statistics->histogramData(NUM_SUBCOMPACTIONS_SCHEDULED,
                                                &data);
    return data;
  }

  // Makes the DB recompute all scores and schedule work. `i` must differ from
  // that of the previous call.
  void LookForWork(int i) {
    ASSERT_OK(db_->SetOptions(
        {{"max_compaction_bytes", std::to_string((2 + i % 2) << 20)}}));
    WaitForRest();
  }

  // Expects that nothing is written without requests, however often the DB
  // looks for work.
  void ExpectIdle() {
    // When a version is created, the last fast level shrinks by what RALT's
    // files have grown.
    ASSERT_OK(Tier()->ralt()->WaitForIdle());
    ASSERT_NO_FATAL_FAILURE(LookForWork(1));
    const uint64_t written = Ticker(COMPACT_WRITE_BYTES);
    const uint64_t read = Ticker(COMPACT_READ_BYTES);
    for (int i = 0; i < 5; i++) {
      ASSERT_NO_FATAL_FAILURE(LookForWork(i));
    }
    EXPECT_EQ(written, Ticker(COMPACT_WRITE_BYTES));
    EXPECT_EQ(read, Ticker(COMPACT_READ_BYTES));
  }

 protected:
  const std::shared_ptr<ShiftedClock> clock_;
  const std::unique_ptr<Env> shifted_env_;
};

// ---- Levels ----------------------------------------------------------------

TEST_F(HotRapRetentionCompactionsTest, FromLevel0AndOverSeveralLevels) {
  struct Case {
    int from;
    int to;
  };
  for (const Case& c :
       {Case{0, 2}, Case{0, 3}, Case{0, 4}, Case{1, 3}, Case{1, 4}}) {
    SCOPED_TRACE(std::to_string(c.from) + " to " + std::to_string(c.to));
    DestroyAndReopen(CrossingOptions());
    ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
    LoadFast();
    // Each level in between has data: version 1 in L3, 2 in L2, 3 in L1, 4 in
    // L0.
    ASSERT_OK(CompactLevel(db_, cf, kLastFastLevel, kFirstSlowLevel));
    ASSERT_OK(PutVersion(db_, cf, 0, kCount, 3));
    ASSERT_OK(Flush());
    ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
    int version = 3;
    if (c.from == 0) {
      version = 4;
      ASSERT_OK(PutVersion(db_, cf, 0, kCount, version));
      ASSERT_OK(Flush());
    }
    ASSERT_OK(CompactLevel(db_, cf, c.from, c.to));
    EXPECT_EQ(AsSet(HotKeys()), KeysAtLevel(kLastFastLevel));
    EXPECT_EQ(AsSet(ColdKeys()), KeysAtLevel(c.to));
    EXPECT_EQ(0, NumTableFilesAtLevel(0));
    ExpectPaths();
    ExpectVersion(version);
    Reopen(CrossingOptions());
    ExpectVersion(version);
  }
}

// Compactions within a tier do not change.
TEST_F(HotRapRetentionCompactionsTest, CompactionsThatDoNotCross) {
  DestroyAndReopen(CrossingOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  LoadFast();
  ASSERT_OK(Cross());
  const uint64_t crossings = Counter(HotRapCounter::kCrossings);
  ASSERT_OK(PutVersion(db_, cf, 0, kCount, 3));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  EXPECT_EQ(AsSet(Keys(0, kCount)), KeysAtLevel(kLastFastLevel));
  ASSERT_OK(CompactLevel(db_, cf, kFirstSlowLevel, kFirstSlowLevel + 1));
  EXPECT_EQ(0, NumTableFilesAtLevel(kFirstSlowLevel));
  EXPECT_EQ(crossings, Counter(HotRapCounter::kCrossings));
  ExpectVersion(3);
}

// ---- Manual compactions -----------------------------------------------------

TEST_F(HotRapRetentionCompactionsTest, CompactRange) {
  for (const bool exclusive : {false, true}) {
    DestroyAndReopen(CrossingOptions());
    LoadFast();
    CompactRangeOptions options;
    options.exclusive_manual_compaction = exclusive;
    ASSERT_OK(db_->CompactRange(options, nullptr, nullptr));
    EXPECT_EQ(AsSet(HotKeys()), KeysAtLevel(kLastFastLevel));
    ExpectPaths();
    ExpectVersion(2);
    // Part of the range, including what was retained above.
    const std::string begin = Key(10);
    const std::string end = Key(20);
    const Slice begin_slice = begin;
    const Slice end_slice = end;
    ASSERT_OK(db_->CompactRange(options, &begin_slice, &end_slice));
    ExpectPaths();
    ExpectVersion(2);
    options.bottommost_level_compaction =
        BottommostLevelCompaction::kForceOptimized;
    ASSERT_OK(db_->CompactRange(options, nullptr, nullptr));
    ExpectPaths();
    ExpectVersion(2);
  }
}

// CompactRange moves the files of its last level up, which fails unless the
// levels above are empty.
TEST_F(HotRapRetentionCompactionsTest, CompactRangeThatChangesTheLevel) {
  for (const int target : {kLastFastLevel, 0}) {
    DestroyAndReopen(CrossingOptions());
    LoadFast();
    CompactRangeOptions options;
    options.change_level = true;
    options.target_level = target;
    ASSERT_OK(db_->CompactRange(options, nullptr, nullptr));
    for (int level = 0; level < 5; level++) {
      EXPECT_EQ(level == target, NumTableFilesAtLevel(level) > 0) << level;
    }
    EXPECT_EQ(0, Counter(HotRapCounter::kRetainedRecords));
    ExpectVersion(2);
    // Afterwards retention works again.
    ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), 0, kCount, 3));
    ASSERT_OK(Flush());
    ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
    ASSERT_OK(Cross());
    // All keys were read meanwhile, so it is unknown which of them are hot.
    EXPECT_GT(Counter(HotRapCounter::kRetainedRecords), 0);
    EXPECT_FALSE(KeysAtLevel(kLastFastLevel).empty());
    ExpectVersion(3);
  }
}

TEST_F(HotRapRetentionCompactionsTest, ByItself) {
  Options options = CrossingOptions();
  options.disable_auto_compactions = false;
  options.max_background_jobs = 4;
  DestroyAndReopen(options);
  WaitForRalt();
  constexpr int kMany = 3000;
  std::vector<std::string> hot;
  for (int i = 0; i < kMany; i += 15) {
    hot.push_back(Key(kManyBegin + i));
  }
  ASSERT_NO_FATAL_FAILURE(MakeHot(hot));
  for (int version = 1; version <= 3; version++) {
    PutMany(kMany, version);
    ASSERT_OK(Flush());
    WaitForRest();
    ExpectPaths();
    ExpectMany(kMany, version);
  }
  EXPECT_GT(Counter(HotRapCounter::kRetainedRecords), 0);
  // All keys were read, so more is hot now than the fast tier holds.
  const size_t fast = std::count_if(
      hot.begin(), hot.end(),
      [&](const std::string& key) { return AnsweredByFastTier(key); });
  EXPECT_GT(fast, 0);
  ExpectIdle();
}

// ---- Several subcompactions -----------------------------------------------

TEST_F(HotRapRetentionCompactionsTest, Subcompactions) {
  Options options = CrossingOptions();
  options.max_subcompactions = 4;
  options.target_file_size_base = 16 << 10;
  constexpr int kMany = 300;
  for (const int from : {0, kLastFastLevel}) {
    for (const bool manual : {false, true}) {
      DestroyAndReopen(options);
      WaitForRalt();
      ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
      PutMany(kMany, 1);
      ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1, 16 << 10));
      PutMany(kMany, 2);
      ASSERT_OK(Flush());
      if (from > 0) {
        ASSERT_OK(CompactLevel(db_, cf, 0, from));
      }
      const std::vector<std::string> hot =
          EverySecond(kManyBegin, kManyBegin + kMany);
      ASSERT_NO_FATAL_FAILURE(MakeHot(hot));
      const HistogramData before = Subcompactions();
      if (manual) {
        CompactRangeOptions range_options;
        range_options.max_subcompactions = 4;
        ASSERT_OK(db_->CompactRange(range_options, nullptr, nullptr));
      } else {
        ASSERT_OK(CompactLevel(db_, cf, from, kFirstSlowLevel));
      }
      const HistogramData after = Subcompactions();
      EXPECT_GT(after.count, before.count) << "nothing to test: one only";
      EXPECT_EQ(AsSet(hot), KeysAtLevel(kLastFastLevel));
      ExpectPaths();
      ExpectMany(kMany, 2);
      ASSERT_OK(db_->VerifyChecksum());
    }
  }
}

// ---- Compactions because of age ---------------------------------------------

// Retained records would be as old as before, and be picked again at once.
TEST_F(HotRapRetentionCompactionsTest, ExpiredFilesRetainNothing) {
  Options options = CrossingOptions();
  options.env = shifted_env_.get();
  options.ttl = 0;
  DestroyAndReopen(options);
  LoadFast();
  clock_->Advance(10000);
  ASSERT_OK(db_->SetOptions({{"ttl", "1000"}}));
  ASSERT_OK(db_->EnableAutoCompaction({db_->DefaultColumnFamily()}));
  WaitForRest();
  EXPECT_EQ(0, Counter(HotRapCounter::kRetainedRecords));
  EXPECT_EQ(0, NumTableFilesAtLevel(kLastFastLevel));
  EXPECT_GE(Counter(HotRapCounter::kCrossings), 2);
  ExpectIdle();
  ExpectVersion(2);
}

// ... and retained records are not as old as the records below.
TEST_F(HotRapRetentionCompactionsTest, RetainedRecordsAreNotExpired) {
  Options options = CrossingOptions();
  options.env = shifted_env_.get();
  options.ttl = 0;
  DestroyAndReopen(options);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  WaitForRalt();
  ASSERT_OK(PutVersion(db_, cf, 0, kCount, 1));
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel));
  clock_->Advance(10000);
  ASSERT_OK(PutVersion(db_, cf, 0, kCount, 2));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  ASSERT_NO_FATAL_FAILURE(MakeHot(HotKeys()));
  ASSERT_OK(Cross());
  ASSERT_EQ(AsSet(HotKeys()), KeysAtLevel(kLastFastLevel));
  ASSERT_OK(db_->SetOptions({{"ttl", "5000"}}));
  ASSERT_OK(db_->EnableAutoCompaction({cf}));
  ASSERT_NO_FATAL_FAILURE(ExpectIdle());
  EXPECT_EQ(AsSet(HotKeys()), KeysAtLevel(kLastFastLevel));
  ExpectVersion(2);
}

TEST_F(HotRapRetentionCompactionsTest, PeriodicCompactionsEnd) {
  Options options = CrossingOptions();
  options.env = shifted_env_.get();
  options.ttl = 0;
  options.periodic_compaction_seconds = 0;
  DestroyAndReopen(options);
  LoadFast();
  clock_->Advance(10000);
  ASSERT_OK(db_->SetOptions({{"periodic_compaction_seconds", "1000"}}));
  ASSERT_OK(db_->EnableAutoCompaction({db_->DefaultColumnFamily()}));
  WaitForRest();
  ExpectIdle();
  ExpectVersion(2);
  // And again when the time is up.
  for (int i = 0; i < 3; i++) {
    clock_->Advance(2000);
    LookForWork(i);
  }
  ExpectIdle();
  ExpectVersion(2);
}

// ---- A hot set larger than the fast tier -----------------------------------

TEST_F(HotRapRetentionCompactionsTest, EverythingIsHot) {
  Options options = CrossingOptions();
  options.disable_auto_compactions = false;
  options.max_background_jobs = 4;
  DestroyAndReopen(options);
  WaitForRalt();
  // RALT's hot set may be half of the fast budget, but the last fast level gets
  // a quarter of it.
  constexpr int kMany = 450;
  ASSERT_NO_FATAL_FAILURE(MakeHot(Many(kMany)));
  uint64_t user_bytes = 0;
  for (int version = 1; version <= 6; version++) {
    PutMany(kMany, version);
    user_bytes += uint64_t{kMany} * kValueBytes;
    ASSERT_OK(Flush());
    WaitForRest();
    // Levels are below their targets.
    EXPECT_LT(NumTableFilesAtLevel(0),
              options.level0_file_num_compaction_trigger);
    EXPECT_LE(BytesAtLevel(kLastFastLevel), options.max_bytes_for_level_base);
    EXPECT_LE(BytesAtLevel(kFirstSlowLevel),
              4 * options.max_bytes_for_level_base);
    ExpectMany(kMany, version);
    WaitForRest();
  }
  EXPECT_GT(Counter(HotRapCounter::kRetainedRecords), 0);
  // Each crossing moves down at least a fifth of its input, so that there are
  // at most five times as many rewrites per level as without retention.
  EXPECT_LE(Ticker(COMPACT_WRITE_BYTES), 60 * user_bytes);
  ASSERT_NO_FATAL_FAILURE(ExpectIdle());
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests pinned and excluded ranges in a DB: what is pinned comes to the fast
// tier without a read and stays there, and what is excluded never does.

#include "plugin/hotrap/db/pinning/pinned_lifter.h"
#include "plugin/hotrap/db/tier/hotrap_tier.h"
#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"
#include "rocksdb/convenience.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/utilities/options_util.h"

namespace ROCKSDB_NAMESPACE {

class PinnedRangesTest : public HotRapCrossingTestBase {
 public:
  PinnedRangesTest() : HotRapCrossingTestBase("pinned_ranges_test") {}

  static std::string RangeText(int begin, int end) {
    return "{begin=" + Key(begin) + ";end=" + Key(end) + "}";
  }
  Status Pin(const std::string& ranges) {
    return db_->SetOptions({{"hotrap.pinned_ranges", "{" + ranges + "}"}});
  }
  Status Exclude(const std::string& ranges) {
    return db_->SetOptions({{"hotrap.excluded_ranges", "{" + ranges + "}"}});
  }

  std::string Text(const std::string& name) {
    std::map<std::string, std::string> stats;
    EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
    return stats.at(name);
  }
  uint64_t Stat(const std::string& name) { return std::stoull(Text(name)); }

  HotRapTier* TheTier() {
    return static_cast<ColumnFamilyHandleImpl*>(db_->DefaultColumnFamily())
        ->cfd()
        ->hotrap.tier();
  }
  // Waits until everything pinned has been looked at, and the promotion cache
  // is empty again.
  void WaitForLift() {
    WaitForRalt();
    HotRapTier* const tier = TheTier();
    while (tier->state().jobs().busy() || !tier->lifter().idle() ||
           tier->state().cache().num_records() > 0) {
      tier->lifter().MaybeSchedule();
      // Reads of other keys fill the cache, too.
      tier->promotions().PromoteAll();
      env_->SleepForMicroseconds(1000);
    }
  }

  // The keys of [begin, end) that fast levels have.
  std::set<std::string> FastKeys(int begin, int end) {
    std::set<std::string> keys;
    for (int level = 0; level < kFirstSlowLevel; level++) {
      for (const std::string& key : KeysAtLevel(level)) {
        if (key >= Key(begin) && key < Key(end)) {
          keys.insert(key);
        }
      }
    }
    return keys;
  }

  // Keys that no level has go to the last one.
  void Ingest(const Options& options, int begin, int end) {
    const std::string file = dbname_ + "/ingested.sst";
    SstFileWriter writer(EnvOptions(), options);
    ASSERT_OK(writer.Open(file));
    for (int i = begin; i < end; i++) {
      ASSERT_OK(writer.Put(Key(i), IngestedValue()));
    }
    ASSERT_OK(writer.Finish());
    ASSERT_OK(db_->IngestExternalFile({file}, IngestExternalFileOptions()));
  }
  static std::string IngestedValue() { return std::string(200, 'i'); }

  // Without Touch() and other helpers that count on a cache of their size.
  Options LiftOptions() {
    Options options = HotRapOptionsForTest();
    options.statistics = CreateDBStatistics();
    KeepCompactionsOut(&options);
    return options;
  }
};

TEST_F(PinnedRangesTest, WhatLiesOnTheSlowTierComesUpWithoutARead) {
  DestroyAndReopen(LiftOptions());
  LoadSlowTier(0, 1000);
  // By a scan, which brings nothing into the cache.
  std::map<int, std::string> values;
  {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    int i = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      ASSERT_EQ(Key(i), it->key().ToString());
      values[i++] = it->value().ToString();
    }
    ASSERT_OK(it->status());
    ASSERT_EQ(1000, i);
  }
  ASSERT_OK(Pin(RangeText(100, 200) + ":{prefix=" + Key(50).substr(0, 10) +
                "}"));  // 50 to 59
  WaitForLift();
  EXPECT_EQ(AsSet(Keys(100, 200)), FastKeys(100, 200));
  EXPECT_EQ(AsSet(Keys(50, 60)), FastKeys(0, 100));
  EXPECT_TRUE(FastKeys(200, 1000).empty());
  EXPECT_EQ(110u, Counter(HotRapCounter::kPinnedLifted));
  EXPECT_GT(Stat("pinned_bytes"), 0u);
  EXPECT_EQ(0u, Stat("pinned_bytes_beyond"));
  for (int i = 0; i < 1000; i++) {
    EXPECT_EQ(values[i], Get(Key(i)));
  }
  for (int i = 100; i < 200; i++) {
    EXPECT_TRUE(AnsweredByFastTier(Key(i))) << i;
  }
  // No second pass: nothing has changed.
  ASSERT_OK(Put("a", "b"));
  ASSERT_OK(Flush());
  WaitForLift();
  EXPECT_EQ(110u, Counter(HotRapCounter::kPinnedLifted));
  // Opened again, nothing is missing on the fast tier.
  Options options = LiftOptions();
  options.hotrap.pinned_ranges = {{Key(100), Key(200), ""}};
  Reopen(options);
  WaitForLift();
  EXPECT_EQ(0u, Counter(HotRapCounter::kPinnedLifted));
  for (int i = 0; i < 1000; i++) {
    EXPECT_EQ(values[i], Get(Key(i)));
  }
}

// Not only once what was read has been paid for at the old one.
TEST_F(PinnedRangesTest, AHigherRateAppliesAtOnce) {
  Options options = LiftOptions();
  options.hotrap.relocation_bytes_per_sec = 1;
  DestroyAndReopen(options);
  LoadSlowTier(0, 1000);
  const auto wait_for = [&](uint64_t lifted) {
    for (int i = 0; Counter(HotRapCounter::kPinnedLifted) < lifted; i++) {
      ASSERT_LT(i, 20000) << Levels();
      env_->SleepForMicroseconds(1000);
    }
  };
  ASSERT_OK(Pin(RangeText(100, 150) + ":" + RangeText(300, 350)));
  ASSERT_NO_FATAL_FAILURE(wait_for(1));
  EXPECT_LE(Counter(HotRapCounter::kPinnedLifted), 50u);
  ASSERT_OK(
      db_->SetOptions({{"hotrap", "{relocation_bytes_per_sec=1000000000;}"}}));
  ASSERT_NO_FATAL_FAILURE(wait_for(100));
}

TEST_F(PinnedRangesTest, NewerVersionsAreNotHidden) {
  DestroyAndReopen(LiftOptions());
  LoadSlowTier(0, 400);
  // Newer: in the memtable, in level 0, and deleted by range.
  ASSERT_OK(Put(Key(110), "flushed"));
  ASSERT_OK(Delete(Key(111)));
  ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(),
                             Key(120), Key(130)));
  ASSERT_OK(Flush());
  ASSERT_OK(Put(Key(112), "in memory"));
  ASSERT_OK(Delete(Key(113)));
  ASSERT_OK(Pin(RangeText(100, 200)));
  WaitForLift();
  const auto check = [&] {
    EXPECT_EQ("flushed", Get(Key(110)));
    EXPECT_EQ("NOT_FOUND", Get(Key(111)));
    EXPECT_EQ("in memory", Get(Key(112)));
    EXPECT_EQ("NOT_FOUND", Get(Key(113)));
    EXPECT_EQ("NOT_FOUND", Get(Key(125)));
  };
  check();
  ASSERT_OK(Flush());
  check();
  CompactToSlowTier();
  check();
}

// Of a key only the newest version in the slow tier may be promoted.
TEST_F(PinnedRangesTest, OldVersionsInTheSlowTierAreNotPromoted) {
  DestroyAndReopen(LiftOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  ASSERT_OK(Put(Key(1), "old"));
  ASSERT_OK(Put(Key(2), "old"));
  ASSERT_OK(Put(Key(3), "old"));
  ASSERT_OK(Put(Key(4), "kept"));
  const Snapshot* const snapshot = db_->GetSnapshot();
  CompactToSlowTier();
  ASSERT_OK(Put(Key(1), "new"));
  ASSERT_OK(Delete(Key(2)));
  ASSERT_OK(db_->DeleteRange(WriteOptions(), cf, Key(3), Key(4)));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  ASSERT_OK(CompactLevel(db_, cf, 1, kFirstSlowLevel));
  ASSERT_OK(Pin(RangeText(0, 10)));
  WaitForLift();
  EXPECT_EQ("new", Get(Key(1)));
  EXPECT_EQ("NOT_FOUND", Get(Key(2)));
  EXPECT_EQ("NOT_FOUND", Get(Key(3)));
  EXPECT_EQ("kept", Get(Key(4)));
  EXPECT_EQ("old", Get(Key(1), snapshot));
  EXPECT_EQ("old", Get(Key(2), snapshot));
  EXPECT_EQ("old", Get(Key(3), snapshot));
  const std::set<std::string> fast = FastKeys(0, 10);
  EXPECT_EQ(std::set<std::string>({Key(1), Key(4)}), fast);
  db_->ReleaseSnapshot(snapshot);
}

// A first read is enough.
TEST_F(PinnedRangesTest, ReadsPromoteWhatIsPinned) {
  Options options = LiftOptions();
  options.hotrap.relocation_bytes_per_sec = 0;  // Nothing comes by itself.
  DestroyAndReopen(options);
  LoadSlowTier(0, 1000);
  ASSERT_OK(Pin(RangeText(100, 300)));
  WaitForRalt();
  for (int i = 0; i < 1000; i++) {
    ASSERT_NE("NOT_FOUND", Get(Key(i)));
    WaitForPromotionIdle();
  }
  EXPECT_EQ(0u, Counter(HotRapCounter::kPinnedLifted));
  EXPECT_GE(FastKeys(100, 300).size(), 100u);
  EXPECT_TRUE(FastKeys(0, 100).empty());
  EXPECT_TRUE(FastKeys(300, 1000).empty());
}

TEST_F(PinnedRangesTest, CrossingsKeepAllThatIsPinned) {
  DestroyAndReopen(CrossingOptions());
  LoadFast();
  ASSERT_OK(Pin(RangeText(0, kCount)));
  ASSERT_OK(Cross());
  EXPECT_EQ(AsSet(Keys(0, kCount)), KeysAtLevel(kLastFastLevel));
  ExpectPaths();
  EXPECT_EQ(kCount * (Key(0).size() + Value(0, 2).size()),
            Counter(HotRapCounter::kPinnedRetainedBytes));
  // The file is picked last: nothing went down.
  const auto files = FilesAtLevel(kLastFastLevel);
  ASSERT_EQ(1u, files.size());
  EXPECT_TRUE(Tier()->rules().figures().IsFullFile(files[0].file_number));
  // Without the pin, the odd half is cold.
  ASSERT_OK(Pin(""));
  EXPECT_FALSE(Tier()->rules().figures().IsFullFile(files[0].file_number));
  ASSERT_OK(Cross());
  EXPECT_EQ(AsSet(HotKeys()), KeysAtLevel(kLastFastLevel));
  ExpectVersion(2);
}

TEST_F(PinnedRangesTest, PinnedGoesBeforeHot) {
  DestroyAndReopen(CrossingOptions());
  LoadFast();
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, kCount)));
  // All is hot, and what is pinned comes last.
  ASSERT_OK(Pin(RangeText(kCount / 2, kCount)));
  ASSERT_OK(Cross());
  const std::set<std::string> kept = KeysAtLevel(kLastFastLevel);
  for (const std::string& key : Keys(kCount / 2, kCount)) {
    EXPECT_EQ(1u, kept.count(key)) << key;
  }
  ExpectVersion(2);
}

TEST_F(PinnedRangesTest, BeyondTheLimitAFifthGoesDown) {
  DestroyAndReopen(CrossingOptions());
  LoadFast();
  ASSERT_OK(Pin(RangeText(0, kCount)));
  PinnedFigures::Bytes bytes;
  bytes.fast = 2;
  bytes.limit = 1;
  WaitForPromotionIdle();
  Tier()->rules().figures().Set(bytes);
  const uint64_t requests = Tier()->rules().figures().lift_requests();
  ASSERT_OK(Cross());
  EXPECT_LE(KeysAtLevel(kLastFastLevel).size(), kCount * 8u / 10);
  EXPECT_GT(Tier()->rules().figures().lift_requests(), requests);
  ExpectVersion(2);
}

TEST_F(PinnedRangesTest, WhatDoesNotFitIsSaid) {
  Options options = LiftOptions();
  options.hotrap.pinned_percent = 12;
  DestroyAndReopen(options);
  ASSERT_OK(Put("a", "b"));
  for (int i = 0; i < 1000; i += 100) {
    Ingest(options, i, i + 100);
  }
  ASSERT_OK(Pin(RangeText(300, 1000) + ":" + RangeText(0, 200)));
  WaitForLift();
  const uint64_t limit = Stat("pinned_limit_bytes");
  EXPECT_GT(limit, 0u);
  EXPECT_LE(limit, Stat("fast_budget_bytes") * 12 / 100);
  EXPECT_GT(Stat("pinned_bytes"), limit);
  EXPECT_GE(Stat("pinned_bytes_beyond"), Stat("pinned_bytes") - limit);
  EXPECT_LT(Stat("pinned_bytes_beyond"), Stat("pinned_bytes"));
  const size_t before = FastKeys(300, 1000).size();
  EXPECT_GE(before, 300u);
  EXPECT_LT(before, 700u);
  EXPECT_EQ(AsSet(Keys(300, 300 + static_cast<int>(before))),
            FastKeys(0, 1000));
  // More may be pinned.
  ASSERT_OK(db_->SetOptions({{"hotrap.pinned_percent", "20"}}));
  ASSERT_OK(Pin(RangeText(300, 1000)));
  WaitForLift();
  EXPECT_EQ(AsSet(Keys(300, 1000)), FastKeys(0, 1000));
  EXPECT_EQ(0u, Stat("pinned_bytes_beyond"));
}

TEST_F(PinnedRangesTest, WhatComesInBelowIsLifted) {
  Options options = LiftOptions();
  options.hotrap.pinned_ranges = {{Key(2000), Key(3000), ""}};
  DestroyAndReopen(options);
  LoadSlowTier(0, 1000);
  WaitForLift();
  ASSERT_EQ(0u, Counter(HotRapCounter::kPinnedLifted));
  Ingest(options, 2000, 2050);
  WaitForLift();
  EXPECT_EQ(AsSet(Keys(2000, 2050)), FastKeys(2000, 3000));
  EXPECT_EQ(IngestedValue(), Get(Key(2049)));
}

// A copy at sequence number 1 would hide the DB's first write.
TEST_F(PinnedRangesTest, NothingBeforeTheFirstWrite) {
  Options options = LiftOptions();
  options.hotrap.pinned_ranges = {{"", "", "key"}};
  DestroyAndReopen(options);
  Ingest(options, 0, 50);
  WaitForRalt();
  TheTier()->lifter().MaybeSchedule();
  WaitForPromotionIdle();
  EXPECT_EQ(0u, Counter(HotRapCounter::kPinnedLifted));
  EXPECT_TRUE(FastKeys(0, 50).empty());
  ASSERT_OK(Put(Key(7), "first"));
  ASSERT_OK(Flush());
  WaitForLift();
  EXPECT_EQ("first", Get(Key(7)));
  EXPECT_EQ(IngestedValue(), Get(Key(8)));
  // Key 7 may have been in the memtable, where the promotion looks.
  EXPECT_GE(Counter(HotRapCounter::kPinnedLifted), 49u);
  EXPECT_EQ(50u, FastKeys(0, 50).size());
}

// A compaction that retains nothing takes them down.
TEST_F(PinnedRangesTest, WhatWentDownComesBack) {
  Options options = LiftOptions();
  options.hotrap.pinned_ranges = {{Key(0), Key(50), ""}};
  DestroyAndReopen(options);
  LoadSlowTier(0, 400);
  WaitForLift();
  ASSERT_EQ(AsSet(Keys(0, 50)), FastKeys(0, 400));
  ASSERT_OK(db_->SetOptions({{"hotrap.no_retain", "true"}}));
  CompactToSlowTier();
  ASSERT_OK(db_->SetOptions({{"hotrap.no_retain", "false"}}));
  WaitForLift();
  EXPECT_EQ(AsSet(Keys(0, 50)), FastKeys(0, 400));
}

TEST_F(PinnedRangesTest, ExcludedRecordsAreNeverHot) {
  DestroyAndReopen(CrossingOptions());
  LoadFast();  // Even keys are hot.
  ASSERT_OK(Exclude(RangeText(0, kCount / 2)));
  ASSERT_OK(Cross());
  EXPECT_EQ(AsSet(EverySecond(kCount / 2, kCount)),
            KeysAtLevel(kLastFastLevel));
  ExpectVersion(2);

  const uint64_t accesses = Counter(HotRapCounter::kAccesses);
  const uint64_t refused = Counter(HotRapCounter::kRefusedExcluded);
  for (int i = 0; i < kCount / 2; i++) {
    EXPECT_EQ(Value(i, 2), Get(Key(i)));
    EXPECT_FALSE(InCache(Key(i)));
  }
  EXPECT_EQ(accesses, Counter(HotRapCounter::kAccesses));
  EXPECT_EQ(refused + kCount / 2, Counter(HotRapCounter::kRefusedExcluded));
  // In the other direction.
  ASSERT_OK(Exclude(""));
  EXPECT_EQ(Value(1, 2), Get(Key(1)));
  EXPECT_EQ(accesses + 1, Counter(HotRapCounter::kAccesses));
  EXPECT_TRUE(InCache(Key(1)));
}

// What is in the promotion cache already.
TEST_F(PinnedRangesTest, ExcludedRecordsLeaveTheCache) {
  DestroyAndReopen(LiftOptions());
  LoadSlowTier(0, 1000);
  MakeHot(Keys(0, 60));
  for (int i = 0; i < 20; i++) {
    ASSERT_NE("NOT_FOUND", Get(Key(i)));
  }
  ASSERT_EQ(20u, Tier()->cache().num_records());
  ASSERT_OK(Exclude("{prefix=key}"));
  TheTier()->promotions().PromoteAll();
  WaitForPromotionIdle();
  EXPECT_EQ(0u, Counter(HotRapCounter::kPromotedRecords));
  EXPECT_EQ(0u, Tier()->cache().num_records());
}

TEST_F(PinnedRangesTest, TheComparatorsOrder) {
  Options options = LiftOptions();
  options.comparator = ReverseBytewiseComparator();
  options.hotrap.pinned_ranges = {{Key(200), Key(100), ""}};
  DestroyAndReopen(options);
  LoadSlowTier(0, 400);
  WaitForLift();
  EXPECT_EQ(AsSet(Keys(101, 201)), FastKeys(0, 400));
  const Status s = Pin("{prefix=key}");
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_EQ(1u, db_->GetOptions().hotrap.pinned_ranges.size());
}

TEST_F(PinnedRangesTest, LiveAndInTheOptionsFile) {
  const std::string odd_key("\0{};:=#\\\n \xff", 11);
  Options options = LiftOptions();
  options.hotrap.pinned_ranges = {{odd_key, odd_key + "z", ""},
                                  {"", "", "user/"}};
  options.hotrap.excluded_ranges = {{"v", "", ""}};
  options.hotrap.pinned_percent = 33;
  DestroyAndReopen(options);
  const auto expect_in_file = [&](const HotRapOptions& expected) {
    DBOptions db_options;
    std::vector<ColumnFamilyDescriptor> families;
    ASSERT_OK(
        LoadLatestOptions(ConfigOptions(), dbname_, &db_options, &families));
    EXPECT_EQ(expected.pinned_ranges, families[0].options.hotrap.pinned_ranges);
    EXPECT_EQ(expected.excluded_ranges,
              families[0].options.hotrap.excluded_ranges);
    EXPECT_EQ(expected.pinned_percent,
              families[0].options.hotrap.pinned_percent);
    ASSERT_OK(CheckOptionsCompatibility(ConfigOptions(), dbname_, db_options,
                                        families));
  };
  expect_in_file(options.hotrap);
  // All of the group, one range, and none.
  ASSERT_OK(
      db_->SetOptions({{"hotrap",
                        "{pinned_ranges={{begin=0x00ff;end=b}:{prefix=c}};"
                        "excluded_ranges={prefix=d};pinned_percent=1;}"}}));
  options.hotrap.pinned_ranges = {{std::string("\0\xff", 2), "b", ""},
                                  {"", "", "c"}};
  options.hotrap.excluded_ranges = {{"", "", "d"}};
  options.hotrap.pinned_percent = 1;
  EXPECT_EQ(options.hotrap.pinned_ranges,
            db_->GetOptions().hotrap.pinned_ranges);
  expect_in_file(options.hotrap);
  ASSERT_OK(db_->SetOptions({{"hotrap.pinned_ranges", "{}"},
                             {"hotrap.excluded_ranges", "{begin=}"}}));
  options.hotrap.pinned_ranges.clear();
  options.hotrap.excluded_ranges = {{"", "", ""}};
  EXPECT_EQ(options.hotrap.excluded_ranges,
            db_->GetOptions().hotrap.excluded_ranges);
  expect_in_file(options.hotrap);

  for (const char* bad : {"{prefix=a}:{b}", "{begin=b;end=a}", "{no=1}",
                          "{begin=0x1}", "x", "{prefix=a;end=b}"}) {
    const Status s = Pin(bad);
    EXPECT_TRUE(s.IsInvalidArgument()) << bad << ": " << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find("hotrap.pinned_ranges"))
        << s.ToString();
  }
  // It overlaps what is excluded.
  EXPECT_TRUE(Pin("{prefix=a}").IsInvalidArgument());
  EXPECT_TRUE(
      db_->SetOptions({{"hotrap.pinned_percent", "81"}}).IsInvalidArgument());
  EXPECT_TRUE(db_->GetOptions().hotrap.pinned_ranges.empty());
}

}  // namespace ROCKSDB_NAMESPACE

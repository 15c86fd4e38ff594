//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests retention: which records a crossing compaction keeps in the last fast
// level, and that every read still finds what it found before.

#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"
#include "rocksdb/filter_policy.h"
#include "utilities/merge_operators.h"

namespace ROCKSDB_NAMESPACE {

class HotRapRetentionTest : public HotRapCrossingTestBase {
 public:
  HotRapRetentionTest() : HotRapCrossingTestBase("hotrap_retention_test") {}

  uint64_t Stat(const std::string& name) {
    std::map<std::string, std::string> stats;
    EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
    return std::stoull(stats.at(name));
  }
};

TEST_F(HotRapRetentionTest, HotRecordsStay) {
  DestroyAndReopen(CrossingOptions());
  LoadFast();
  const uint64_t estimate_before = Counter(HotRapCounter::kHotBytesEstimated);
  const uint64_t estimate = Tier()->ralt()->HotBytes(Key(0), Key(kCount - 1));
  ASSERT_GT(estimate, 0);
  ASSERT_OK(Cross());
  EXPECT_EQ(AsSet(HotKeys()), KeysAtLevel(kLastFastLevel));
  EXPECT_EQ(AsSet(ColdKeys()), KeysAtLevel(kFirstSlowLevel));
  ExpectPaths();
  for (const auto& key : HotKeys()) {
    EXPECT_TRUE(AnsweredByFastTier(key)) << key;
  }
  for (const auto& key : ColdKeys()) {
    EXPECT_FALSE(AnsweredByFastTier(key)) << key;
  }
  ExpectVersion(2);

  // User bytes are counted.
  const uint64_t hot_bytes =
      HotKeys().size() * (Key(0).size() + Value(0, 2).size());
  EXPECT_EQ(2, Counter(HotRapCounter::kCrossings));  // with that of LoadFast()
  EXPECT_EQ(HotKeys().size(), Counter(HotRapCounter::kRetainedRecords));
  EXPECT_EQ(hot_bytes, Counter(HotRapCounter::kRetainedBytes));
  EXPECT_EQ(hot_bytes, Counter(HotRapCounter::kHotBytesFound));
  EXPECT_EQ(estimate_before + estimate,
            Counter(HotRapCounter::kHotBytesEstimated));
  EXPECT_EQ(0, Counter(HotRapCounter::kCompactionPromotedRecords));
  EXPECT_EQ(2, Stat("crossing_compactions"));
  EXPECT_EQ(HotKeys().size(), Stat("retained_records"));
  EXPECT_EQ(hot_bytes, Stat("retained_bytes"));
  EXPECT_EQ(hot_bytes, Stat("hot_bytes_found"));
  EXPECT_EQ(2, Ticker(HOTRAP_CROSSING_COMPACTIONS));
  EXPECT_EQ(HotKeys().size(), Ticker(HOTRAP_RETAINED_RECORDS));
  EXPECT_EQ(hot_bytes, Ticker(HOTRAP_RETAINED_BYTES));
  EXPECT_EQ(hot_bytes, Ticker(HOTRAP_HOT_BYTES_FOUND));

  // From the files alone, and after they are compacted into one.
  Reopen(CrossingOptions());
  ExpectPaths();
  ExpectVersion(2);
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  ExpectPaths();
  ExpectVersion(2);
  ASSERT_OK(db_->VerifyChecksum());
}

// Each crossing counts once, and fewer than kMinCrossings have no effect.
TEST_F(HotRapRetentionTest, TheColdFractionIsMeasured) {
  DestroyAndReopen(CrossingOptions());
  LoadFast();
  while (Counter(HotRapCounter::kCrossings) < ColdFraction::kMinCrossings) {
    EXPECT_EQ(1, Tier()->cold_fraction().value())
        << Counter(HotRapCounter::kCrossings);
    ASSERT_OK(Cross());
    ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), 0, kCount, 2));
    ASSERT_OK(Flush());
    ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
  }
  // Half of each input, except for what LoadFast() moved down.
  EXPECT_GE(Tier()->cold_fraction().value(), 0.5);
  EXPECT_LE(Tier()->cold_fraction().value(), 0.75);
}

// With nothing below, sequence numbers become zero, and the retained version is
// the only one.
TEST_F(HotRapRetentionTest, CrossingIntoTheLastLevel) {
  DestroyAndReopen(CrossingOptions());
  ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), 0, kCount, 1));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
  ASSERT_NO_FATAL_FAILURE(MakeHot(HotKeys()));
  ASSERT_OK(Cross());
  EXPECT_EQ(AsSet(HotKeys()), KeysAtLevel(kLastFastLevel));
  ExpectVersion(1);
  // Newer versions and deletions of records with sequence number 0.
  ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), 0, 10, 2));
  ASSERT_OK(Delete(Key(10)));
  ASSERT_OK(db_->DeleteRange(WriteOptions(), Key(11), Key(14)));
  const auto expect = [&] {
    for (int i = 0; i < kCount; i++) {
      ExpectEverywhere(Key(i), i < 10   ? Value(i, 2)
                               : i < 14 ? "NOT_FOUND"
                                        : Value(i, 1));
    }
    std::vector<std::string> keys = Keys(0, 10);
    for (const auto& key : Keys(14, kCount)) {
      keys.push_back(key);
    }
    ExpectScans(keys);
  };
  expect();
  ASSERT_OK(Flush());
  expect();
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
  expect();
  ASSERT_OK(Cross());
  expect();
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  expect();
}

// Deletions, merges and their results go down, even for hot keys.
TEST_F(HotRapRetentionTest, OnlyValuesAndEntitiesStay) {
  Options options = CrossingOptions();
  options.merge_operator = MergeOperators::CreateStringAppendOperator();
  DestroyAndReopen(options);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  // Level 3 gets the base of the entries in level 1.
  ASSERT_OK(PutVersion(db_, cf, 0, kCount, 1));
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  ASSERT_OK(PutVersion(db_, cf, 6, kCount, 2));
  ASSERT_OK(Delete(Key(0)));
  ASSERT_OK(SingleDelete(Key(1)));
  ASSERT_OK(db_->Merge(WriteOptions(), Key(2), "merged"));
  ASSERT_OK(db_->PutEntity(WriteOptions(), cf, Key(3),
                           {{kDefaultWideColumnName, "entity"}, {"c", "d"}}));
  ASSERT_OK(Put(Key(4), "base"));
  ASSERT_OK(db_->Merge(WriteOptions(), Key(4), "merged"));
  ASSERT_OK(Put(Key(5), "value"));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, 6)));
  ASSERT_OK(Cross());

  // The merge of 4 had its base in level 0 and has become a value.
  EXPECT_EQ(std::set<std::string>({Key(3), Key(4), Key(5)}),
            KeysAtLevel(kLastFastLevel));
  const std::set<std::string> slow = KeysAtLevel(kFirstSlowLevel);
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ(1, slow.count(Key(i))) << i;
  }
  for (int round = 0; round < 2; round++) {
    ExpectEverywhere(Key(0), "NOT_FOUND");
    ExpectEverywhere(Key(1), "NOT_FOUND");
    ExpectEverywhere(Key(2), Value(2, 1) + ",merged");
    ExpectEverywhere(Key(3), "entity");
    ExpectEverywhere(Key(4), "base,merged");
    ExpectEverywhere(Key(5), "value");
    PinnableWideColumns columns;
    ASSERT_OK(db_->GetEntity(ReadOptions(), db_->DefaultColumnFamily(), Key(3),
                             &columns));
    EXPECT_EQ((WideColumns{{kDefaultWideColumnName, "entity"}, {"c", "d"}}),
              columns.columns());
    ExpectScans(Keys(2, kCount));
    Reopen(options);
  }
}

// Of several versions that snapshots keep, only the newest stays, and only if
// it is a value.
TEST_F(HotRapRetentionTest, OlderVersionsGoDown) {
  DestroyAndReopen(CrossingOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  std::vector<const Snapshot*> snapshots;
  const auto next = [&] {
    snapshots.push_back(db_->GetSnapshot());
    ASSERT_OK(Flush());
  };
  ASSERT_OK(PutVersion(db_, cf, 0, kCount, 1));
  next();
  ASSERT_OK(PutVersion(db_, cf, 0, kCount, 2));
  next();
  ASSERT_OK(PutVersion(db_, cf, 0, kCount, 3));
  ASSERT_OK(Delete(Key(0)));
  next();
  ASSERT_OK(Flush());
  const auto expect = [&] {
    for (int i = 0; i < kCount; i++) {
      ASSERT_EQ(Value(i, 1), Get(Key(i), snapshots[0]));
      ASSERT_EQ(Value(i, 2), Get(Key(i), snapshots[1]));
      ASSERT_EQ(i == 0 ? "NOT_FOUND" : Value(i, 3), Get(Key(i), snapshots[2]));
      ExpectEverywhere(Key(i), i == 0 ? "NOT_FOUND" : Value(i, 3));
    }
    for (size_t i = 0; i < snapshots.size(); i++) {
      ReadOptions options;
      options.snapshot = snapshots[i];
      ExpectScans(Keys(i == 2 ? 1 : 0, kCount), options);
    }
  };
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  ASSERT_NO_FATAL_FAILURE(MakeHot(HotKeys()));
  ASSERT_OK(Cross());
  std::set<std::string> retained = AsSet(HotKeys());
  retained.erase(Key(0));
  EXPECT_EQ(retained, KeysAtLevel(kLastFastLevel));
  EXPECT_EQ(AsSet(Keys(0, kCount)), KeysAtLevel(kFirstSlowLevel));
  expect();
  ASSERT_OK(CompactLevel(db_, cf, kFirstSlowLevel, kFirstSlowLevel + 1));
  expect();
  ASSERT_OK(CompactLevel(db_, cf, kLastFastLevel, kFirstSlowLevel));
  expect();
  for (const Snapshot* snapshot : snapshots) {
    db_->ReleaseSnapshot(snapshot);
  }
}

// ---- Range deletions -------------------------------------------------------

TEST_F(HotRapRetentionTest, RangeDeletionsWithoutSnapshots) {
  DestroyAndReopen(CrossingOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  LoadFast();
  ASSERT_OK(db_->DeleteRange(WriteOptions(), Key(0), Key(10)));
  ASSERT_OK(PutVersion(db_, cf, 0, 6, 3));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  const auto expect = [&] {
    for (int i = 0; i < kCount; i++) {
      ExpectEverywhere(Key(i), i < 6    ? Value(i, 3)
                               : i < 10 ? "NOT_FOUND"
                                        : Value(i, 2));
    }
  };
  ASSERT_OK(Cross());
  std::set<std::string> retained = AsSet(HotKeys());
  retained.erase(Key(6));
  retained.erase(Key(8));
  EXPECT_EQ(retained, KeysAtLevel(kLastFastLevel));
  // The range tombstone went down, because level 3 needs it.
  ForEachTable(kLastFastLevel,
               [](const SstFileMetaData&, SstFileReader* table) {
                 EXPECT_EQ(0, table->GetTableProperties()->num_range_deletions);
               });
  expect();
  ASSERT_OK(Cross());
  expect();
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  expect();
}

// A snapshot that is newer than all inputs changes nothing.
TEST_F(HotRapRetentionTest, RangeDeletionsBeforeASnapshot) {
  DestroyAndReopen(CrossingOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  LoadFast();
  ASSERT_OK(db_->DeleteRange(WriteOptions(), Key(0), Key(10)));
  ASSERT_OK(PutVersion(db_, cf, 0, 6, 3));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  const Snapshot* const snapshot = db_->GetSnapshot();
  const auto expect = [&] {
    for (int i = 0; i < kCount; i++) {
      const std::string value = i < 6    ? Value(i, 3)
                                : i < 10 ? "NOT_FOUND"
                                         : Value(i, 2);
      ExpectEverywhere(Key(i), value);
      ASSERT_EQ(value, Get(Key(i), snapshot));
    }
  };
  ASSERT_OK(Cross());
  std::set<std::string> retained = AsSet(HotKeys());
  retained.erase(Key(6));
  retained.erase(Key(8));
  EXPECT_EQ(retained, KeysAtLevel(kLastFastLevel));
  expect();
  ASSERT_OK(Cross());
  expect();
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  expect();
  db_->ReleaseSnapshot(snapshot);
}

// A tombstone that goes down because of a snapshot would, one compaction later,
// be merged with a record above it that has lost its sequence number.
TEST_F(HotRapRetentionTest, RangeDeletionsWithASnapshot) {
  DestroyAndReopen(CrossingOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  LoadFast();
  const Snapshot* const snapshot = db_->GetSnapshot();
  ASSERT_OK(db_->DeleteRange(WriteOptions(), Key(0), Key(10)));
  ASSERT_OK(PutVersion(db_, cf, 0, 6, 3));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  const auto expect = [&] {
    for (int i = 0; i < kCount; i++) {
      ExpectEverywhere(Key(i), i < 6    ? Value(i, 3)
                               : i < 10 ? "NOT_FOUND"
                                        : Value(i, 2));
      ASSERT_EQ(Value(i, 2), Get(Key(i), snapshot));
    }
  };
  const uint64_t retained_before = Counter(HotRapCounter::kRetainedRecords);
  ASSERT_OK(Cross());
  EXPECT_EQ(retained_before, Counter(HotRapCounter::kRetainedRecords));
  EXPECT_EQ(0, NumTableFilesAtLevel(kLastFastLevel));
  expect();
  ASSERT_OK(CompactLevel(db_, cf, kFirstSlowLevel, kFirstSlowLevel + 1));
  expect();
  db_->ReleaseSnapshot(snapshot);
}

// ---- The share that must move down ----------------------------------------

TEST_F(HotRapRetentionTest, AFifthGoesDownWhateverIsHot) {
  DestroyAndReopen(CrossingOptions());
  LoadFast();
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, kCount)));
  ASSERT_OK(Cross());
  const size_t retained = KeysAtLevel(kLastFastLevel).size();
  EXPECT_LE(retained, kCount * 8 / 10);
  EXPECT_GE(retained, kCount * 8 / 10 - 1);
  EXPECT_EQ(kCount - retained, KeysAtLevel(kFirstSlowLevel).size());
  EXPECT_GT(Counter(HotRapCounter::kHotBytesFound),
            Counter(HotRapCounter::kRetainedBytes));
  ExpectVersion(2);
}

// ... and although older, smaller versions are promoted at once. Otherwise a
// crossing that takes nothing down would be picked again for ever.
TEST_F(HotRapRetentionTest, AFifthGoesDownOfPromotedKeysToo) {
  constexpr int kPromoted = 10;
  const std::string grown(kValueBytes / 4, '+');
  DestroyAndReopen(CrossingOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  WaitForRalt();
  ASSERT_OK(PutVersion(db_, cf, 0, kPromoted, 1));
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  Touch(Keys(0, kPromoted));
  for (int i = 0; i < kPromoted; i++) {
    ASSERT_OK(Put(Key(i), Value(i, 2) + grown));
  }
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  for (const auto& key : Keys(0, kPromoted)) {
    ASSERT_TRUE(InCache(key)) << key;
  }
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, kPromoted)));
  ASSERT_OK(Cross());
  EXPECT_GT(Counter(HotRapCounter::kCompactionPromotedRecords), 0);
  EXPECT_LE(KeysAtLevel(kLastFastLevel).size(), kPromoted * 8 / 10);
  for (int i = 0; i < kPromoted; i++) {
    ExpectEverywhere(Key(i), Value(i, 2) + grown);
  }
}

// ... also if the slow tier does not change: what is not kept is a tombstone
// that nobody needs.
TEST_F(HotRapRetentionTest, WhatIsPromotedLeavesTheCache) {
  DestroyAndReopen(CrossingOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  WaitForRalt();
  ASSERT_OK(PutVersion(db_, cf, 0, 5, 1));
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  ASSERT_OK(Delete(std::string(8 * kValueBytes, 'a')));
  ASSERT_OK(PutVersion(db_, cf, kCoverBegin, kCoverBegin + 5, 1));
  ASSERT_OK(Flush());
  Touch(Keys(0, 5));
  std::vector<std::string> hot = Keys(kCoverBegin, kCoverBegin + 5);
  for (const auto& key : Keys(0, 5)) {
    ASSERT_TRUE(InCache(key)) << key;
    hot.push_back(key);
  }
  ASSERT_NO_FATAL_FAILURE(MakeHot(hot));
  ASSERT_OK(CompactLevel(db_, cf, 0, kFirstSlowLevel));
  EXPECT_EQ(AsSet(hot), KeysAtLevel(kLastFastLevel));
  EXPECT_TRUE(FilesAtLevel(kFirstSlowLevel).empty());
  for (const auto& key : Keys(0, 5)) {
    EXPECT_FALSE(InCache(key)) << key;
    EXPECT_TRUE(AnsweredByFastTier(key)) << key;
  }
}

// Outside the range of the fast inputs, there may be other files of the last
// fast level. Records of the slow inputs there stay down, even if hot.
TEST_F(HotRapRetentionTest, SlowRecordsOutOfRangeStayDown) {
  DestroyAndReopen(CrossingOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  ASSERT_OK(PutVersion(db_, cf, 0, kCount, 1));
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel));
  ASSERT_OK(PutVersion(db_, cf, 20, 30, 2));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, kCount)));
  ASSERT_OK(Cross());
  const std::set<std::string> retained = KeysAtLevel(kLastFastLevel);
  ASSERT_FALSE(retained.empty());
  EXPECT_GE(*retained.begin(), Key(20));
  EXPECT_LE(*retained.rbegin(), Key(29));
  for (int i = 0; i < kCount; i++) {
    ExpectEverywhere(Key(i), Value(i, i >= 20 && i < 30 ? 2 : 1));
  }
}

// ... and inside the range they move up, because they have been read already.
TEST_F(HotRapRetentionTest, SlowRecordsInRangeComeUp) {
  DestroyAndReopen(CrossingOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  WaitForRalt();
  ASSERT_OK(PutVersion(db_, cf, 0, kCount, 1));
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel));
  ASSERT_OK(PutVersion(db_, cf, 10, 12, 2));
  ASSERT_OK(PutVersion(db_, cf, 18, 20, 2));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  const std::vector<std::string> hot = {Key(9), Key(13), Key(14), Key(21)};
  ASSERT_NO_FATAL_FAILURE(MakeHot(hot));
  ASSERT_OK(Cross());
  EXPECT_EQ(std::set<std::string>({Key(13), Key(14)}),
            KeysAtLevel(kLastFastLevel));
  const auto expect = [&] {
    for (int i = 0; i < kCount; i++) {
      const bool newer = (i >= 10 && i < 12) || (i >= 18 && i < 20);
      ExpectEverywhere(Key(i), Value(i, newer ? 2 : 1));
    }
    ExpectScans(Keys(0, kCount));
  };
  expect();
  Reopen(CrossingOptions());
  expect();
}

TEST_F(HotRapRetentionTest, NoRetainRetainsNothing) {
  Options options = CrossingOptions();
  options.hotrap.no_retain = true;
  DestroyAndReopen(options);
  LoadFast();
  ASSERT_OK(Cross());
  EXPECT_EQ(0, NumTableFilesAtLevel(kLastFastLevel));
  EXPECT_EQ(0, Counter(HotRapCounter::kRetainedRecords));
  ExpectVersion(2);
}

// ---- Properties of the fast output -----------------------------------------

TEST_F(HotRapRetentionTest, EachOutputHasItsLevelsCompression) {
  for (const bool fast_is_compressed : {false, true}) {
    Options options = CrossingOptions();
    options.compression_per_level.assign(5, kLZ4Compression);
    options.compression_per_level[fast_is_compressed ? kFirstSlowLevel
                                                     : kLastFastLevel] =
        kNoCompression;
    BlockBasedTableOptions table_options;
    table_options.format_version = 6;  // whose tables say it by name
    options.table_factory.reset(NewBlockBasedTableFactory(table_options));
    DestroyAndReopen(options);
    LoadFast();
    ASSERT_OK(Cross());
    ASSERT_EQ(1, NumTableFilesAtLevel(kLastFastLevel));
    ASSERT_EQ(1, NumTableFilesAtLevel(kFirstSlowLevel));
    const auto expect = [&](int level, const std::string& name) {
      ForEachTable(level, [&](const SstFileMetaData&, SstFileReader* table) {
        EXPECT_EQ(name, table->GetTableProperties()->compression_name);
      });
    };
    expect(kLastFastLevel, fast_is_compressed ? "LZ4" : "NoCompression");
    expect(kFirstSlowLevel, fast_is_compressed ? "NoCompression" : "LZ4");
    ExpectVersion(2);
  }
}

// The last level may omit filters then. The last fast level must not, because
// reads of all other keys pass it.
TEST_F(HotRapRetentionTest, RetainedRecordsKeepTheirFilter) {
  Options options = CrossingOptions();
  options.optimize_filters_for_hits = true;
  BlockBasedTableOptions table_options;
  table_options.no_block_cache = true;
  table_options.filter_policy.reset(NewBloomFilterPolicy(10));
  options.table_factory.reset(NewBlockBasedTableFactory(table_options));
  DestroyAndReopen(options);
  ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), 0, kCount, 2));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
  ASSERT_NO_FATAL_FAILURE(MakeHot(HotKeys()));
  ASSERT_OK(Cross());
  ASSERT_EQ(1, NumTableFilesAtLevel(kLastFastLevel));
  ForEachTable(kLastFastLevel,
               [](const SstFileMetaData&, SstFileReader* table) {
                 EXPECT_GT(table->GetTableProperties()->filter_size, 0);
               });
  ASSERT_EQ(1, NumTableFilesAtLevel(kFirstSlowLevel));
  ForEachTable(kFirstSlowLevel,
               [](const SstFileMetaData&, SstFileReader* table) {
                 EXPECT_EQ(0, table->GetTableProperties()->filter_size);
               });
  ExpectVersion(2);
}

// ---- Column families -------------------------------------------------------

TEST_F(HotRapRetentionTest, EachColumnFamilyHasItsOwnHotRecords) {
  const Options options = CrossingOptions();
  Options off = options;
  off.hotrap.enabled = false;
  DestroyAndReopen(options);
  CreateColumnFamilies({"one", "two"}, options);
  CreateColumnFamilies({"off"}, off);
  for (int i = 0; i < 2; i++) {
    LoadFast(handles_[i]);
  }
  ColumnFamilyHandle* const off_cf = handles_[2];
  ASSERT_OK(PutVersion(db_, off_cf, 0, kCount, 2));
  ASSERT_OK(db_->Flush(FlushOptions(), off_cf));
  ASSERT_OK(CompactLevel(db_, off_cf, 0, kLastFastLevel));
  // In "two" the other keys are hot, too.
  ASSERT_NO_FATAL_FAILURE(MakeHot(ColdKeys(), handles_[1]));

  for (ColumnFamilyHandle* cf : handles_) {
    ASSERT_OK(Cross(cf));
  }
  EXPECT_EQ(AsSet(HotKeys()), KeysAtLevel(kLastFastLevel, handles_[0]));
  EXPECT_EQ(AsSet(ColdKeys()), KeysAtLevel(kFirstSlowLevel, handles_[0]));
  EXPECT_GE(KeysAtLevel(kLastFastLevel, handles_[1]).size(),
            HotKeys().size() + 1);
  EXPECT_TRUE(KeysAtLevel(kLastFastLevel, off_cf).empty());
  EXPECT_EQ(0, Counter(HotRapCounter::kCrossings));
  std::string value;
  for (ColumnFamilyHandle* cf : handles_) {
    ExpectPaths(cf);
    for (int i = 0; i < kCount; i++) {
      ASSERT_OK(db_->Get(ReadOptions(), cf, Key(i), &value));
      ASSERT_EQ(Value(i, 2), value);
    }
    EXPECT_EQ(Keys(0, kCount), Scan(db_, ReadOptions(), false, cf));
  }
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests promotion by compaction: which cached records a compaction takes, when
// they leave the cache, and that each key is found once afterwards.

#include <thread>

#include "db/db_impl/db_impl.h"
#include "db/version_set.h"
#include "plugin/hotrap/test_util/hotrap_pathway_test_base.h"
#include "rocksdb/compaction_filter.h"
#include "utilities/merge_operators.h"

namespace ROCKSDB_NAMESPACE {

class HotRapPromotionByCompactionTest : public HotRapPathwayTestBase {
 public:
  HotRapPromotionByCompactionTest()
      : HotRapPathwayTestBase("hotrap_promotion_by_compaction_test") {}

  Options MergeOptions() {
    Options options = CrossingOptions();
    options.merge_operator = MergeOperators::CreateStringAppendOperator();
    return options;
  }
};

TEST_P(HotRapPromotionByCompactionTest, HotCachedRecordsJoin) {
  DestroyAndReopen(CrossingOptions());
  const std::vector<std::string> hot = Keys(10, 20);
  const std::vector<std::string> cold = Keys(30, 32);
  const std::vector<std::string> below = Keys(0, 1);
  const std::vector<std::string> beyond = Keys(90, 91);
  std::vector<std::string> fast = Keys(5, 6);
  for (const auto& key : Keys(50, 80)) {
    fast.push_back(key);
  }
  std::vector<std::string> slow;
  for (const auto* keys : {&below, &hot, &cold, &beyond}) {
    slow.insert(slow.end(), keys->begin(), keys->end());
  }
  WaitForRalt();
  ASSERT_OK(PutAll(slow));
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  ASSERT_OK(PutAll(fast));
  MakeInput();
  for (const auto* keys : {&below, &hot, &beyond}) {
    ASSERT_NO_FATAL_FAILURE(MakeHot(*keys));
  }
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(10, 15)));
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(cold));
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(below));
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(beyond));

  ASSERT_OK(Compact());
  std::set<std::string> expected = AsSet(Keys(10, 15));
  if (!Crosses()) {
    expected.insert(fast.begin(), fast.end());
  }
  EXPECT_EQ(expected, KeysAtLevel(kLastFastLevel));
  ExpectPaths();
  for (const auto& key : Keys(10, 15)) {
    EXPECT_FALSE(InCache(key));
    EXPECT_TRUE(AnsweredByFastTier(key));
  }
  for (const auto* keys : {&below, &beyond}) {
    for (const auto& key : *keys) {
      EXPECT_TRUE(InCache(key)) << key << " is not concerned";
    }
  }
  // The crossing changes the slow tier below it.
  EXPECT_EQ(!Crosses(), InCache(cold[0]));
  const uint64_t bytes = 5 * (Key(10).size() + kValueBytes);
  EXPECT_EQ(5, Counter(HotRapCounter::kCompactionPromotedRecords));
  EXPECT_EQ(bytes, Counter(HotRapCounter::kCompactionPromotedBytes));
  EXPECT_EQ(5, Ticker(HOTRAP_COMPACTION_PROMOTED_RECORDS));
  EXPECT_EQ(bytes, Ticker(HOTRAP_COMPACTION_PROMOTED_BYTES));
  EXPECT_EQ(0, Counter(HotRapCounter::kRetainedRecords));
  ExpectTiers(slow, fast);
  Reopen(CrossingOptions());
  ExpectTiers(slow, fast);
}

TEST_P(HotRapPromotionByCompactionTest, TheyAreTakenFromTheCacheAtTheEnd) {
  DestroyAndReopen(CrossingOptions());
  Load();
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
  FileGate gate(fs_.get(), FileOp::kCreate, kFastTable);
  Status s;
  std::thread compaction([&] { s = Compact(); });
  EXPECT_TRUE(gate.WaitCaught());
  const uint64_t cache_hits = Counter(HotRapCounter::kHitsPromotionCache);
  for (int i = 3; i < 7; i++) {
    EXPECT_TRUE(InCache(Key(i)));
    EXPECT_EQ(Value(i, 1), Get(Key(i)));
  }
  EXPECT_EQ(cache_hits + 4, Counter(HotRapCounter::kHitsPromotionCache));
  gate.Open();
  compaction.join();
  ASSERT_OK(s);
  for (int i = 3; i < 7; i++) {
    EXPECT_FALSE(InCache(Key(i)));
    EXPECT_TRUE(AnsweredByFastTier(Key(i)));
  }
  ExpectCovered();
}

TEST_P(HotRapPromotionByCompactionTest, EachKeyIsMetOnce) {
  DestroyAndReopen(CrossingOptions());
  Load();
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 13)));
  ASSERT_EQ(0, Cached(Key(3))->seq) << "nothing to test: not zeroed";
  ASSERT_OK(Compact());
  ASSERT_EQ(AsSet(Keys(3, 13)), Promoted());
  const Snapshot* const snapshot = db_->GetSnapshot();
  const std::string first = Key(2);
  const std::string end = Key(8);
  const Slice lower = first;
  const Slice upper = end;
  const auto expect = [&](const Snapshot* at) {
    ReadOptions options;
    options.snapshot = at;
    ExpectCoveredScans(options);
    options.iterate_lower_bound = &lower;
    options.iterate_upper_bound = &upper;
    ExpectScans(Keys(2, 8), options);
  };
  expect(nullptr);
  expect(snapshot);
  db_->ReleaseSnapshot(snapshot);
  Reopen(CrossingOptions());
  expect(nullptr);
  // Wherever the copies move.
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  for (int level = kLastFastLevel; level <= kFirstSlowLevel; level++) {
    ASSERT_OK(CompactLevel(db_, cf, level, level + 1));
    expect(nullptr);
  }
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  expect(nullptr);
  ExpectCovered();
}

TEST_P(HotRapPromotionByCompactionTest, OnesOwnShareOfTheInput) {
  DestroyAndReopen(CrossingOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  WaitForRalt();
  ASSERT_OK(PutVersion(db_, cf, 0, kCount, 1));
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  ASSERT_OK(Put("a", "cover"));
  ASSERT_OK(PutVersion(db_, cf, kCoverBegin, kCoverBegin + 5, 1));
  ASSERT_OK(Flush());
  if (Crosses()) {
    ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  }
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, kCount)));
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(0, 12)));
  ASSERT_OK(Compact());
  // A crossing moves down at least a fifth of its fast input; a compaction
  // within the fast tier has no such rule.
  EXPECT_EQ(Crosses() ? 4 : 12, Promoted().size());
  EXPECT_EQ(Promoted().size(),
            Counter(HotRapCounter::kCompactionPromotedRecords));
  for (int i = 0; i < kCount; i++) {
    ExpectEverywhere(Key(i), Value(i, 1));
  }
}

// The records are being promoted by flush. A crossing takes them, too, and
// changes the slow tier below them, so that the promoted file comes too late.
TEST_P(HotRapPromotionByCompactionTest, WhileTheyArePromotedByFlush) {
  Options options = CrossingOptions();
  options.hotrap.promotion_cache_bytes = 16 << 10;
  KeepCompactionsOut(&options);
  DestroyAndReopen(options);
  ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), kFillersBegin,
                       kFillersEnd, 1));
  Load();
  ASSERT_NO_FATAL_FAILURE(MakeHot(Fillers()));
  FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&build, Keys(3, 7)));
  ASSERT_OK(Compact());
  EXPECT_EQ(Crosses() ? AsSet(Keys(3, 7)) : std::set<std::string>(),
            Promoted());
  LetGo(&build);
  if (Crosses()) {
    EXPECT_GE(Counter(HotRapCounter::kDroppedInvalidated), 4);
  }
  for (const auto& key : Keys(3, 7)) {
    EXPECT_TRUE(AnsweredByFastTier(key));
  }
  std::vector<std::string> keys = {"a"};
  for (const auto& more : {Keys(0, kCount), CoverKeys(), Fillers()}) {
    keys.insert(keys.end(), more.begin(), more.end());
  }
  ExpectScans(keys);
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  ExpectScans(keys);
}

// ---- Newer versions --------------------------------------------------------

TEST_P(HotRapPromotionByCompactionTest, NewerVersionsAmongTheInputsWin) {
  DestroyAndReopen(MergeOptions());
  Load();
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 12)));
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  ASSERT_OK(Put(Key(3), Value(3, 2)));
  ASSERT_OK(Delete(Key(4)));
  ASSERT_OK(db_->DeleteRange(WriteOptions(), Key(5), Key(6)));
  ASSERT_OK(db_->Merge(WriteOptions(), Key(6), "merged"));
  ASSERT_OK(SingleDelete(Key(7)));
  ASSERT_OK(db_->PutEntity(WriteOptions(), cf, Key(8),
                           {{kDefaultWideColumnName, "entity"}}));
  MakeInput();
  // Newer versions above: in level 0 (for the crossing) and in the memtable.
  ASSERT_OK(Put(Key(9), Value(9, 2)));
  if (Crosses()) {
    ASSERT_OK(Flush());
  }
  ASSERT_OK(Delete(Key(10)));
  for (int i = 3; i < 12; i++) {
    ASSERT_TRUE(InCache(Key(i)));
  }
  const auto expect = [&] {
    ExpectEverywhere(Key(3), Value(3, 2));
    ExpectEverywhere(Key(4), "NOT_FOUND");
    ExpectEverywhere(Key(5), "NOT_FOUND");
    ExpectEverywhere(Key(6), Value(6, 1) + ",merged");
    ExpectEverywhere(Key(7), "NOT_FOUND");
    ExpectEverywhere(Key(8), "entity");
    ExpectEverywhere(Key(9), Value(9, 2));
    ExpectEverywhere(Key(10), "NOT_FOUND");
    ExpectEverywhere(Key(11), Value(11, 1));
  };
  expect();
  ASSERT_OK(Compact());
  EXPECT_EQ(9, Counter(HotRapCounter::kCompactionPromotedRecords));
  EXPECT_EQ(1, Promoted().count(Key(11)));
  expect();
  ASSERT_OK(Flush());
  expect();
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  expect();
  ASSERT_OK(Cross());
  expect();
  Reopen(MergeOptions());
  expect();
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  expect();
}

// If a file ends with a range tombstone, its largest key is exclusive, and
// another file of the level may begin there.
TEST_P(HotRapPromotionByCompactionTest, ExclusiveEndOfTheRange) {
  DestroyAndReopen(CrossingOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  WaitForRalt();
  ASSERT_OK(PutVersion(db_, cf, 0, kCount, 1));
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, kCount)));
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
  ASSERT_OK(SetByCompaction(false));
  const std::string big(5 * kValueBytes, 'b');
  if (Crosses()) {
    // One tombstone over both files of level 1, cut at Key(5).
    ASSERT_OK(db_->DeleteRange(WriteOptions(), Key(4), Key(7)));
    ASSERT_OK(Put("b", big));
    ASSERT_OK(PutVersion(db_, cf, 5, 8, 2));
    ASSERT_OK(Flush());
    CompactionOptions options;
    options.output_file_size_limit = 4 << 10;
    ASSERT_OK(db_->CompactFiles(options, {FilesAtLevel(0)[0].name},
                                kLastFastLevel, /*output_path_id=*/0));
  } else {
    ASSERT_OK(PutVersion(db_, cf, 5, 8, 2));
    ASSERT_OK(Flush());
    ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
    ASSERT_OK(db_->DeleteRange(WriteOptions(), Key(4), Key(5)));
    ASSERT_OK(Put("b", big));
    ASSERT_OK(Flush());
  }
  const std::vector<SstFileMetaData> from = FilesAtLevel(FromLevel());
  // The cut depends on the file's blocks.
  const std::string cut = from[0].largestkey;
  ASSERT_TRUE(cut == Key(5) || cut == Key(6)) << "nothing to test";
  ASSERT_EQ(cut, FilesAtLevel(kLastFastLevel).back().smallestkey);
  ASSERT_OK(SetByCompaction(true));
  // CompactFiles() would take the other file, too.
  const Slice b = "b";
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), &b, &b));
  EXPECT_EQ(cut == Key(5) ? 2 : 3,
            Counter(HotRapCounter::kCompactionPromotedRecords));
  const auto expect = [&] {
    for (int i = 0; i < kCount; i++) {
      ExpectEverywhere(Key(i), i == 4            ? "NOT_FOUND"
                               : i >= 5 && i < 8 ? Value(i, 2)
                                                 : Value(i, 1));
    }
  };
  EXPECT_EQ(1, Promoted().count(Key(3)));
  expect();
  Reopen(CrossingOptions());
  expect();
}

// A snapshot that is older than the key does not see its copy.
TEST_P(HotRapPromotionByCompactionTest, SnapshotSeesNoYoungerKey) {
  DestroyAndReopen(CrossingOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  WaitForRalt();
  ASSERT_OK(PutVersion(db_, cf, 5, 7, 1));
  const Snapshot* const snapshot = db_->GetSnapshot();
  ASSERT_OK(PutVersion(db_, cf, 3, 6, 2));
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  ASSERT_OK(Put("a", "cover"));
  ASSERT_OK(PutVersion(db_, cf, kCoverBegin, kCoverBegin + kCount, 1));
  MakeInput();
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(3, 7)));
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
  ASSERT_OK(Compact());
  EXPECT_EQ(AsSet(Keys(3, 7)), Promoted());
  const auto expect = [&] {
    EXPECT_EQ("NOT_FOUND", Get(Key(3), snapshot));
    EXPECT_EQ("NOT_FOUND", MultiGet({Key(4)}, snapshot)[0]);
    EXPECT_EQ(Value(5, 1), Get(Key(5), snapshot));
    EXPECT_EQ(Value(6, 1), Get(Key(6), snapshot));
    ReadOptions options;
    options.snapshot = snapshot;
    ExpectScans(Keys(5, 7), options);
    for (int i = 3; i < 7; i++) {
      ExpectEverywhere(Key(i), Value(i, i < 6 ? 2 : 1));
    }
  };
  expect();
  ASSERT_OK(Cross());
  expect();
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  expect();
  db_->ReleaseSnapshot(snapshot);
}

// ---- Subcompactions, and the count of records -----------------------------

TEST_P(HotRapPromotionByCompactionTest, Subcompactions) {
  Options options = CrossingOptions();
  options.max_subcompactions = 4;
  options.target_file_size_base = 16 << 10;
  DestroyAndReopen(options);
  // Far more fast cold keys than slow hot keys.
  std::vector<std::string> slow;
  std::vector<std::string> fast;
  for (int i = 0; i < 200; i++) {
    (i % 4 == 2 ? slow : fast).push_back(Key(i));
  }
  LoadTiers(slow, fast);
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(slow));
  HistogramData before;
  options.statistics->histogramData(NUM_SUBCOMPACTIONS_SCHEDULED, &before);
  ASSERT_OK(Compact());
  HistogramData after;
  options.statistics->histogramData(NUM_SUBCOMPACTIONS_SCHEDULED, &after);
  EXPECT_GT(after.count, before.count) << "nothing to test: one only";
  EXPECT_EQ(slow.size(), Counter(HotRapCounter::kCompactionPromotedRecords));
  for (const auto& key : slow) {
    EXPECT_TRUE(AnsweredByFastTier(key)) << key;
  }
  ExpectTiers(slow, fast);
  ASSERT_OK(db_->VerifyChecksum());
  Reopen(options);
  ExpectTiers(slow, fast);
}

// ---- Where nothing is promoted ---------------------------------------------

TEST_P(HotRapPromotionByCompactionTest, NoByCompaction) {
  DestroyAndReopen(CrossingOptions());
  Load();
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
  ASSERT_OK(SetByCompaction(false));
  ASSERT_OK(Compact());
  EXPECT_EQ(0, Counter(HotRapCounter::kCompactionPromotedRecords));
  EXPECT_TRUE(Promoted().empty());
  ExpectCovered();
}

// The filter is asked about each record before it is taken. A crossing that was
// asked for brings copies down to their originals, and takes none.
TEST_P(HotRapPromotionByCompactionTest, CompactionFilter) {
  class ChangeSome : public CompactionFilter {
   public:
    const char* Name() const override { return "ChangeSome"; }
    bool Filter(int /*level*/, const Slice& key, const Slice& value,
                std::string* new_value, bool* value_changed) const override {
      *value_changed = key == Key(3);
      *new_value = value.ToString();
      return false;
    }
  };
  static ChangeSome filter;
  Options options = CrossingOptions();
  DestroyAndReopen(options);
  Load();
  options.compaction_filter = &filter;
  Reopen(options);
  WaitForRalt();
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 5)));
  ASSERT_OK(Compact());
  const uint64_t taken = Crosses() ? 0 : 1;
  EXPECT_EQ(taken, Counter(HotRapCounter::kCompactionPromotedRecords));
  EXPECT_EQ(taken, Counter(HotRapCounter::kDroppedFiltered));
  if (!Crosses()) {
    EXPECT_EQ(AsSet(Keys(4, 5)), Promoted());
  }
  ExpectCovered();
}

INSTANTIATE_PATHWAYS(HotRapPromotionByCompactionTest);

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests promotion in column families with a compaction filter. Only what the
// filter keeps is promoted. What it decides meanwhile takes effect in all kinds
// of reads at once or in none, and what it has removed or changed does not come
// back.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "plugin/hotrap/test_util/deciding_filter.h"
#include "plugin/hotrap/test_util/hotrap_safety_test_base.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/experimental.h"
#include "rocksdb/utilities/db_ttl.h"
#include "rocksdb/wide_columns.h"

namespace ROCKSDB_NAMESPACE {

using Decision = CompactionFilter::Decision;
using Asker = DecidingFilter::Asker;

namespace {
constexpr int kNumKeys = 10;
// The filter decides about [0, kFiltered).
constexpr int kFiltered = 5;

const std::vector<Decision> kDecisions = {
    Decision::kRemove, Decision::kChangeValue, Decision::kRemoveAndSkipUntil,
    Decision::kPurge, Decision::kChangeWideColumnEntity};
}  // namespace

class HotRapFilterTestBase : public HotRapSafetyTestBase {
 public:
  HotRapFilterTestBase() : HotRapSafetyTestBase("hotrap_filter_test") {}
  ~HotRapFilterTestBase() override { Close(); }  // before the filter goes

  Options FilterOptions() {
    Options options = TrapOptions();
    // What is compacted to the slow tier has to arrive there.
    options.hotrap.no_retain = true;
    options.compaction_filter = &filter_;
    return options;
  }

  // Opens the DB with all keys hot and in the slow tier.
  void Load(const Options& options) {
    DestroyAndReopen(options);
    ASSERT_NO_FATAL_FAILURE(LoadSlow(kNumKeys));
  }

  void Decide(Decision decision) {
    filter_.Decide(decision, Key(0), Key(kFiltered));
  }

  // What the filter makes of a record.
  static std::string After(Decision decision, int i) {
    return decision == Decision::kKeep ? Value(i, 1)
           : decision == Decision::kChangeValue ||
                   decision == Decision::kChangeWideColumnEntity
               ? "new|" + Value(i, 1)
               : "NOT_FOUND";
  }
  void ExpectFiltered(Decision decision) {
    for (int i = 0; i < kNumKeys; i++) {
      ExpectEverywhere(Key(i),
                       i < kFiltered ? After(decision, i) : Value(i, 1));
    }
  }

  // Compacts the slow tier within itself.
  Status CompactSlow() {
    const DecidingFilter::InCompaction in_compaction;
    return CompactLevel(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1,
                        kFirstSlowLevel + 1);
  }
  Status CompactFully() {
    const DecidingFilter::InCompaction in_compaction;
    return CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1);
  }

  // Compacts fully, and expects that the filter's decision has come into force.
  void ExpectInTheEnd(Decision decision) {
    ASSERT_OK(CompactFully());
    ExpectFiltered(decision);
    ASSERT_OK(CompactFully());
    ExpectFiltered(decision);
  }

  bool Promoted(int i) { return AnsweredByFastTier(Key(i)); }

 protected:
  DecidingFilter filter_;
};

class HotRapFilterTest : public HotRapFilterTestBase,
                         public testing::WithParamInterface<Decision> {};

// ---- What is promoted -------------------------------------------------------

TEST_P(HotRapFilterTest, OnlyWhatItKeepsIsPromoted) {
  ASSERT_NO_FATAL_FAILURE(Load(FilterOptions()));
  Decide(GetParam());
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(kFiltered, kNumKeys)));
  // Each record that is admitted is a batch of its own.
  ASSERT_OK(db_->SetOptions({{"hotrap", "{promotion_cache_bytes=1024;}"}}));
  for (int round = 0; round < 50; round++) {
    Touch(Keys(0, kNumKeys));
    Touch(Fillers());
    WaitForPromotionIdle();
  }
  for (int i = 0; i < kFiltered; i++) {
    EXPECT_FALSE(Promoted(i)) << i;
    // It is not asked again and again.
    EXPECT_LE(1, filter_.asked(Asker::kPromotion, Key(i)));
    EXPECT_GE(2, filter_.asked(Asker::kPromotion, Key(i)));
  }
  EXPECT_LE(kFiltered, Counter(HotRapCounter::kDroppedFiltered));
  EXPECT_LT(0, Counter(HotRapCounter::kRefusedFiltered));
  std::map<std::string, std::string> stats;
  ASSERT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
  EXPECT_EQ("", stats["promotion_blocked_reason"]);
  ASSERT_NO_FATAL_FAILURE(ExpectInTheEnd(GetParam()));
}

class HotRapFilterCasesTest : public HotRapFilterTestBase {};

TEST_F(HotRapFilterCasesTest, IsAskedAsRocksDBAsks) {
  ASSERT_NO_FATAL_FAILURE(Load(FilterOptions()));
  ASSERT_NO_FATAL_FAILURE(Promote({Key(3)}));
  EXPECT_LE(1, filter_.asked(Asker::kPromotion, Key(3)));
  EXPECT_EQ(0, filter_.last_level());
  EXPECT_EQ(CompactionFilter::ValueType::kValue, filter_.last_type());
  EXPECT_NE(std::string::npos, filter_.last_value().find("@1:"));
}

TEST_F(HotRapFilterCasesTest, Entities) {
  Options options = FilterOptions();
  DestroyAndReopen(options);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  for (int i = 0; i < kNumKeys; i++) {
    ASSERT_OK(db_->PutEntity(WriteOptions(), cf, Key(i),
                             WideColumns{{"", Value(i, 1)}, {"c", "d"}}));
  }
  ASSERT_OK(PutVersion(db_, cf, kFillersBegin, kFillersEnd, 1));
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, kNumKeys)));
  ASSERT_NO_FATAL_FAILURE(MakeHot(Fillers()));
  Decide(Decision::kRemove);
  for (int round = 0; !Promoted(kFiltered); round++) {
    ASSERT_LT(round, 200);
    for (int i = 0; i < kNumKeys; i++) {
      // Get() reads only a part of an entity, which is not promoted.
      PinnableWideColumns columns;
      ASSERT_OK(db_->GetEntity(ReadOptions(), cf, Key(i), &columns));
    }
    Touch(Fillers());
    WaitForPromotionIdle();
  }
  EXPECT_FALSE(Promoted(0));
  EXPECT_LE(1, filter_.asked(Asker::kPromotion, Key(0)));
  ASSERT_NO_FATAL_FAILURE(ExpectInTheEnd(Decision::kRemove));
}

namespace {
class TestFactory : public CompactionFilterFactory {
 public:
  const char* Name() const override { return "TestFactory"; }
  bool ShouldFilterTableFileCreation(
      TableFileCreationReason reason) const override {
    return filters && reason == TableFileCreationReason::kCompaction;
  }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context& context) override {
    if (context.input_start_level ==
        CompactionFilter::Context::kUnknownStartLevel) {
      promotions++;
      EXPECT_FALSE(context.is_full_compaction);
      EXPECT_FALSE(context.is_manual_compaction);
      EXPECT_EQ(0u, context.column_family_id);
      EXPECT_EQ(TableFileCreationReason::kCompaction, context.reason);
    }
    if (!creates) {
      return nullptr;
    }
    auto filter = std::make_unique<DecidingFilter>();
    filter->Decide(decision, HotRapDBTestBase::Key(0),
                   HotRapDBTestBase::Key(kFiltered));
    return filter;
  }

  std::atomic<bool> filters{true};
  std::atomic<bool> creates{true};
  std::atomic<Decision> decision{Decision::kKeep};
  std::atomic<int> promotions{0};
};
}  // namespace

TEST_F(HotRapFilterCasesTest, FactoriesMakeOneForEachPromotion) {
  auto factory = std::make_shared<TestFactory>();
  Options options = FilterOptions();
  options.compaction_filter = nullptr;
  options.compaction_filter_factory = factory;
  ASSERT_NO_FATAL_FAILURE(Load(options));
  factory->decision = Decision::kRemove;
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(kFiltered, kNumKeys)));
  EXPECT_EQ(Counter(HotRapCounter::kSeals),
            static_cast<uint64_t>(factory->promotions));
  EXPECT_FALSE(Promoted(0));
  // One that makes no filter has nothing against it.
  factory->creates = false;
  Reopen(options);  // what was refused is forgotten
  WaitForRalt();
  ASSERT_NO_FATAL_FAILURE(Promote({Key(0)}));
  // Nor has one that is not for compactions; it is not asked at all.
  factory->creates = true;
  factory->filters = false;
  Reopen(options);
  WaitForRalt();
  const int promotions = factory->promotions;
  ASSERT_NO_FATAL_FAILURE(Promote({Key(1)}));
  EXPECT_EQ(promotions, factory->promotions);
  factory->filters = true;
  ASSERT_NO_FATAL_FAILURE(ExpectInTheEnd(Decision::kRemove));
}

// RocksDB compacts nothing with such a filter.
TEST_F(HotRapFilterCasesTest, FilterThatRespectsSnapshots) {
  class Respectful : public CompactionFilter {
   public:
    const char* Name() const override { return "Respectful"; }
    bool IgnoreSnapshots() const override { return false; }
  };
  static Respectful filter;
  Options options = FilterOptions();
  ASSERT_NO_FATAL_FAILURE(Load(options));
  options.compaction_filter = &filter;
  Reopen(options);
  WaitForRalt();
  ASSERT_NO_FATAL_FAILURE(RunPromotion(Keys(0, kNumKeys)));
  EXPECT_EQ(0, Counter(HotRapCounter::kPromotedRecords));
  ExpectFiltered(Decision::kKeep);
}

// ---- What it decides while a record is cached -------------------------------

TEST_P(HotRapFilterTest, TheCacheKeepsNothingThatItChanges) {
  ASSERT_NO_FATAL_FAILURE(Load(FilterOptions()));
  Touch(Keys(0, kNumKeys));
  ASSERT_TRUE(InCache(Key(0)));
  Decide(GetParam());
  ASSERT_OK(CompactSlow());
  EXPECT_FALSE(InCache(Key(0)));
  EXPECT_TRUE(InCache(Key(kFiltered)) ||
              GetParam() == Decision::kRemoveAndSkipUntil);
  ExpectFiltered(GetParam());
  ASSERT_NO_FATAL_FAILURE(RunPromotion(Keys(0, kNumKeys)));
  ExpectFiltered(GetParam());
  ASSERT_NO_FATAL_FAILURE(ExpectInTheEnd(GetParam()));
}

// A read has found the record before it is changed, and comes to the cache
// afterwards.
TEST_P(HotRapFilterTest, LateReaders) {
  ASSERT_NO_FATAL_FAILURE(Load(FilterOptions()));
  FileGate slow_read(fs_.get(), FileOp::kRead, kSlowTable);
  std::string read;
  std::thread reader([&] { read = Get(Key(0)); });
  ASSERT_TRUE(slow_read.WaitCaught());
  Decide(GetParam());
  ASSERT_OK(CompactSlow());
  ExpectFiltered(GetParam());
  slow_read.Open();
  reader.join();
  EXPECT_EQ(Value(0, 1), read);
  const PromotionRecordPtr cached = Cached(Key(0));
  EXPECT_TRUE(cached == nullptr || cached->value == After(GetParam(), 0));
  ExpectFiltered(GetParam());
  ASSERT_NO_FATAL_FAILURE(ExpectInTheEnd(GetParam()));
}

// A read finds the record while a compaction runs that has changed it already.
TEST_P(HotRapFilterTest, ReadsBesideTheCompaction) {
  ASSERT_NO_FATAL_FAILURE(Load(FilterOptions()));
  Decide(GetParam());
  // A skip goes on to the end of the range.
  const int next = GetParam() == Decision::kRemoveAndSkipUntil ? kFiltered : 1;
  filter_.Hold(Asker::kCompaction, Key(next));
  std::thread compaction([&] { ASSERT_OK(CompactSlow()); });
  ASSERT_TRUE(filter_.WaitHeld());
  ExpectFiltered(Decision::kKeep);
  EXPECT_FALSE(InCache(Key(0)));
  EXPECT_TRUE(InCache(Key(kNumKeys - 1)));
  EXPECT_LT(0, Counter(HotRapCounter::kRefusedStale));
  filter_.LetGo();
  compaction.join();
  ExpectFiltered(GetParam());
  ASSERT_NO_FATAL_FAILURE(ExpectInTheEnd(GetParam()));
}

// ---- What it decides while a record is promoted -----------------------------

// The promotion has taken its records and asks the filter about them, which
// keeps them, and then changes its mind.
TEST_P(HotRapFilterTest, BeforeThePromotionTells) {
  ASSERT_NO_FATAL_FAILURE(Load(FilterOptions()));
  filter_.Hold(Asker::kPromotion, Key(kFillersBegin));
  Touch(Keys(0, kNumKeys));
  ASSERT_TRUE(InCache(Key(0)));
  for (int round = 0; !filter_.held(); round++) {
    ASSERT_LT(round, 20000) << "no promotion starts";
    Touch(Fillers());
  }
  ASSERT_LE(1, filter_.asked(Asker::kPromotion, Key(0)));
  Decide(GetParam());
  ASSERT_OK(CompactSlow());
  ExpectFiltered(GetParam());
  const uint64_t promoted = Counter(HotRapCounter::kPromotedRecords);
  filter_.LetGo();
  WaitForPromotionIdle();
  EXPECT_LT(promoted, Counter(HotRapCounter::kPromotedRecords));
  EXPECT_LE(kFiltered, Counter(HotRapCounter::kDroppedFiltered));
  ExpectFiltered(GetParam());
  ASSERT_NO_FATAL_FAILURE(ExpectInTheEnd(GetParam()));
}

// The promotion writes its table.
TEST_P(HotRapFilterTest, WhileThePromotionWrites) {
  ASSERT_NO_FATAL_FAILURE(Load(FilterOptions()));
  {
    FileGate fast_table(fs_.get(), FileOp::kCreate, kFastTable);
    ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&fast_table, Keys(0, kNumKeys)));
    Decide(GetParam());
    ASSERT_OK(CompactSlow());
    ExpectFiltered(Decision::kKeep);
    LetGo(&fast_table);
  }
  EXPECT_TRUE(Promoted(0));
  ExpectFiltered(Decision::kKeep);
  // Now a copy is above.
  ASSERT_OK(CompactSlow());
  ExpectFiltered(Decision::kKeep);
  ASSERT_NO_FATAL_FAILURE(ExpectInTheEnd(GetParam()));
}

// The promotion begins and ends while a compaction runs, which has looked for
// copies before.
TEST_P(HotRapFilterTest, PromotionBesideTheCompaction) {
  ASSERT_NO_FATAL_FAILURE(Load(FilterOptions()));
  filter_.Hold(Asker::kCompaction, Key(0));
  std::thread compaction([&] { ASSERT_OK(CompactSlow()); });
  ASSERT_TRUE(filter_.WaitHeld());
  Promote(Keys(0, kNumKeys));
  Decide(GetParam());
  filter_.LetGo();
  compaction.join();
  ExpectFiltered(Decision::kKeep);
  ASSERT_NO_FATAL_FAILURE(ExpectInTheEnd(GetParam()));
}

// A compaction into the last fast level has taken the records, and asks the
// filter about them.
TEST_P(HotRapFilterTest, BeforeACompactionTakesThem) {
  ASSERT_NO_FATAL_FAILURE(Load(FilterOptions()));
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  ASSERT_OK(Put("a", "covers the keys"));
  ASSERT_OK(Put("z", "too"));
  ASSERT_OK(Flush());
  Touch(Keys(0, kNumKeys));
  ASSERT_TRUE(InCache(Key(0)));
  filter_.Hold(Asker::kCompaction, Key(kNumKeys - 1));
  std::thread compaction([&] {
    const DecidingFilter::InCompaction in_compaction;
    ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  });
  ASSERT_TRUE(filter_.WaitHeld());
  Decide(GetParam());
  ASSERT_OK(CompactSlow());
  ExpectFiltered(GetParam());
  filter_.LetGo();
  compaction.join();
  EXPECT_LE(kFiltered, Counter(HotRapCounter::kDroppedFiltered));
  EXPECT_TRUE(Promoted(kNumKeys - 1) ||
              GetParam() == Decision::kRemoveAndSkipUntil);
  ExpectFiltered(GetParam());
  ASSERT_NO_FATAL_FAILURE(ExpectInTheEnd(GetParam()));
}

// ---- Copies that are there --------------------------------------------------

// A skip that would pass over copies removes the records that have none, one
// after another.
TEST_F(HotRapFilterCasesTest, SkipsAroundCopies) {
  ASSERT_NO_FATAL_FAILURE(Load(FilterOptions()));
  ASSERT_NO_FATAL_FAILURE(Promote({Key(1), Key(3)}));
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, 1));
  const bool promoted[] = {Promoted(0), true, Promoted(2), true, Promoted(4)};
  Decide(Decision::kRemoveAndSkipUntil);
  ASSERT_OK(CompactSlow());
  for (int i = 0; i < kFiltered; i++) {
    ExpectEverywhere(Key(i), promoted[i] ? Value(i, 1) : "NOT_FOUND");
  }
  ExpectEverywhere(Key(kFiltered), Value(kFiltered, 1));
  ASSERT_NO_FATAL_FAILURE(ExpectInTheEnd(Decision::kRemoveAndSkipUntil));
}

// A crossing asks the filter about hot copies, too, and keeps them only if it
// does.
TEST_P(HotRapFilterTest, CopiesStayWhileItKeepsThem) {
  Options options = FilterOptions();
  options.hotrap.no_retain = false;
  ASSERT_NO_FATAL_FAILURE(Load(options));
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, kNumKeys)));
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  // Something cold has to go down.
  ASSERT_OK(PutVersion(db_, cf, 2000, 2100, 1));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  const auto cross = [&] {
    const uint64_t crossings = Counter(HotRapCounter::kCrossings);
    ASSERT_OK(experimental::SuggestCompactRange(db_, cf, nullptr, nullptr));
    for (int i = 0; Counter(HotRapCounter::kCrossings) == crossings; i++) {
      ASSERT_LT(i, 6000) << Levels();
      env_->SleepForMicroseconds(10000);
    }
    ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  };
  ASSERT_NO_FATAL_FAILURE(cross());
  for (int i = 0; i < kNumKeys; i++) {
    EXPECT_TRUE(Promoted(i)) << i << Levels();
  }
  Decide(GetParam());
  ASSERT_NO_FATAL_FAILURE(cross());
  // The others stay. These sink by themselves.
  EXPECT_TRUE(Promoted(kFiltered)) << Levels();
  for (int i = 0; Get(Key(0)) != After(GetParam(), 0); i++) {
    ASSERT_LT(i, 6000) << Levels();
    env_->SleepForMicroseconds(10000);
  }
  ExpectFiltered(GetParam());
  ASSERT_NO_FATAL_FAILURE(ExpectInTheEnd(GetParam()));
}

// A filter that looks at the level decides about each record at its level when
// everything is compacted by hand.
TEST_F(HotRapFilterCasesTest, CompactionsByHandTakeCopiesDown) {
  Options options = FilterOptions();
  options.hotrap.no_retain = false;
  ASSERT_NO_FATAL_FAILURE(Load(options));
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, kNumKeys)));
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  ASSERT_OK(PutVersion(db_, cf, 2000, 2100, 1));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  ASSERT_TRUE(Promoted(0));
  ASSERT_OK(CompactLevel(db_, cf, 1, kFirstSlowLevel));
  uint64_t copies = 0;
  for (int i = 0; i < kNumKeys; i++) {
    EXPECT_FALSE(Promoted(i)) << i;
  }
  ASSERT_OK(CompactFully());
  ASSERT_TRUE(db_->GetIntProperty(kHotRapCopiesProperty, &copies));
  EXPECT_EQ(0, copies);
}

INSTANTIATE_TEST_CASE_P(Decisions, HotRapFilterTest,
                        testing::ValuesIn(kDecisions));

}  // namespace ROCKSDB_NAMESPACE

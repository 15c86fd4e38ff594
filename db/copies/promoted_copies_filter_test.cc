//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests compaction filters with promoted copies. Whatever a filter decides,
// point reads and scans agree, removed records do not come back, and in the end
// the filter has processed every record.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "plugin/hotrap/db/copies/promoted_copies.h"
#include "plugin/hotrap/test_util/hotrap_safety_test_base.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/utilities/db_ttl.h"
#include "rocksdb/utilities/debug.h"
#include "rocksdb/version.h"
#include "rocksdb/wide_columns.h"
#include "utilities/merge_operators.h"

namespace ROCKSDB_NAMESPACE {

namespace {
constexpr int kHot = 40;
// The filter acts on [0, kFiltered), half of which is hot.
constexpr int kFiltered = 2 * kHot;
constexpr int kNumKeys = 200;

enum class Kind { kRemove, kChange, kSkip, kPurge, kRemoveByFactory, kEntity };

class TestFilter : public CompactionFilter {
 public:
  explicit TestFilter(Kind kind) : kind_(kind) {}
  const char* Name() const override { return "TestFilter"; }

  Decision FilterV3(int /*level*/, const Slice& key, ValueType /*type*/,
                    const Slice* existing_value,
                    const WideColumns* /*existing_columns*/,
                    std::string* new_value,
                    std::vector<std::pair<std::string, std::string>>*,
                    std::string* skip_until) const override {
    if (key.compare(HotRapDBTestBase::Key(kFiltered)) >= 0) {
      return Decision::kKeep;
    }
    switch (kind_) {
      case Kind::kChange:
        if (existing_value->starts_with("new|")) {
          return Decision::kKeep;
        }
        *new_value = "new|" + existing_value->ToString();
        return Decision::kChangeValue;
      case Kind::kSkip:
        *skip_until = HotRapDBTestBase::Key(kFiltered);
        return Decision::kRemoveAndSkipUntil;
      case Kind::kPurge:
        return Decision::kPurge;
      default:
        return Decision::kRemove;
    }
  }

 private:
  const Kind kind_;
};

class TestFilterFactory : public CompactionFilterFactory {
 public:
  const char* Name() const override { return "TestFilterFactory"; }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context&) override {
    return std::make_unique<TestFilter>(Kind::kRemove);
  }
};
}  // namespace

// Parameters: the kind of filter; whether HotRAP is on; whether the filter sees
// copies or originals first.
class PromotedCopiesFilterTest
    : public HotRapSafetyTestBase,
      public testing::WithParamInterface<std::tuple<Kind, bool, bool>> {
 public:
  PromotedCopiesFilterTest()
      : HotRapSafetyTestBase("promoted_copies_filter_test"),
        filter_(std::get<0>(GetParam())) {}

  Kind kind() const { return std::get<0>(GetParam()); }

  // Sequence numbers in level 3 are kept, because level 4 has the keys, too.
  void Load() {
    ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
    ASSERT_OK(Write(kNumKeys, 1));
    ASSERT_OK(PutVersion(db_, cf, kFillersBegin, kFillersEnd, 1));
    ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 2));
    ASSERT_OK(Write(kNumKeys, 2));
    ASSERT_OK(Flush());
    ASSERT_OK(CompactLevel(db_, cf, 0, kFirstSlowLevel + 1));
    ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, kHot)));
    ASSERT_NO_FATAL_FAILURE(MakeHot(Fillers()));
    for (int round = 0; kind() == Kind::kEntity && round < 50; round++) {
      // Get() reads only a part of an entity, which is not promoted.
      for (int i = 0; i < kHot; i++) {
        PinnableWideColumns columns;
        ASSERT_OK(db_->GetEntity(ReadOptions(), cf, Key(i), &columns));
      }
      Touch(Fillers());
      WaitForPromotionIdle();
    }
    ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, kHot)));
    ASSERT_GT(NumTableFilesAtLevel(0), 0);
  }
  Status Write(int end, int version) {
    Status s;
    for (int i = 0; i < end && s.ok(); i++) {
      if (kind() == Kind::kEntity) {
        s = db_->PutEntity(WriteOptions(), db_->DefaultColumnFamily(), Key(i),
                           WideColumns{{"", Value(i, version)}, {"c", "d"}});
      } else {
        s = Put(Key(i), Value(i, version));
      }
    }
    return s;
  }

  Options WithFilter(Options options) {
    if (kind() == Kind::kRemoveByFactory) {
      options.compaction_filter_factory = std::make_shared<TestFilterFactory>();
    } else {
      options.compaction_filter = &filter_;
    }
    return options;
  }

  // Expects that point reads and scans agree, and that no earlier state comes
  // back.
  void Check(const std::string& when) {
    std::map<std::string, std::string> scanned;
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      EXPECT_TRUE(
          scanned.emplace(it->key().ToString(), it->value().ToString()).second)
          << when;
    }
    ASSERT_OK(it->status());
    for (int i = 0; i < kNumKeys; i++) {
      const std::string value = Get(Key(i));
      const auto found = scanned.find(Key(i));
      EXPECT_EQ(value, found == scanned.end() ? "NOT_FOUND" : found->second)
          << when << ": " << Key(i);
      EXPECT_EQ(value, MultiGet({Key(i)})[0]) << when << ": " << Key(i);
      // Everything was written twice. What the filter removed stays removed,
      // although old versions are below until the last compaction.
      if (last_.count(i) > 0 && last_[i] != Value(i, 2)) {
        EXPECT_EQ(last_[i], value) << when << ": " << Key(i);
      }
      last_[i] = value;
      if (i >= kFiltered) {
        EXPECT_EQ(Value(i, 2), value) << when;
      }
    }
  }

  // Returns the keys without copies that a table names nevertheless: its marks
  // are a Bloom filter. Which keys these are depends on what was promoted
  // together, and the filter passes over them while that table is there.
  std::set<std::string> MistakenForCopies() {
    std::vector<KeyVersion> versions;
    EXPECT_OK(GetAllKeyVersions(db_, Key(kHot), Key(kFiltered), 10 * kNumKeys,
                                &versions));
    TablePropertiesCollection tables;
    EXPECT_OK(db_->GetPropertiesOfAllTables(&tables));
    std::set<std::string> mistaken;
    for (const KeyVersion& version : versions) {
      for (const auto& table : tables) {
        if (PromotedCopies::In(*table.second)
                .MayContain(version.user_key, version.sequence)) {
          mistaken.insert(version.user_key);
        }
      }
    }
    // A table errs about one key in 2,000.
    EXPECT_LE(mistaken.size(), 4);
    return mistaken;
  }

  std::string Filtered(int i) const {
    return kind() == Kind::kChange ? "new|" + Value(i, 2) : "NOT_FOUND";
  }

 protected:
  const TestFilter filter_;
  std::map<int, std::string> last_;
};

TEST_P(PromotedCopiesFilterTest, ReadsAgree) {
  Options options = TrapOptions();
  DestroyAndReopen(options);
  ASSERT_NO_FATAL_FAILURE(Load());
  options.hotrap.enabled = std::get<1>(GetParam());
  // The test decides what the filter sees and when.
  options.disable_auto_compactions = true;
  Reopen(WithFilter(options));
  Check("loaded");
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  if (std::get<2>(GetParam())) {
    ASSERT_OK(CompactLevel(db_, cf, 0, 1));
    Check("copies compacted");
    // Records that are not copies are filtered as usual.
    ASSERT_OK(Put(Key(kFiltered - 1), Value(kFiltered - 1, 2)));
    ASSERT_OK(Flush());
    const auto mistaken = MistakenForCopies();
    ASSERT_OK(CompactLevel(db_, cf, 0, 1));
    if (kind() != Kind::kSkip && kind() != Kind::kEntity &&
        kind() != Kind::kPurge && mistaken.count(Key(kFiltered - 1)) == 0) {
      EXPECT_EQ(Filtered(kFiltered - 1), Get(Key(kFiltered - 1)));
    }
    Check("more compacted");
    ASSERT_OK(CompactLevel(db_, cf, 1, kFirstSlowLevel));
    Check("copies in the slow tier");
  } else {
    const auto mistaken = MistakenForCopies();
    ASSERT_OK(CompactLevel(db_, cf, kFirstSlowLevel + 1, kFirstSlowLevel + 2));
    Check("originals compacted");
    for (int i = kHot; i < kFiltered; i++) {
      if (mistaken.count(Key(i)) == 0) {
        EXPECT_EQ(Filtered(i), Get(Key(i))) << "it has no copy";
      }
    }
    Reopen(options);  // without the filter
    Check("reopened");
    Reopen(WithFilter(options));
  }
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 2));
  Check("compacted fully");
  for (int i = 0; i < kFiltered; i++) {
    EXPECT_EQ(Filtered(i), Get(Key(i)));
  }
  Reopen(options);
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 2));
  Check("at the end");
}

// A compaction to the last level sets the originals' sequence numbers to 0
// after they were promoted. Their copies still keep the filter from them.
TEST_P(PromotedCopiesFilterTest, OriginalsThatLostTheirNumbers) {
  Options options = TrapOptions();
  DestroyAndReopen(options);
  ASSERT_NO_FATAL_FAILURE(Load());
  options.hotrap.enabled = std::get<1>(GetParam());
  options.disable_auto_compactions = true;
  Reopen(options);
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1,
                         kFirstSlowLevel + 2));
  Reopen(WithFilter(options));
  Check("loaded");
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 2,
                         kFirstSlowLevel + 2));
  Check("originals compacted");
  if (std::get<2>(GetParam())) {
    ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, 1));
    Check("copies compacted");
  }
  Reopen(options);
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 2));
  Check("at the end");
}

class PromotedCopiesFilterCasesTest : public HotRapSafetyTestBase {
 public:
  PromotedCopiesFilterCasesTest()
      : HotRapSafetyTestBase("promoted_copies_filter_cases_test") {}

  // The names of a level's tables; from level 1 on in key order.
  std::vector<std::string> Tables(int level) {
    ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(&metadata);
    std::vector<std::string> names;
    for (const auto& table : metadata.levels[level].files) {
      names.push_back(table.name);
    }
    return names;
  }
  uint64_t Copies() {
    uint64_t copies = 0;
    EXPECT_TRUE(db_->GetIntProperty(kHotRapCopiesProperty, &copies));
    return copies;
  }
};

// On a merge operand the filter answers that all records behind it be skipped.
TEST_F(PromotedCopiesFilterCasesTest, SkipsFromAnOperand) {
  class SkipFilter : public CompactionFilter {
   public:
    const char* Name() const override { return "SkipFilter"; }
    Decision FilterV2(int /*level*/, const Slice& /*key*/, ValueType type,
                      const Slice& /*value*/, std::string* /*new_value*/,
                      std::string* skip_until) const override {
      return Decide(type, skip_until);
    }
    static Decision Decide(ValueType type, std::string* skip_until) {
      if (type != ValueType::kMergeOperand) {
        return Decision::kKeep;
      }
      *skip_until = Key(kFiltered);
      return Decision::kRemoveAndSkipUntil;
    }
  };
  const SkipFilter skip_filter;
  std::vector<const CompactionFilter*> filters = {&skip_filter};
#if ROCKSDB_MAJOR >= 11
  // Need not answer by any of the older functions.
  class SkipFilterV4 : public CompactionFilter {
   public:
    const char* Name() const override { return "SkipFilterV4"; }
    Decision FilterV4(int /*level*/, const Slice& /*key*/, ValueType type,
                      const Slice* /*value*/, const WideColumns* /*columns*/,
                      std::string* /*new_value*/,
                      std::vector<std::pair<std::string, std::string>>*,
                      std::string* skip_until,
                      WideColumnBlobResolver* /*resolver*/) const override {
      return SkipFilter::Decide(type, skip_until);
    }
  };
  const SkipFilterV4 skip_filter_v4;
  filters.push_back(&skip_filter_v4);
#endif
  for (const CompactionFilter* const filter : filters) {
    Options options = TrapOptions();
    options.merge_operator = MergeOperators::CreateStringAppendOperator();
    DestroyAndReopen(options);
    ASSERT_OK(Put("a", "1"));
    ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), kFillersBegin,
                         kFillersEnd, 1));
    ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 2));
    ASSERT_OK(db_->Merge(WriteOptions(), Key(0) + "-", "operand"));
    ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), 1, kNumKeys, 1));
    ASSERT_OK(Flush());
    ASSERT_OK(
        CompactLevel(db_, db_->DefaultColumnFamily(), 0, kFirstSlowLevel + 1));
    ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(1, kHot)));
    ASSERT_NO_FATAL_FAILURE(MakeHot(Fillers()));
    ASSERT_NO_FATAL_FAILURE(Promote(Keys(1, kHot)));
    options.compaction_filter = filter;
    options.disable_auto_compactions = true;
    Reopen(options);
    ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1,
                           kFirstSlowLevel + 1));
    // The copies are above, so nothing is skipped yet.
    for (int i = 1; i < kFiltered; i++) {
      ExpectEverywhere(Key(i), Value(i, 1));
    }
    ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 2));
    for (int i = 1; i < kFiltered; i++) {
      ExpectEverywhere(Key(i), "NOT_FOUND");
    }
    ExpectEverywhere(Key(kFiltered), Value(kFiltered, 1));
  }
  Close();  // before the filters are destroyed
}

// The copies are in level 1, in tables beside the one that is compacted. That
// one reaches down to a wide table with the originals.
TEST_F(PromotedCopiesFilterCasesTest, CopiesBesideTheInputs) {
  class AskedFilter : public CompactionFilter {
   public:
    const char* Name() const override { return "AskedFilter"; }
    // A SingleDelete comes before a copy of its number: an iterator would see
    // it, and a Get would not.
    Decision FilterV2(int /*level*/, const Slice& key, ValueType /*type*/,
                      const Slice& /*value*/, std::string* /*new_value*/,
                      std::string* /*skip_until*/) const override {
      const std::string name = key.ToString();
      if (name < Key(kHot) || name >= Key(kFiltered)) {
        return Decision::kKeep;
      }
      asked.insert(name);
      return Decision::kPurge;
    }
    mutable std::set<std::string> asked;
  };
  Options options = TrapOptions();
  DestroyAndReopen(options);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  // A table below that may hold anything, so that something is left of what the
  // filter removes.
  ASSERT_OK(Put("a", ""));
  ASSERT_OK(Put("z", ""));
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 2));
  ASSERT_OK(PutVersion(db_, cf, 0, kNumKeys, 1));
  ASSERT_OK(PutVersion(db_, cf, kFillersBegin, kFillersEnd, 1));
  ASSERT_OK(Flush());
  ASSERT_OK(db_->CompactFiles(CompactionOptions(), Tables(0),
                              kFirstSlowLevel + 1,
                              /*output_path_id=*/1));
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, kNumKeys)));
  ASSERT_NO_FATAL_FAILURE(MakeHot(Fillers()));
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(kHot, kFiltered)));
  ASSERT_OK(PutVersion(db_, cf, 0, 20, 2));
  ASSERT_OK(Flush());
  CompactionOptions small_tables;
  small_tables.output_file_size_limit = 5 * kValueBytes;
  ASSERT_OK(db_->CompactFiles(small_tables, Tables(0), 1,
                              /*output_path_id=*/0));
  const AskedFilter filter;
  options.compaction_filter = &filter;
  options.disable_auto_compactions = true;
  Reopen(options);
  ASSERT_OK(db_->CompactFiles(CompactionOptions(), {Tables(1)[0]},
                              kFirstSlowLevel + 1,
                              /*output_path_id=*/1));
  ASSERT_FALSE(filter.asked.empty());
  for (int i = kHot; i < kFiltered; i++) {
    ExpectEverywhere(Key(i), Value(i, 1));
  }
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 2));
  for (int i = 0; i < kNumKeys; i++) {
    ExpectEverywhere(Key(i), kHot <= i && i < kFiltered
                                 ? "NOT_FOUND"
                                 : Value(i, i < 20 ? 2 : 1));
  }
}

// Nothing is written, so nothing but periodic compaction asks the filter about
// the copies, in their own level. Then they sink to the originals.
TEST_F(PromotedCopiesFilterCasesTest, CopiesSinkByThemselves) {
  Options options = TrapOptions();
  DestroyAndReopen(options);
  ASSERT_NO_FATAL_FAILURE(LoadSlow(kNumKeys));
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, kHot)));
  ASSERT_GT(Copies(), 0);
  const TestFilter filter(Kind::kRemove);
  options.compaction_filter = &filter;
  options.periodic_compaction_seconds = 1;
  Reopen(options);
  for (int key = 0; key < kHot; key++) {
    for (int i = 0; Get(Key(key)) != "NOT_FOUND"; i++) {
      ASSERT_LT(i, 6000) << Levels();
      env_->SleepForMicroseconds(10000);
      if (i % 100 == 99) {
        // Has the age of tables looked at, which otherwise takes a write or
        // hours.
        ASSERT_OK(db_->SetOptions({{"periodic_compaction_seconds", "1"}}));
      }
    }
    ExpectEverywhere(Key(key), "NOT_FOUND");
  }
  Close();  // before the filter is destroyed
}

INSTANTIATE_TEST_CASE_P(
    Filters, PromotedCopiesFilterTest,
    testing::Combine(testing::Values(Kind::kRemove, Kind::kChange, Kind::kSkip,
                                     Kind::kPurge, Kind::kRemoveByFactory,
                                     Kind::kEntity),
                     testing::Bool(), testing::Bool()));

}  // namespace ROCKSDB_NAMESPACE

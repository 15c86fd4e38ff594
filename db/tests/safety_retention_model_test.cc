//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests against inversion: no older version may end up above a newer one.
// Random writes of every kind under snapshots, with flushes, promotions and
// crossing compactions in between, are compared with a model in memory for each
// live snapshot.

#include <iostream>
#include <map>

#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"
#include "utilities/merge_operators.h"

namespace ROCKSDB_NAMESPACE {

class SafetyRetentionModelTest : public HotRapCrossingTestBase,
                                 public testing::WithParamInterface<uint32_t> {
 public:
  static constexpr int kNumKeys = 60;
  // Written once and read all the time: old hot records, which must stay.
  static constexpr int kOldBegin = 60;
  static constexpr int kOldEnd = 80;
  static constexpr int kSteps = 1500;
  static constexpr size_t kMaxSnapshots = 4;

  SafetyRetentionModelTest()
      : HotRapCrossingTestBase("safety_retention_model_test"),
        rnd_(GetParam()) {}

  using State = std::map<std::string, std::string>;

  Options ModelOptions() {
    Options options = CrossingOptions();
    options.merge_operator = MergeOperators::CreateStringAppendOperator();
    options.target_file_size_base = 4 << 10;
    options.max_subcompactions = rnd_.Uniform(2) == 0 ? 1 : 4;
    options.hotrap.promotion_cache_bytes = 4 << 10;
    KeepCompactionsOut(&options);
    return options;
  }

  std::string RandomKey() { return Key(rnd_.Uniform(kNumKeys)); }
  std::string RandomValue() {
    return std::to_string(step_) + ":" + rnd_.RandomString(100);
  }

  void Write() {
    const std::string key = RandomKey();
    const std::string value = RandomValue();
    const int kind = rnd_.Uniform(100);
    if (kind < 60) {
      ASSERT_OK(Put(key, value));
      state_[key] = value;
    } else if (kind < 75) {
      ASSERT_OK(Delete(key));
      state_.erase(key);
    } else if (kind < 90) {
      const std::string operand = value.substr(0, 8);
      ASSERT_OK(db_->Merge(WriteOptions(), key, operand));
      std::string& merged = state_[key];
      merged += (merged.empty() ? "" : ",") + operand;
    } else {
      const int begin = rnd_.Uniform(kNumKeys);
      const int end = std::min<int>(kNumKeys, begin + 1 + rnd_.Uniform(10));
      ASSERT_OK(db_->DeleteRange(WriteOptions(), Key(begin), Key(end)));
      state_.erase(state_.lower_bound(Key(begin)),
                   state_.lower_bound(Key(end)));
    }
  }

  void TakeOrReleaseSnapshot() {
    if (snapshots_.size() < kMaxSnapshots && rnd_.Uniform(2) == 0) {
      snapshots_.emplace_back(db_->GetSnapshot(), state_);
    } else if (!snapshots_.empty()) {
      const auto it = snapshots_.begin() + rnd_.Uniform(snapshots_.size());
      db_->ReleaseSnapshot(it->first);
      snapshots_.erase(it);
    }
  }

  // Reads that go through the promotion cache, and may trigger a promotion.
  void Read() {
    for (int i = 0; i < 20; i++) {
      const std::string key = Key(rnd_.Uniform(kOldEnd));
      const auto it = state_.find(key);
      ASSERT_EQ(it == state_.end() ? "NOT_FOUND" : it->second, Get(key))
          << key << " at step " << step_;
    }
  }

  void ChangeWhatIsHot() {
    std::vector<std::string> keys = Keys(kOldBegin, kOldEnd);
    for (int i = 0; i < 10; i++) {
      keys.push_back(RandomKey());
    }
    ASSERT_NO_FATAL_FAILURE(MakeHot(keys));
  }

  // Compacts some or all files of a level down by one or more levels.
  void Compact() {
    const int from = rnd_.Uniform(4);
    const std::vector<SstFileMetaData> all = FilesAtLevel(from);
    if (all.empty()) {
      return;
    }
    std::vector<std::string> files;
    const bool some = rnd_.Uniform(2) == 0;
    for (const auto& file : all) {
      if (!some || rnd_.Uniform(2) == 0) {
        files.push_back(file.name);
      }
    }
    if (files.empty()) {
      return;
    }
    const int to = std::min<int>(4, from + (rnd_.Uniform(4) == 0 ? 2 : 1));
    CompactionOptions options;
    options.output_file_size_limit = 4 << 10;
    ASSERT_OK(
        db_->CompactFiles(options, files, to,
                          /*output_path_id=*/to < kFirstSlowLevel ? 0 : 1))
        << from << " to " << to;
    ExpectPaths();
  }

  void CompactPart() {
    const std::string begin = RandomKey();
    const std::string end = RandomKey();
    const Slice begin_slice = std::min(begin, end);
    const Slice end_slice = std::max(begin, end);
    CompactRangeOptions options;
    options.bottommost_level_compaction =
        rnd_.Uniform(4) == 0 ? BottommostLevelCompaction::kForceOptimized
                             : BottommostLevelCompaction::kSkip;
    ASSERT_OK(db_->CompactRange(options, &begin_slice, &end_slice));
    ExpectPaths();
  }

  void CheckState(const Snapshot* snapshot, const State& state) {
    const std::vector<std::string> keys = Keys(0, kOldEnd);
    const std::vector<std::string> found = MultiGet(keys, snapshot);
    for (size_t i = 0; i < keys.size(); i++) {
      const auto it = state.find(keys[i]);
      const std::string expected = it == state.end() ? "NOT_FOUND" : it->second;
      ASSERT_EQ(expected, Get(keys[i], snapshot)) << keys[i];
      ASSERT_EQ(expected, found[i]) << keys[i];
    }
    ReadOptions options;
    options.snapshot = snapshot;
    std::unique_ptr<Iterator> iterator(db_->NewIterator(options));
    auto expected = state.begin();
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
      ASSERT_TRUE(expected != state.end()) << iterator->key().ToString();
      ASSERT_EQ(expected->first, iterator->key().ToString());
      ASSERT_EQ(expected->second, iterator->value().ToString());
      ++expected;
    }
    ASSERT_TRUE(expected == state.end()) << expected->first;
    ASSERT_OK(iterator->status());
    auto backwards = state.rbegin();
    for (iterator->SeekToLast(); iterator->Valid(); iterator->Prev()) {
      ASSERT_TRUE(backwards != state.rend()) << iterator->key().ToString();
      ASSERT_EQ(backwards->first, iterator->key().ToString());
      ASSERT_EQ(backwards->second, iterator->value().ToString());
      ++backwards;
    }
    ASSERT_TRUE(backwards == state.rend()) << backwards->first;
    ASSERT_OK(iterator->status());
  }

  void CheckAll() {
    ASSERT_NO_FATAL_FAILURE(CheckState(nullptr, state_)) << "now";
    for (const auto& snapshot : snapshots_) {
      ASSERT_NO_FATAL_FAILURE(CheckState(snapshot.first, snapshot.second))
          << "at a snapshot";
    }
  }

  void Step() {
    const int kind = rnd_.Uniform(100);
    if (kind < 70) {
      Write();
    } else if (kind < 76) {
      TakeOrReleaseSnapshot();
    } else if (kind < 84) {
      Read();
    } else if (kind < 85) {
      ChangeWhatIsHot();
    } else if (kind < 91) {
      ASSERT_OK(Flush());
    } else {
      if (kind < 99) {
        Compact();
      } else {
        CompactPart();
      }
      CheckAll();
    }
  }

 protected:
  Random rnd_;
  int step_ = 0;
  State state_;
  std::vector<std::pair<const Snapshot*, State>> snapshots_;
};

TEST_P(SafetyRetentionModelTest, EachSnapshotSeesItsMoment) {
  std::cout << "seed " << GetParam() << std::endl;
  DestroyAndReopen(ModelOptions());
  WaitForRalt();
  for (const auto& key : Keys(0, kOldEnd)) {
    const std::string value = RandomValue();
    ASSERT_OK(Put(key, value));
    state_[key] = value;
  }
  // Hot records in the slow tier, so that there is something to promote.
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  ASSERT_NO_FATAL_FAILURE(ChangeWhatIsHot());
  for (step_ = 0; step_ < kSteps && !HasFailure(); step_++) {
    ASSERT_NO_FATAL_FAILURE(Step()) << "step " << step_;
  }
  EXPECT_GT(Counter(HotRapCounter::kCrossings), 0);
  EXPECT_GT(Counter(HotRapCounter::kRetainedBytes), 0);
  EXPECT_GT(Counter(HotRapCounter::kCompactionPromotedRecords) +
                Counter(HotRapCounter::kPromotedRecords),
            0);
  for (const auto& snapshot : snapshots_) {
    db_->ReleaseSnapshot(snapshot.first);
  }
  snapshots_.clear();
  WaitForRest();
  Reopen(ModelOptions());
  CheckAll();
}

INSTANTIATE_TEST_SUITE_P(Seeds, SafetyRetentionModelTest,
                         testing::Values(1u, 2u, 3u, 4u));

}  // namespace ROCKSDB_NAMESPACE

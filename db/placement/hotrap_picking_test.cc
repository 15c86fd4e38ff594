//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/placement/hotrap_picking.h"

#include <algorithm>
#include <memory>
#include <set>

#include "db/version_set.h"
#include "plugin/hotrap/test_util/hotrap_db_test_base.h"

namespace ROCKSDB_NAMESPACE {

// ---- The order alone --------------------------------------------------------

class OrderForCrossingTest : public testing::Test {
 public:
  OrderForCrossingTest() : icmp_(BytewiseComparator()) {}

  // Adds a file to `level`; file numbers ascend.
  void Add(std::vector<FileMetaData*>* level, const std::string& smallest,
           const std::string& largest, uint64_t bytes, uint64_t hot_size = 0) {
    auto file = std::make_unique<FileMetaData>();
    file->fd = FileDescriptor(files_.size() + 1, 0, bytes);
    file->smallest = InternalKey(smallest, 9, kTypeValue);
    file->largest = InternalKey(largest, 9, kTypeValue);
    file->compensated_file_size = bytes;
    hot_sizes_.push_back(hot_size);
    level->push_back(file.get());
    files_.push_back(std::move(file));
  }

  std::vector<int> Order() {
    return OrderForCrossing(icmp_, upper_, lower_,
                            [&](const FileMetaData& file) {
                              asked_++;
                              return hot_sizes_[file.fd.GetNumber() - 1];
                            });
  }

  const InternalKeyComparator icmp_;
  std::vector<std::unique_ptr<FileMetaData>> files_;
  std::vector<uint64_t> hot_sizes_;
  std::vector<FileMetaData*> upper_;
  std::vector<FileMetaData*> lower_;
  size_t asked_ = 0;
};

using Indexes = std::vector<int>;

TEST_F(OrderForCrossingTest, SmallestOverlapFirstWhereNothingIsHot) {
  Add(&upper_, "a", "c", 100);
  Add(&upper_, "d", "f", 100);
  Add(&upper_, "g", "i", 100);
  Add(&lower_, "a", "b", 300);
  // This file overlaps two.
  Add(&lower_, "c", "d", 100);
  Add(&lower_, "e", "e", 100);
  Add(&lower_, "j", "k", 1000);
  // Costs: 500, 300, 100.
  EXPECT_EQ(Indexes({2, 1, 0}), Order());
}

TEST_F(OrderForCrossingTest, WhatIsHotIsNoGain) {
  Add(&upper_, "a", "c", 100, 90);
  Add(&upper_, "d", "f", 100, 50);
  Add(&upper_, "g", "i", 100, 0);
  Add(&lower_, "g", "h", 50);
  Add(&lower_, "i", "i", 100);
  // 10 / 100, 50 / 100, 100 / 250.
  EXPECT_EQ(Indexes({1, 2, 0}), Order());
}

TEST_F(OrderForCrossingTest, OldestFileWhenAllIsHot) {
  Add(&lower_, "a", "b", 300);
  Add(&upper_, "g", "i", 100, 100);
  Add(&upper_, "a", "c", 100, 200);
  Add(&upper_, "d", "f", 100, 100);
  std::rotate(upper_.begin(), upper_.begin() + 1, upper_.end());
  // By file number, whatever they overlap: g, a, d.
  EXPECT_EQ(Indexes({2, 0, 1}), Order());
  // A file with a cold part goes first.
  hot_sizes_[3] = 99;
  EXPECT_EQ(Indexes({1, 2, 0}), Order());
}

TEST_F(OrderForCrossingTest, RocksDBsPreferencesStay) {
  Add(&upper_, "a", "c", 100, 50);
  Add(&upper_, "d", "f", 100, 50);
  Add(&upper_, "g", "i", 100, 100);
  files_[1]->compensated_file_size = 150;
  EXPECT_EQ(Indexes({1, 0, 2}), Order());
  files_[2]->marked_for_compaction = true;
  EXPECT_EQ(Indexes({2, 1, 0}), Order());
}

TEST_F(OrderForCrossingTest, AsksForABoundedNumber) {
  const int count = static_cast<int>(kMaxHotSizesInOrdering) + 500;
  for (int i = 0; i < count; i++) {
    // The last files cost least; every second file is hot.
    Add(&upper_, HotRapDBTestBase::Key(10 * i),
        HotRapDBTestBase::Key(10 * i + 5), 100, i % 2 == 0 ? 100 : 0);
  }
  for (int i = 0; i < 500; i++) {
    Add(&lower_, HotRapDBTestBase::Key(10 * i),
        HotRapDBTestBase::Key(10 * i + 5), 1000);
  }
  const std::vector<int> order = Order();
  EXPECT_EQ(kMaxHotSizesInOrdering, asked_);
  ASSERT_EQ(count, order.size());
  EXPECT_EQ(count, std::set<int>(order.begin(), order.end()).size());
  EXPECT_EQ(501, order[0]);
  EXPECT_EQ(0, order[kMaxHotSizesInOrdering / 2]);
  EXPECT_EQ(500, order[kMaxHotSizesInOrdering / 2 + 500]);
}

// ---- In a DB ----------------------------------------------------------------

class HotRapPickingTest : public HotRapDBTestBase {
 public:
  static constexpr int kLastFastLevel = kFirstSlowLevel - 1;
  // All of them may be hot: RALT has room for this many.
  static constexpr int kNumKeys = 4000;
  static constexpr int kValueBytes = 115;

  HotRapPickingTest() : HotRapDBTestBase("hotrap_picking_test") {}

  // Fills the last fast level with files of disjoint ranges, written in key
  // order.
  void LoadLastFastLevel(const Options& options) {
    DestroyAndReopen(options);
    WaitForRalt();
    Random rnd(301);
    for (int i = 0; i < kNumKeys; i++) {
      ASSERT_OK(Put(Key(i), rnd.RandomString(kValueBytes)));
    }
    ASSERT_OK(Flush());
    ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(&metadata);
    std::vector<std::string> files;
    for (const auto& file : metadata.levels[0].files) {
      files.push_back(file.name);
    }
    CompactionOptions to_level;
    to_level.output_file_size_limit = 32 << 10;
    ASSERT_OK(db_->CompactFiles(to_level, files, kLastFastLevel));
    ASSERT_GE(NumFiles(), 5);
  }

  Options PickingOptions() {
    Options options = HotRapOptionsForTest();
    options.disable_auto_compactions = true;
    return options;
  }

  const VersionStorageInfo& Storage() {
    return *static_cast<ColumnFamilyHandleImpl*>(db_->DefaultColumnFamily())
                ->cfd()
                ->current()
                ->storage_info();
  }
  int NumFiles() { return Storage().NumLevelFiles(kLastFastLevel); }
  std::vector<int> Order() {
    return Storage().FilesByCompactionPri(kLastFastLevel);
  }

  void MakeAllHot(int begin, int end) {
    for (int round = 0; round < 2; round++) {
      for (int i = begin; i < end; i++) {
        Tier()->ralt()->RecordAccess(Key(i), kValueBytes);
        if (i % 500 == 499) {  // a flush has room for more
          ASSERT_OK(Tier()->ralt()->Flush());
          ASSERT_OK(Tier()->ralt()->WaitForIdle());
        }
      }
    }
  }

  // Triggers a new version.
  void TouchVersion() {
    ASSERT_OK(Put("zzz", "1"));
    ASSERT_OK(Flush());
  }
};

TEST_F(HotRapPickingTest, ColdFilesGoFirst) {
  LoadLastFastLevel(PickingOptions());
  const int files = NumFiles();
  EXPECT_EQ(0, Order()[0]);
  MakeAllHot(0, kNumKeys / 2);
  TouchVersion();
  const std::vector<int> order = Order();
  ASSERT_EQ(files, order.size());
  // The file in the middle is partly hot.
  EXPECT_GE(order[0], files / 2);
  // Files without a cold part come last, in the order they were written.
  int hot_files = 0;
  for (const FileMetaData* file : Storage().LevelFiles(kLastFastLevel)) {
    hot_files += file->largest.user_key().compare(Key(kNumKeys / 2)) < 0;
  }
  ASSERT_GE(hot_files, 3);
  for (int i = 0; i < hot_files; i++) {
    EXPECT_EQ(i, order[files - hot_files + i]);
  }
  std::map<std::string, std::string> stats;
  ASSERT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
  EXPECT_GT(std::stoull(stats["orderings"]), 0);
  EXPECT_GT(std::stoull(stats["ordering_nanos"]), 0);
}

TEST_F(HotRapPickingTest, OldestFileWhenEverythingIsHot) {
  LoadLastFastLevel(PickingOptions());
  // Rewrite the file with the smallest keys.
  ColumnFamilyMetaData metadata;
  db_->GetColumnFamilyMetaData(&metadata);
  ASSERT_OK(db_->CompactFiles(
      CompactionOptions(), {metadata.levels[kLastFastLevel].files.front().name},
      kLastFastLevel));
  MakeAllHot(0, kNumKeys);
  TouchVersion();
  const std::vector<int> order = Order();
  EXPECT_EQ(1, order.front());
  EXPECT_EQ(0, order.back());
}

TEST_F(HotRapPickingTest, CompactionsTakeTheColdFile) {
  LoadLastFastLevel(PickingOptions());
  ASSERT_GT(Storage().NumLevelBytes(kLastFastLevel),
            Storage().MaxBytesForLevel(kLastFastLevel));
  ASSERT_EQ(0, Storage().NumLevelFiles(kFirstSlowLevel));
  MakeAllHot(0, kNumKeys / 2);
  TouchVersion();
  ASSERT_OK(db_->EnableAutoCompaction({db_->DefaultColumnFamily()}));
  ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  EXPECT_LE(Storage().NumLevelBytes(kLastFastLevel),
            Storage().MaxBytesForLevel(kLastFastLevel));
  ASSERT_GT(Storage().NumLevelFiles(kFirstSlowLevel), 0);
  EXPECT_GE(
      Storage().LevelFiles(kFirstSlowLevel)[0]->smallest.user_key().ToString(),
      Key(kNumKeys / 2));
}

TEST_F(HotRapPickingTest, RoundRobinStays) {
  Options options = PickingOptions();
  options.compaction_pri = kRoundRobin;
  LoadLastFastLevel(options);
  const std::vector<int> before = Order();
  MakeAllHot(0, kNumKeys / 2);
  TouchVersion();
  EXPECT_EQ(before, Order());
}

TEST_F(HotRapPickingTest, EstimatesAreBoundedByTheFile) {
  LoadLastFastLevel(PickingOptions());
  const Ralt* const ralt = Tier()->ralt();
  const FileMetaData& file = *Storage().LevelFiles(kLastFastLevel)[1];
  EXPECT_EQ(0, EstimateHotBytes(file, nullptr));
  EXPECT_EQ(0, EstimateHotBytes(file, ralt));
  EXPECT_EQ(0, EstimateHotSize(file, ralt));
  MakeAllHot(0, kNumKeys);
  const uint64_t records = file.num_entries;
  ASSERT_GT(records, 0);
  const uint64_t user_bytes = records * (Key(0).size() + kValueBytes);
  uint64_t error = 0;
  const uint64_t hot_bytes = EstimateHotBytes(file, ralt, &error);
  EXPECT_LE(hot_bytes, user_bytes);
  EXPECT_GE(hot_bytes + error + Key(0).size() + kValueBytes, user_bytes);
  EXPECT_EQ(file.fd.GetFileSize(), EstimateHotSize(file, ralt));
}

}  // namespace ROCKSDB_NAMESPACE

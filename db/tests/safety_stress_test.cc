//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Stress test with many threads and tiny buffers. Counters only grow, and are
// written in pairs. While everything flushes, compacts and promotes as fast as
// possible, readers must never see a counter decrease or a pair differ.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "plugin/hotrap/test_util/hotrap_db_test_base.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE {

class SafetyStressTest : public HotRapDBTestBase {
 public:
  static constexpr int kNumCounters = 400;
  static constexpr int kHotCounters = 60;  // get half of all reads
  static constexpr int kNumWriters = 2;
  static constexpr int kNumReaders = 4;
  static constexpr int kWritesPerWriter = 4000;

  SafetyStressTest() : HotRapDBTestBase("safety_stress_test") {}

  Options StressOptions() {
    Options options = HotRapOptionsForTest();
    options.write_buffer_size = 64 << 10;
    options.target_file_size_base = 32 << 10;
    options.max_bytes_for_level_base = 128 << 10;
    options.max_bytes_for_level_multiplier = 3;
    options.level0_file_num_compaction_trigger = 2;
    options.max_background_jobs = 4;
    options.db_paths[0].target_size = 2 * (128 << 10);
    options.hotrap.promotion_cache_bytes = 8 << 10;
    options.hotrap.access_buffer_bytes = 64 << 10;
    return options;
  }

  static std::string Left(int i) { return "left" + Key(i); }
  static std::string Right(int i) { return "right" + Key(i); }

  static std::string Encode(uint64_t counter) {
    std::string value = std::to_string(counter) + ":";
    value.resize(300, '.');
    return value;
  }
  static uint64_t Decode(const std::string& value) {
    return strtoull(value.c_str(), nullptr, 10);
  }

  static int Pick(Random* rnd) {
    return rnd->OneIn(2) ? rnd->Uniform(kHotCounters)
                         : rnd->Uniform(kNumCounters);
  }

  Status WritePair(int i, uint64_t counter) {
    WriteBatch batch;
    Status s = batch.Put(handles_[0], Left(i), Encode(counter));
    if (s.ok()) {
      s = batch.Put(handles_[1], Right(i), Encode(counter));
    }
    if (s.ok()) {
      s = batch.Put(handles_[0], Right(i), Encode(counter));
    }
    return s.ok() ? db_->Write(WriteOptions(), &batch) : s;
  }

  // Reads the pair by the kind of read that `round` selects, and checks it.
  void CheckPair(int i, int round, uint64_t at_least, uint64_t* seen) {
    const std::string left = Left(i);
    const std::string right = Right(i);
    std::string value;
    switch (round % 3) {
      case 0:
        ASSERT_OK(db_->Get(ReadOptions(), handles_[0], left, &value));
        *seen = Decode(value);
        break;
      case 1: {
        std::vector<std::string> values;
        for (const Status& s :
             db_->MultiGet(ReadOptions(), {handles_[0], handles_[1]},
                           {Slice(left), Slice(right)}, &values)) {
          ASSERT_OK(s);
        }
        ASSERT_EQ(Decode(values[0]), Decode(values[1])) << "torn: " << i;
        *seen = Decode(values[0]);
        break;
      }
      default: {
        const Slice keys[] = {left, right};
        PinnableSlice values[2];
        Status statuses[2];
        db_->MultiGet(ReadOptions(), handles_[0], 2, keys, values, statuses);
        ASSERT_OK(statuses[0]);
        ASSERT_OK(statuses[1]);
        ASSERT_EQ(Decode(values[0].ToString()), Decode(values[1].ToString()))
            << "torn: " << i;
        *seen = Decode(values[0].ToString());
      }
    }
    ASSERT_GE(*seen, at_least) << "counter " << i << " went back";
  }
};

TEST_F(SafetyStressTest, CountersNeverGoBackAndPairsStayPairs) {
  const Options options = StressOptions();
  DestroyAndReopen(options);
  CreateColumnFamilies({"left", "right"}, options);
  std::vector<std::atomic<uint64_t>> written(kNumCounters);
  for (int i = 0; i < kNumCounters; i++) {
    ASSERT_OK(WritePair(i, 1));
    written[i] = 1;
  }

  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int r = 0; r < kNumReaders; r++) {
    readers.emplace_back([&, r] {
      Random rnd(1000 + r);
      std::vector<uint64_t> seen(kNumCounters, 0);
      for (int round = 0; !stop && !HasFatalFailure(); round++) {
        const int i = Pick(&rnd);
        // Written before this read began, or seen by an earlier one.
        const uint64_t at_least =
            std::max(seen[i], written[i].load(std::memory_order_acquire));
        CheckPair(i, round, at_least, &seen[i]);
      }
    });
  }
  std::vector<std::thread> writers;
  for (int w = 0; w < kNumWriters; w++) {
    writers.emplace_back([&, w] {
      Random rnd(2000 + w);
      for (int n = 0; n < kWritesPerWriter; n++) {
        // Each counter has one writer.
        const int i = rnd.Uniform(kNumCounters / kNumWriters) * kNumWriters + w;
        const uint64_t next = written[i].load() + 1;
        ASSERT_OK(WritePair(i, next));
        written[i].store(next, std::memory_order_release);
      }
    });
  }
  for (auto& writer : writers) {
    writer.join();
  }
  stop = true;
  for (auto& reader : readers) {
    reader.join();
  }
  ASSERT_FALSE(HasFatalFailure());
  // Records moved by any of the three pathways, depending on timing.
  uint64_t hot_records = 0;
  for (const auto counter : {HotRapCounter::kPromotedRecords,
                             HotRapCounter::kCompactionPromotedRecords,
                             HotRapCounter::kRetainedRecords}) {
    hot_records += Counter(counter, handles_[0]);
  }
  EXPECT_GT(hot_records, 0);
  ASSERT_GT(Counter(HotRapCounter::kHitsPromotionCache, handles_[0]), 0);

  for (const bool reopened : {false, true}) {
    if (reopened) {
      ReopenWithColumnFamilies({kDefaultColumnFamilyName, "left", "right"},
                               options);
      ASSERT_OK(db_->DestroyColumnFamilyHandle(handles_[0]));
      handles_.erase(handles_.begin());
    }
    for (int i = 0; i < kNumCounters; i++) {
      for (int round = 0; round < 3; round++) {
        uint64_t seen = 0;
        CheckPair(i, round, written[i], &seen);
        ASSERT_EQ(written[i], seen);
      }
    }
  }
}

}  // namespace ROCKSDB_NAMESPACE

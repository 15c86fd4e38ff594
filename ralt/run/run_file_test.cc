//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/run/run_file.h"

#include <algorithm>

#include "plugin/hotrap/ralt/run/format.h"
#include "plugin/hotrap/ralt/run/run_test_util.h"
#include "plugin/hotrap/ralt/run/run_writer.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt {

class RunFileTest : public RunTestBase {};

TEST_F(RunFileTest, ReadsBackWhatWasWritten) {
  const auto file = WriteRun(1, 0, 3000, 1);
  EXPECT_EQ(3000u, file->properties().records);
  EXPECT_EQ(1000u, file->properties().hot_records);
  EXPECT_GT(file->index().blocks(), 50u);
  for (uint64_t readahead : {uint64_t{1}, uint64_t{4000}, uint64_t{1} << 20}) {
    RunCursor cursor(file, readahead);
    uint64_t i = 0;
    for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next(), ++i) {
      const AccessRecord& record = cursor.record();
      ASSERT_EQ(Key(i), record.key.ToString());
      ASSERT_EQ(i, record.value_bytes);
      ASSERT_EQ(i % 900, record.tick);
      ASSERT_EQ(static_cast<float>(i) / 7, record.score);
      ASSERT_EQ(kNow.period + i % 300, record.counter_end);
      ASSERT_EQ(i % 2 == 0, record.repeated);
      ASSERT_EQ(i % 3 == 0, record.hot);
    }
    ASSERT_OK(cursor.status());
    ASSERT_EQ(3000u, i);
  }
}

TEST_F(RunFileTest, SeeksBetweenAndBeyondKeys) {
  const auto file = WriteRun(1, 10, 2000, 10);
  RunCursor cursor(file, 1);
  for (uint64_t i = 0; i < 1990; ++i) {
    cursor.Seek(Key(i));
    ASSERT_TRUE(cursor.Valid());
    ASSERT_EQ(Key(std::max<uint64_t>((i + 9) / 10 * 10, 10)),
              cursor.record().key.ToString());
  }
  cursor.Seek(Key(1991));
  EXPECT_FALSE(cursor.Valid());
  ASSERT_OK(cursor.status());
}

TEST_F(RunFileTest, FilterTellsHotKeysFromOthers) {
  const auto file = WriteRun(1, 0, 30000, 1);
  uint64_t false_positives = 0;
  for (uint64_t i = 0; i < 60000; ++i) {
    const uint64_t hash = RunFilter::HashKey(Key(i));
    ASSERT_TRUE(file->filter().Has(hash) || i >= 30000);
    if (i % 3 == 0 && i < 30000) {
      ASSERT_TRUE(file->filter().HasHot(hash));
    } else {
      false_positives += file->filter().HasHot(hash) ? 1 : 0;
    }
    if (i >= 30000) {
      false_positives += file->filter().Has(hash) ? 1 : 0;
    }
  }
  EXPECT_LE(false_positives, 80000 * 5 / 1000);
}

TEST_F(RunFileTest, HotBytesErrByTheEdgesOnly) {
  const auto file = WriteRun(1, 0, 30000, 1);
  Random64 random(301);
  for (int i = 0; i < 200; ++i) {
    const uint64_t begin = random.Uniform(20000);
    const uint64_t end = begin + 5000;
    uint64_t truth = 0;
    for (uint64_t k = begin; k < end; ++k) {
      truth += k % 3 == 0 ? Key(k).size() + k : 0;
    }
    uint64_t error = 0;
    const uint64_t estimate = file->HotBytes(Key(begin), Key(end), &error);
    ASSERT_LE(error, truth / 50);
    ASSERT_GE(estimate, truth - error);
    ASSERT_LE(estimate, truth + error);
  }
  uint64_t error = 0;
  EXPECT_EQ(0u, file->HotBytes(Key(7), Key(7), &error));
  EXPECT_EQ(file->properties().hot_bytes, file->HotBytes("", "z", &error));
  EXPECT_EQ(0u, error);
}

// Files of the DB may span only a few blocks. An estimate that is too high on
// average would make them all look hot.
TEST_F(RunFileTest, HotBytesOfShortRangesAreRightOnTheAverage) {
  const auto file = WriteRun(1, 0, 30000, 1);
  Random64 random(301);
  double estimates = 0;
  double truths = 0;
  uint64_t error = 0;
  for (int i = 0; i < 2000; ++i) {
    // About three blocks.
    const uint64_t begin = random.Uniform(29000);
    const uint64_t end = begin + 100;
    estimates +=
        static_cast<double>(file->HotBytes(Key(begin), Key(end), &error));
    for (uint64_t k = begin; k < end; ++k) {
      truths += static_cast<double>(k % 3 == 0 ? Key(k).size() + k : 0);
    }
  }
  EXPECT_NEAR(1, estimates / truths, 0.05);

  // Within one block it is half of the block, not 0.
  const RunIndex& index = file->index();
  ASSERT_GT(index.blocks(), 1u);
  const Slice first = index.first_key(1);
  const std::string begin = first.ToString() + '\0';
  const std::string end = begin + '\0';
  EXPECT_EQ((index.hot_bytes_before(2) - index.hot_bytes_before(1)) / 2,
            file->HotBytes(begin, end, &error));
}

TEST_F(RunFileTest, RecordLargerThanABlock) {
  const std::string large(100000, 'x');
  RunWriter writer(env_, 5, kNow);
  ASSERT_OK(writer.Open());
  AccessRecord record;
  record.key = "a";
  ASSERT_OK(writer.Add(record, 1));
  record.key = large;
  ASSERT_OK(writer.Add(record, 2));
  ASSERT_OK(writer.Finish());
  std::shared_ptr<RunFile> file;
  ASSERT_OK(
      RunFile::Open(env_, 5, writer.file_bytes(), writer.tail_bytes(), &file));
  RunCursor cursor(file, 1);
  cursor.Seek("b");
  ASSERT_TRUE(cursor.Valid());
  EXPECT_EQ(large, cursor.record().key.ToString());
}

TEST_F(RunFileTest, RefusesTheFileOfAnotherStore) {
  const auto file = WriteRun(1, 0, 100, 1);
  RunEnv other;
  other.path = env_.path;
  other.fs = env_.fs;
  other.clock = env_.clock;
  other.stamp = MakeStamp("db", 4);
  std::shared_ptr<RunFile> opened;
  EXPECT_TRUE(
      RunFile::Open(other, 1, file->file_bytes(), file->tail_bytes(), &opened)
          .IsCorruption());
}

}  // namespace ROCKSDB_NAMESPACE::ralt

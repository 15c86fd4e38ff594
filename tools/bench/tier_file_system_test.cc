//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/tier_file_system.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "plugin/hotrap/db/placement/hotrap_level_shape.h"
#include "plugin/hotrap/tools/bench/latency_histogram.h"
#include "plugin/hotrap/tools/bench/level_shape.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

class TierFileSystemTest : public testing::Test {
 public:
  TierFileSystemTest()
      : root_(std::filesystem::temp_directory_path() /
              ("tier_file_system_test." + std::to_string(getpid()))) {
    std::filesystem::create_directories(root_ / "fast");
    std::filesystem::create_directories(root_ / "slow");
  }
  ~TierFileSystemTest() override { std::filesystem::remove_all(root_); }

 protected:
  std::unique_ptr<TierFileSystem> NewFileSystem(
      std::shared_ptr<SlowThrottle> throttle) {
    return std::make_unique<TierFileSystem>(FileSystem::Default(),
                                            root_ / "fast", root_ / "slow",
                                            std::move(throttle));
  }

  static void WriteAndRead(FileSystem* fs, const std::string& name, int reads) {
    std::unique_ptr<FSWritableFile> writer;
    ASSERT_TRUE(
        fs->NewWritableFile(name, FileOptions(), &writer, nullptr).ok());
    ASSERT_TRUE(writer->Append("0123456789", IOOptions(), nullptr).ok());
    ASSERT_TRUE(writer->Close(IOOptions(), nullptr).ok());
    std::unique_ptr<FSRandomAccessFile> reader;
    ASSERT_TRUE(
        fs->NewRandomAccessFile(name, FileOptions(), &reader, nullptr).ok());
    for (int i = 0; i < reads; ++i) {
      char scratch[5];
      Slice result;
      ASSERT_TRUE(
          reader
              ->Read(0, sizeof(scratch), IOOptions(), &result, scratch, nullptr)
              .ok());
    }
  }

  const std::filesystem::path root_;
};

// So HotRAP knows what it may take for granted of the disks.
TEST_F(TierFileSystemTest, IsTheSystemsUnlessItThrottles) {
  const char* const system = FileSystem::Default()->Name();
  EXPECT_TRUE(NewFileSystem(nullptr)->IsInstanceOf(system));
  std::shared_ptr<SlowThrottle> throttle;
  ASSERT_TRUE(SlowThrottle::FromProfile("hdd", &throttle).ok());
  const auto throttled = NewFileSystem(throttle);
  EXPECT_FALSE(throttled->IsInstanceOf(system));
  EXPECT_TRUE(throttled->IsInstanceOf(TierFileSystem::kClassName()));
}

TEST_F(TierFileSystemTest, CountsByTierAndThread) {
  const auto fs = NewFileSystem(nullptr);
  const ThreadReads before = TierFileSystem::ReadsOfThisThread();
  WriteAndRead(fs.get(), root_ / "fast" / "file", 3);
  WriteAndRead(fs.get(), root_ / "slow" / "file", 2);
  WriteAndRead(fs.get(), root_ / "slower", 1);
  std::thread other(
      [&] { WriteAndRead(fs.get(), root_ / "slow" / "other", 10); });
  other.join();
  const ThreadReads after = TierFileSystem::ReadsOfThisThread();
  EXPECT_EQ(after[0] - before[0], 3u);
  EXPECT_EQ(after[1] - before[1], 2u);
  EXPECT_EQ(after[2] - before[2], 1u);
  const TierIo slow = fs->GetIo(Tier::kSlow);
  EXPECT_EQ(slow.reads, 12u);
  EXPECT_EQ(slow.read_bytes, 60u);
  EXPECT_EQ(slow.writes, 2u);
  EXPECT_EQ(slow.written_bytes, 20u);
}

TEST_F(TierFileSystemTest, ThrottlesTheSlowTierOnly) {
  std::shared_ptr<SlowThrottle> throttle;
  ASSERT_TRUE(
      SlowThrottle::FromProfile("floppy", &throttle).IsInvalidArgument());
  ASSERT_TRUE(SlowThrottle::FromProfile("hdd", &throttle).ok());
  const auto fs = NewFileSystem(throttle);
  const auto secs_of = [&](const char* tier) {
    const auto start = std::chrono::steady_clock::now();
    WriteAndRead(fs.get(), root_ / tier / "file", 200);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  };
  // 200 reads at 400 a second.
  EXPECT_GT(secs_of("slow"), 0.4);
  EXPECT_LT(secs_of("fast"), 0.4);
}

TEST(LevelShapeTest, FillsTheFastTier) {
  for (const uint64_t fast_bytes : {uint64_t{20} << 20, uint64_t{410} << 20,
                                    uint64_t{10} << 30, uint64_t{1} << 40}) {
    ColumnFamilyOptions options;
    FitLevelsToFastTier(fast_bytes, /*hotrap=*/false, &options);
    const int boundary = FirstSlowLevel(options, fast_bytes);
    EXPECT_GE(boundary, 3);
    EXPECT_LT(boundary, options.num_levels - 1);
    double fast_targets = static_cast<double>(options.max_bytes_for_level_base);
    double level_bytes = fast_targets;
    for (int level = 1; level < boundary; ++level) {
      fast_targets += level_bytes;
      level_bytes *= options.max_bytes_for_level_multiplier;
    }
    EXPECT_LE(fast_targets, static_cast<double>(fast_bytes));
    EXPECT_GT(fast_targets, 0.99 * static_cast<double>(fast_bytes));
  }
}

TEST(LevelShapeTest, LeavesTheRestToHotrap) {
  for (const uint64_t fast_bytes : {uint64_t{20} << 20, uint64_t{410} << 20,
                                    uint64_t{10} << 30, uint64_t{1} << 40}) {
    ColumnFamilyOptions options;
    FitLevelsToFastTier(fast_bytes, /*hotrap=*/true, &options);
    options.hotrap.enabled = true;
    options.hotrap.extra_level = false;
    options.cf_paths = {{"fast", fast_bytes}, {"slow", 0}};
    const HotRapLevelShape shape = ComputeLevelShape(
        ImmutableCFOptions(options), MutableCFOptions(options));
    // The boundary is at the same level as without HotRAP.
    ColumnFamilyOptions off;
    FitLevelsToFastTier(fast_bytes, /*hotrap=*/false, &off);
    EXPECT_EQ(shape.first_slow_level, FirstSlowLevel(off, fast_bytes));
    EXPECT_EQ(options.write_buffer_size, off.write_buffer_size);
    const MutableCFOptions sizes(options);
    EXPECT_GE(
        MaxFileSizeForLevel(sizes, shape.first_slow_level,
                            kCompactionStyleLevel),
        std::min(off.target_file_size_base, off.max_bytes_for_level_base / 4));
    // A hot set of half the budget fits easily.
    const auto last = static_cast<double>(shape.last_fast_target_bytes());
    EXPECT_GT(last, 0.55 * static_cast<double>(fast_bytes));
    EXPECT_NEAR(static_cast<double>(shape.target_bytes[shape.first_slow_level]),
                20 * last, 100);
  }
}

TEST(LatencyHistogramTest, QuantilesAreExactToTheBucket) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.QuantileMicros(0.5), 0);
  for (uint64_t i = 1; i <= 100000; ++i) {
    histogram.Add(i * 1000);
  }
  LatencyHistogram total;
  total.Merge(histogram);
  EXPECT_EQ(total.count(), 100000u);
  EXPECT_NEAR(total.MeanMicros(), 50000.5, 0.01);
  EXPECT_EQ(total.MaxMicros(), 100000);
  for (const double quantile : {0.01, 0.5, 0.99, 0.999}) {
    const double exact = quantile * 100000;
    EXPECT_GE(total.QuantileMicros(quantile), exact - 0.001);
    EXPECT_LE(total.QuantileMicros(quantile), exact * (1 + 1.0 / 64) + 0.001);
  }
  EXPECT_EQ(total.QuantileMicros(1), 100000);
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

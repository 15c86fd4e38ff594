//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/budget/joint_brake.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

using State = WriteBrake::State;

class JointBrakeTest : public testing::Test {
 protected:
  // As DbBrake does. Returns the rate in force.
  uint64_t Apply(const int* path, State state, uint64_t bytes_per_sec,
                 bool rocksdb_delays = false) {
    brake_.Observe(rate_, rocksdb_delays);
    const bool braked = brake_.brakes();
    brake_.Set(path, {state, bytes_per_sec, /*hastens=*/false});
    if (braked || brake_.brakes()) {
      rate_ = brake_.Rate(rocksdb_delays);
      brake_.NoteSet(rate_);
    }
    return rate_;
  }

  static constexpr uint64_t kRocksDB = 1000;

  const int paths_[2] = {0, 1};
  JointBrake brake_;
  uint64_t rate_ = kRocksDB;
};

TEST_F(JointBrakeTest, TheSmallestRateCounts) {
  EXPECT_EQ(300u, Apply(&paths_[0], State::kDelayed, 300));
  EXPECT_EQ(300u, Apply(&paths_[1], State::kDelayed, 400));
  EXPECT_EQ(200u, Apply(&paths_[1], State::kDelayed, 200));
  EXPECT_EQ(200u, Apply(&paths_[0], State::kDelayed, 250));
  // With RocksDB's where it delays, too.
  EXPECT_EQ(200u, Apply(&paths_[0], State::kDelayed, 2000, true));
  EXPECT_EQ(kRocksDB, Apply(&paths_[1], State::kDelayed, 3000, true));
  EXPECT_EQ(2000u, Apply(&paths_[1], State::kDelayed, 3000));
}

// The rate that one brake has set is not RocksDB's for the other one.
TEST_F(JointBrakeTest, RocksDBsRateComesBack) {
  Apply(&paths_[0], State::kDelayed, 300);
  Apply(&paths_[1], State::kDelayed, 100);
  EXPECT_EQ(100u, Apply(&paths_[0], State::kFree, 0));
  EXPECT_FALSE(brake_.Has(&paths_[0]));
  EXPECT_EQ(kRocksDB, Apply(&paths_[1], State::kFree, 0));
  EXPECT_FALSE(brake_.brakes());
}

TEST_F(JointBrakeTest, RocksDBMayChangeItsRate) {
  Apply(&paths_[0], State::kDelayed, 300);
  // It raises the brake's; nobody has computed anything.
  rate_ = 420;
  EXPECT_EQ(310u, Apply(&paths_[0], State::kDelayed, 310));
  // It delays writes itself.
  rate_ = 90;
  EXPECT_EQ(90u, Apply(&paths_[0], State::kDelayed, 310, true));
  EXPECT_EQ(80u, Apply(&paths_[1], State::kDelayed, 80, true));
  Apply(&paths_[1], State::kFree, 0);
  EXPECT_EQ(90u, Apply(&paths_[0], State::kFree, 0));
  // Between two times its rate is its own business.
  rate_ = 700;
  Apply(&paths_[0], State::kDelayed, 310);
  EXPECT_EQ(700u, Apply(&paths_[0], State::kFree, 0));
}

TEST_F(JointBrakeTest, OneStopStopsAll) {
  Apply(&paths_[0], State::kDelayed, 300);
  Apply(&paths_[1], State::kStopped, 0);
  EXPECT_TRUE(brake_.stops() && brake_.delays() && !brake_.hastens());
  EXPECT_EQ(kRocksDB, Apply(&paths_[0], State::kFree, 0));
  EXPECT_TRUE(brake_.stops() && !brake_.delays());
  brake_.Set(&paths_[0], {State::kFree, 0, /*hastens=*/true});
  EXPECT_TRUE(brake_.hastens() && brake_.Has(&paths_[0]));
}

}  // namespace ROCKSDB_NAMESPACE

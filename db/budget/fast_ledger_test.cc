//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/budget/fast_ledger.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace ROCKSDB_NAMESPACE {

class FastLedgerTest : public testing::Test {
 protected:
  using Kind = FastLedger::Kind;
  using Room = std::unique_ptr<FastLedger::Reservation>;

  // Of this column family, unless a test says otherwise.
  static constexpr uint32_t kCf = 3;

  // It was picked from this version; it waits.
  Room Pick(Kind kind, uint64_t bytes, uint64_t version = 0,
            uint32_t cf_id = kCf) {
    FastLedger::Job job;
    job.kind = kind;
    job.output_bytes = bytes;
    job.cf_id = cf_id;
    job.version = version;
    return std::make_unique<FastLedger::Reservation>(ledger_, job);
  }
  // Returns nullptr if it would have to wait.
  Room TryCompact(uint64_t bytes, bool regardless = false) {
    Room room = Pick(Kind::kWithin, bytes);
    return room->TryBegin(regardless) ? std::move(room) : nullptr;
  }
  Room Cross(uint64_t bytes) {
    Room room = Pick(Kind::kCrosses, bytes);
    EXPECT_TRUE(room->TryBegin());
    return room;
  }

  const std::shared_ptr<FastLedger> ledger_ = std::make_shared<FastLedger>();
};

TEST_F(FastLedgerTest, TablesLeaveWhenTheyAreDeleted) {
  EXPECT_FALSE(ledger_->HasVersion(0, 7));
  ledger_->SetTables(0, 7, {{1, 100}, {3, 300}, {5, 500}});
  EXPECT_TRUE(ledger_->HasVersion(0, 7));
  ledger_->SetTables(1, 7, {{2, 20}});
  EXPECT_EQ(920u, ledger_->use().tables);
  EXPECT_EQ(900u, ledger_->TableBytes(0));

  ledger_->SetTables(0, 8, {{3, 300}, {4, 400}});
  EXPECT_FALSE(ledger_->HasVersion(0, 7));
  EXPECT_EQ(720u, ledger_->use().tables);
  EXPECT_EQ(600u, ledger_->use().leaving);
  EXPECT_EQ(1320u, ledger_->use().on_disk());
  std::set<uint64_t> files = {1, 2, 3, 4};
  const auto exists = [&](uint64_t number) { return files.count(number) > 0; };
  ledger_->DropDeleted(exists);
  EXPECT_EQ(100u, ledger_->use().leaving);
  files.clear();
  ledger_->DropDeleted(exists);
  EXPECT_EQ(0u, ledger_->use().leaving);
  EXPECT_EQ(720u, ledger_->use().tables);
}

TEST_F(FastLedgerTest, DroppedColumnFamilies) {
  ledger_->SetTables(0, 1, {{1, 100}});
  ledger_->SetTables(9, 1, {{2, 20}});
  ledger_->SetMemory(9, 5, 6);
  EXPECT_EQ(5u, ledger_->use().ralt);
  EXPECT_EQ(131u, ledger_->use().held());
  ledger_->KeepOnly({0});
  EXPECT_EQ(100u, ledger_->use().held());
  EXPECT_EQ(20u, ledger_->use().leaving);
}

TEST_F(FastLedgerTest, OneCompactionAlways) {
  ledger_->SetTables(0, 1, {{1, 5000}});
  ledger_->SetLimit(1000);
  auto first = TryCompact(700);
  ASSERT_NE(nullptr, first);
  EXPECT_EQ(700u, ledger_->use().outputs());
  EXPECT_EQ(nullptr, TryCompact(1));
  // It goes on all the same where waiting does no good.
  EXPECT_NE(nullptr, TryCompact(1, /*regardless=*/true));
  first.reset();
  EXPECT_EQ(0u, ledger_->use().outputs());
  EXPECT_NE(nullptr, TryCompact(1));
}

TEST_F(FastLedgerTest, SeveralIfTheyFit) {
  ledger_->SetLimit(1000);
  ledger_->SetTables(0, 1, {{1, 300}});
  ledger_->SetMemory(0, 50, 50);
  const auto first = TryCompact(400);
  EXPECT_EQ(nullptr, TryCompact(201));
  EXPECT_NE(nullptr, TryCompact(200));
  // What is not yet deleted takes room.
  ledger_->SetTables(0, 2, {});
  EXPECT_EQ(nullptr, TryCompact(201));
  ledger_->DropDeleted([](uint64_t) { return false; });
  EXPECT_NE(nullptr, TryCompact(201));
}

TEST_F(FastLedgerTest, CrossingsNeedNoRoomAndTakeNoTurn) {
  ledger_->SetLimit(1000);
  ledger_->SetTables(0, 1, {{1, 5000}});
  auto crossing = Cross(100);
  EXPECT_TRUE(ledger_->drain().drains());
  EXPECT_EQ(100u, ledger_->use().outputs());
  const auto compaction = TryCompact(10);
  EXPECT_NE(nullptr, compaction);
  crossing.reset();
  EXPECT_EQ(10u, ledger_->use().outputs());
  EXPECT_TRUE(ledger_->drain().drains());
}

// The version that has the output is not there yet.
TEST_F(FastLedgerTest, WhatIsFinishedCountsUntilItIsMeasured) {
  ledger_->SetLimit(1000);
  ledger_->SetTables(3, 1, {{1, 600}});
  const auto compaction = TryCompact(300);
  compaction->Finish();
  EXPECT_FALSE(ledger_->drain().drains());
  EXPECT_EQ(300u, ledger_->use().within);
  // It has its turn until then.
  EXPECT_EQ(nullptr, TryCompact(101));
  const auto crossing = Cross(50);
  crossing->Finish();
  EXPECT_EQ(350u, ledger_->use().outputs());
  EXPECT_EQ(600u, ledger_->use().held());

  ledger_->SetTables(3, 2, {{2, 900}});
  EXPECT_EQ(0u, ledger_->use().outputs());
  EXPECT_NE(nullptr, TryCompact(101));
  // Nobody measures a column family that is gone.
  const Room gone = Pick(Kind::kWithin, 300, 0, /*cf_id=*/9);
  ASSERT_TRUE(gone->TryBegin(/*regardless=*/true));
  gone->Finish();
  EXPECT_EQ(0u, ledger_->use().outputs());
}

// The column family was dropped after the compaction had ended, or the MANIFEST
// could not be written: no version has the output.
TEST_F(FastLedgerTest, WhatIsNotInstalledIsForgotten) {
  ledger_->SetLimit(1000);
  ledger_->SetTables(3, 1, {{1, 900}});
  auto within = TryCompact(300);
  auto crossing = Cross(50);
  within->Finish();
  crossing->Finish();
  EXPECT_EQ(350u, ledger_->use().outputs());
  within.reset();
  EXPECT_EQ(50u, ledger_->use().outputs());
  crossing.reset();
  EXPECT_EQ(0u, ledger_->use().outputs());
  // It has its turn no more.
  within = TryCompact(300);
  ASSERT_NE(nullptr, within);

  // What was installed is not forgotten once more.
  within->Finish();
  ledger_->SetTables(3, 2, {{2, 900}});
  const auto next = TryCompact(40);
  next->Finish();
  within.reset();
  EXPECT_EQ(40u, ledger_->use().outputs());
  ledger_->KeepOnly({});
  EXPECT_EQ(0u, ledger_->use().outputs());
}

// They replace what goes, but not before they are installed.
TEST_F(FastLedgerTest, WhatCrossingsWriteIsKnown) {
  const auto crossing = Cross(80);
  const auto compaction = TryCompact(7);
  EXPECT_EQ(80u, ledger_->use().crossing);
  EXPECT_EQ(7u, ledger_->use().within);
}

// The version that it was picked from holds its tables.
TEST_F(FastLedgerTest, ACompactionKeepsWhatLeavesUntilItEnds) {
  ledger_->SetTables(kCf, 5, {{1, 100}, {2, 200}});
  ledger_->SetTables(9, 6, {{7, 7000}});
  Room crossing = Pick(Kind::kCrosses, 0, /*version=*/5);
  const Room other = Pick(Kind::kCrosses, 0, /*version=*/6, /*cf_id=*/9);
  ledger_->SetTables(kCf, 7, {{2, 200}, {3, 30}});
  EXPECT_EQ(100u, ledger_->use().kept);
  EXPECT_EQ(0u, ledger_->use().leaving);
  EXPECT_EQ(330u + 7000u, ledger_->use().on_disk());
  EXPECT_EQ(7230u, ledger_->use().held());
  // It never had the third one, and does not go without the second.
  ledger_->SetTables(kCf, 8, {});
  EXPECT_EQ(300u, ledger_->use().kept);
  EXPECT_EQ(30u, ledger_->use().leaving);
  // One that begins now keeps nothing of that.
  const Room next = Pick(Kind::kBelow, 0, /*version=*/8);
  EXPECT_EQ(300u, ledger_->use().kept);
  crossing.reset();
  EXPECT_EQ(0u, ledger_->use().kept);
  EXPECT_EQ(330u, ledger_->use().leaving);
  // All that is dropped has left, also where it is kept.
  ledger_->KeepOnly({kCf});
  EXPECT_EQ(7000u, ledger_->use().kept);
}

TEST_F(FastLedgerTest, WhatOthersKeepMakesItWait) {
  ledger_->SetLimit(1000);
  ledger_->SetTables(kCf, 1, {{1, 900}, {2, 50}});
  for (const Kind kind : {Kind::kCrosses, Kind::kBelow}) {
    Room running = Pick(kind, 0, /*version=*/1);
    ASSERT_TRUE(running->TryBegin());
    ledger_->SetTables(kCf, 2, {{2, 50}, {3, 900}});
    // Picked later, it does not keep the first one itself.
    const Room room = Pick(Kind::kWithin, 100, /*version=*/2);
    EXPECT_FALSE(room->TryBegin());
    ledger_->SetLimit(1849);
    EXPECT_FALSE(room->TryBegin());
    // Its output may be too much, or there may be room.
    ledger_->SetLimit(1850);
    EXPECT_NE(nullptr, TryCompact(100));
    ledger_->SetLimit(1000);
    // One that makes room need not wait.
    EXPECT_NE(nullptr, Cross(500));
    running.reset();
    EXPECT_TRUE(room->TryBegin());
    ledger_->SetTables(kCf, 1, {{1, 900}, {2, 50}});
    ledger_->DropDeleted([](uint64_t) { return false; });
  }
}

// A listener on its thread may wait for the other one.
TEST_F(FastLedgerTest, WhatIsInstalledMakesNobodyWait) {
  ledger_->SetLimit(1000);
  ledger_->SetTables(kCf, 1, {{1, 900}});
  const Room first = Pick(Kind::kWithin, 900, /*version=*/1);
  ASSERT_TRUE(first->TryBegin());
  first->Finish();
  const Room second = Pick(Kind::kWithin, 900, /*version=*/2);
  EXPECT_FALSE(second->TryBegin());
  ledger_->SetTables(kCf, 2, {{2, 900}});
  EXPECT_EQ(900u, ledger_->use().kept);
  EXPECT_TRUE(second->TryBegin());
}

// They would wait for each other.
TEST_F(FastLedgerTest, WhatIsKeptByThoseThatWaitMakesNobodyWait) {
  ledger_->SetLimit(1000);
  ledger_->SetTables(kCf, 1, {{1, 900}});
  const Room first = Pick(Kind::kWithin, 500, /*version=*/1);
  const Room second = Pick(Kind::kWithin, 500, /*version=*/1);
  ledger_->SetTables(kCf, 2, {{2, 900}});
  EXPECT_EQ(900u, ledger_->use().kept);
  EXPECT_TRUE(first->TryBegin());
  EXPECT_FALSE(second->TryBegin());
}

TEST_F(FastLedgerTest, WhetherAnyIsWithin) {
  ledger_->SetLimit(1000);
  ledger_->SetTables(kCf, 1, {{1, 600}});
  EXPECT_FALSE(ledger_->HasWithin());
  EXPECT_TRUE(ledger_->Fits(400));
  EXPECT_FALSE(ledger_->Fits(401));
  const Room crossing = Cross(0);
  EXPECT_FALSE(ledger_->HasWithin());
  Room room = Pick(Kind::kWithin, 500);
  EXPECT_TRUE(ledger_->HasWithin());
  ASSERT_TRUE(room->TryBegin());
  EXPECT_TRUE(ledger_->HasWithin());
  room->Finish();
  EXPECT_TRUE(ledger_->HasWithin());
  room.reset();
  EXPECT_FALSE(ledger_->HasWithin());
}

TEST_F(FastLedgerTest, NoLimitUntilItIsSet) {
  const auto first = TryCompact(uint64_t{1} << 60);
  EXPECT_NE(nullptr, TryCompact(uint64_t{1} << 60));
}

TEST_F(FastLedgerTest, ManyTablesThatLeaveAreAskedAboutInTurns) {
  std::vector<FastTable> tables;
  for (uint64_t number = 1; number <= 1000; number++) {
    tables.push_back({number, 1});
  }
  ledger_->SetTables(0, 1, tables);
  ledger_->SetTables(0, 2, {});
  uint64_t calls = 0;
  ledger_->DropDeleted([&](uint64_t) { return ++calls > 0; });
  EXPECT_LT(calls, 500u);
  EXPECT_EQ(1000u, ledger_->use().leaving);
  for (int i = 0; i < 4; i++) {
    ledger_->DropDeleted([](uint64_t number) { return number % 2 == 0; });
  }
  EXPECT_EQ(500u, ledger_->use().leaving);
  for (int i = 0; i < 2; i++) {
    ledger_->DropDeleted([](uint64_t) { return false; });
  }
  EXPECT_EQ(0u, ledger_->use().leaving);
}

}  // namespace ROCKSDB_NAMESPACE

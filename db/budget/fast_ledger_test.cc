//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/budget/fast_ledger.h"

#include <gtest/gtest.h>

#include <set>

namespace ROCKSDB_NAMESPACE {

class FastLedgerTest : public testing::Test {
 protected:
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
  auto first = FastLedger::TryCompact(ledger_, 700);
  ASSERT_NE(nullptr, first);
  EXPECT_EQ(700u, ledger_->use().outputs());
  EXPECT_EQ(nullptr, FastLedger::TryCompact(ledger_, 1));
  // It goes on all the same where waiting does no good.
  EXPECT_NE(nullptr, FastLedger::TryCompact(ledger_, 1, /*regardless=*/true));
  first.reset();
  EXPECT_EQ(0u, ledger_->use().outputs());
  EXPECT_NE(nullptr, FastLedger::TryCompact(ledger_, 1));
}

TEST_F(FastLedgerTest, SeveralIfTheyFit) {
  ledger_->SetLimit(1000);
  ledger_->SetTables(0, 1, {{1, 300}});
  ledger_->SetMemory(0, 50, 50);
  const auto first = FastLedger::TryCompact(ledger_, 400);
  EXPECT_EQ(nullptr, FastLedger::TryCompact(ledger_, 201));
  EXPECT_NE(nullptr, FastLedger::TryCompact(ledger_, 200));
  // What is not yet deleted takes room.
  ledger_->SetTables(0, 2, {});
  EXPECT_EQ(nullptr, FastLedger::TryCompact(ledger_, 201));
  ledger_->DropDeleted([](uint64_t) { return false; });
  EXPECT_NE(nullptr, FastLedger::TryCompact(ledger_, 201));
}

TEST_F(FastLedgerTest, CrossingsNeedNoRoomAndTakeNoTurn) {
  ledger_->SetLimit(1000);
  ledger_->SetTables(0, 1, {{1, 5000}});
  auto crossing = FastLedger::Cross(ledger_, 100);
  EXPECT_TRUE(ledger_->drain().drains());
  EXPECT_EQ(100u, ledger_->use().outputs());
  const auto compaction = FastLedger::TryCompact(ledger_, 10);
  EXPECT_NE(nullptr, compaction);
  crossing.reset();
  EXPECT_EQ(10u, ledger_->use().outputs());
  EXPECT_TRUE(ledger_->drain().drains());
}

// The version that has the output is not there yet.
TEST_F(FastLedgerTest, WhatIsFinishedCountsUntilItIsMeasured) {
  ledger_->SetLimit(1000);
  ledger_->SetTables(3, 1, {{1, 600}});
  const auto compaction = FastLedger::TryCompact(ledger_, 300);
  compaction->Finish(3);
  EXPECT_FALSE(ledger_->drain().drains());
  EXPECT_EQ(300u, ledger_->use().within);
  // It has its turn until then.
  EXPECT_EQ(nullptr, FastLedger::TryCompact(ledger_, 101));
  const auto crossing = FastLedger::Cross(ledger_, 50);
  crossing->Finish(3);
  EXPECT_EQ(350u, ledger_->use().outputs());
  EXPECT_EQ(600u, ledger_->use().held());

  ledger_->SetTables(3, 2, {{2, 900}});
  EXPECT_EQ(0u, ledger_->use().outputs());
  EXPECT_NE(nullptr, FastLedger::TryCompact(ledger_, 101));
  // Nobody measures a column family that is gone.
  FastLedger::TryCompact(ledger_, 300)->Finish(9);
  EXPECT_EQ(0u, ledger_->use().outputs());
}

// The column family was dropped after the compaction had ended, or the MANIFEST
// could not be written: no version has the output.
TEST_F(FastLedgerTest, WhatIsNotInstalledIsForgotten) {
  ledger_->SetLimit(1000);
  ledger_->SetTables(3, 1, {{1, 900}});
  auto within = FastLedger::TryCompact(ledger_, 300);
  auto crossing = FastLedger::Cross(ledger_, 50);
  within->Finish(3);
  crossing->Finish(3);
  EXPECT_EQ(350u, ledger_->use().outputs());
  within.reset();
  EXPECT_EQ(50u, ledger_->use().outputs());
  crossing.reset();
  EXPECT_EQ(0u, ledger_->use().outputs());
  // It has its turn no more.
  within = FastLedger::TryCompact(ledger_, 300);
  ASSERT_NE(nullptr, within);

  // What was installed is not forgotten once more.
  within->Finish(3);
  ledger_->SetTables(3, 2, {{2, 900}});
  const auto next = FastLedger::TryCompact(ledger_, 40);
  next->Finish(3);
  within.reset();
  EXPECT_EQ(40u, ledger_->use().outputs());
  ledger_->KeepOnly({});
  EXPECT_EQ(0u, ledger_->use().outputs());
}

// They replace what goes, but not before they are installed.
TEST_F(FastLedgerTest, WhatCrossingsWriteIsKnown) {
  const auto crossing = FastLedger::Cross(ledger_, 80);
  const auto compaction = FastLedger::TryCompact(ledger_, 7);
  EXPECT_EQ(80u, ledger_->use().crossing);
  EXPECT_EQ(7u, ledger_->use().within);
}

TEST_F(FastLedgerTest, NoLimitUntilItIsSet) {
  const auto first = FastLedger::TryCompact(ledger_, uint64_t{1} << 60);
  EXPECT_NE(nullptr, FastLedger::TryCompact(ledger_, uint64_t{1} << 60));
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

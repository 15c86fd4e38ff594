//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests what ends during a promotion: the DB, the column family, or HotRAP
// itself.

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>

#include "plugin/hotrap/db/hooks/hotrap_fences.h"
#include "plugin/hotrap/ralt/ralt_thread.h"
#include "plugin/hotrap/test_util/hotrap_safety_test_base.h"
#include "port/lang.h"

namespace ROCKSDB_NAMESPACE {

class SafetyLifetimeTest : public HotRapSafetyTestBase {
 public:
  SafetyLifetimeTest() : HotRapSafetyTestBase("safety_lifetime_test") {}

  // Returns the number of tables on the fast path, whether a version knows them
  // or not.
  int TablesOnFastPath() {
    std::vector<std::string> names;
    EXPECT_OK(env_->GetChildren(FastPath(), &names));
    return static_cast<int>(std::count_if(
        names.begin(), names.end(),
        [](const std::string& name) { return Slice(name).ends_with(".sst"); }));
  }
};

TEST_F(SafetyLifetimeTest, DBClosesWhileAPromotionIsBuilt) {
  DestroyAndReopen(TrapOptions());
  LoadSlow(10);
  FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&build, Keys(0, 3)));
  std::thread closer([&] { Close(); });
  // Give Close() time to reach the point where it waits.
  env_->SleepForMicroseconds(50 * 1000);
  build.Open();
  closer.join();
  EXPECT_EQ(0, TablesOnFastPath());
  Reopen(TrapOptions());
  for (int i = 0; i < 10; i++) {
    ExpectEverywhere(Key(i), Value(i, 1));
  }
}

TEST_F(SafetyLifetimeTest, ColumnFamilyGoesWhileItsPromotionIsBuilt) {
  DestroyAndReopen(TrapOptions());
  CreateColumnFamilies({"goes"}, TrapOptions());
  ColumnFamilyHandle* const cf = handles_[0];
  ASSERT_OK(PutVersion(db_, cf, kFillersBegin, kFillersEnd, 1));
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  ASSERT_NO_FATAL_FAILURE(MakeHot(Fillers(), cf));
  const std::string ralt_folder = FastPath() + "/hotrap.ralt.1";
  ASSERT_OK(env_->FileExists(ralt_folder));
  {
    FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
    std::string value;
    for (int round = 0; !build.caught(); round++) {
      ASSERT_LT(round, 20000) << "no promotion starts";
      for (const auto& key : Fillers()) {
        ASSERT_OK(db_->Get(ReadOptions(), cf, key, &value));
      }
    }
    ASSERT_OK(db_->DropColumnFamily(cf));
    // From here on the job has the last reference.
    ASSERT_OK(db_->DestroyColumnFamilyHandle(cf));
    handles_.clear();
  }
  Close();
  EXPECT_TRUE(env_->FileExists(ralt_folder).IsNotFound());
  EXPECT_EQ(0, TablesOnFastPath());
  Reopen(TrapOptions());
}

// RALT's thread is busy with another DB, whose disk does not respond.
TEST_F(SafetyLifetimeTest, ColumnFamilyGoesBehindAnotherDB) {
  DestroyAndReopen(TrapOptions());
  CreateColumnFamilies({"goes"}, TrapOptions());
  WaitForRalt();
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, 10), handles_[0]));
  struct OtherDB {
    std::promise<void> begun;
    std::promise<void> answer;
    std::promise<void> ended;
  } other;
  RaltThread()->Schedule(
      [](void* arg) {
        auto* const db = static_cast<OtherDB*>(arg);
        db->begun.set_value();
        db->answer.get_future().wait();
        db->ended.set_value();
      },
      &other, /*tag=*/nullptr, /*unschedFunction=*/nullptr);
  other.begun.get_future().wait();
  ASSERT_OK(db_->DropColumnFamily(handles_[0]));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(handles_[0]));
  handles_.clear();
  auto closing = std::async(std::launch::async, [&] { Close(); });
  EXPECT_EQ(std::future_status::ready,
            closing.wait_for(std::chrono::seconds(10)));
  EXPECT_TRUE(env_->FileExists(FastPath() + "/hotrap.ralt.1").IsNotFound());
  EXPECT_TRUE(env_->FileExists(SlowPath() + "/hotrap.ralt.1").IsNotFound());
  other.answer.set_value();
  other.ended.get_future().wait();
  closing.wait();
}

// Whoever is about to move a level relies on an unchanged level 0.
TEST_F(SafetyLifetimeTest, LevelMovesBesideAPromotion) {
  for (const bool built : {false, true}) {
    SCOPED_TRACE(built);
    DestroyAndReopen(TrapOptions());
    LoadSlow(10);
    FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
    if (built) {
      ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&build, Keys(0, 10)));
    }
    {
      const HotRapFences::NoRetention moves(Tier()->db(), Tier()->cfd(),
                                            /*changes_level=*/true);
      build.Open();
      if (built) {
        WaitForPromotionIdle();
        EXPECT_GT(Counter(HotRapCounter::kDroppedConflict), 0);
      } else {
        for (int round = 0; round < 100; round++) {
          Touch(Keys(0, 10));
          Touch(Fillers());
        }
        EXPECT_EQ(0, Counter(HotRapCounter::kSeals));
      }
      EXPECT_EQ(0, NumTableFilesAtLevel(0));
    }
    // Do not wait for one key: those read last may not fill the cache.
    ASSERT_NO_FATAL_FAILURE(RunPromotion(Keys(0, 10)));
    EXPECT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
  }
}

// ... or on level 0 after the promotion that is being installed.
TEST_F(SafetyLifetimeTest, LevelMovesAfterAPromotion) {
  DestroyAndReopen(TrapOptions());
  LoadSlow(10);
  FileGate manifest(fs_.get(), FileOp::kAppend, kManifest);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&manifest, Keys(0, 10)));
  auto moving = std::async(std::launch::async, [&] {
    const HotRapFences::NoRetention moves(Tier()->db(), Tier()->cfd(),
                                          /*changes_level=*/true);
    EXPECT_EQ(1, NumTableFilesAtLevel(0));
  });
  // Give it time to show that it waits.
  EXPECT_EQ(std::future_status::timeout,
            moving.wait_for(std::chrono::milliseconds(300)));
  LetGo(&manifest);
  moving.wait();
}

// No version has the promoted file yet, and RocksDB searches for obsolete
// files.
TEST_F(SafetyLifetimeTest, ObsoleteFilesGoWhileAPromotionIsInstalled) {
  DestroyAndReopen(TrapOptions());
  LoadSlow(10);
  FileGate manifest(fs_.get(), FileOp::kAppend, kManifest);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&manifest, Keys(0, 10)));
  ASSERT_EQ(1, TablesOnFastPath());
  ASSERT_OK(db_->DisableFileDeletions());
  ASSERT_OK(db_->EnableFileDeletions());
  EXPECT_EQ(1, TablesOnFastPath());
  LetGo(&manifest);
  ASSERT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
  for (int i = 0; i < 10; i++) {
    ExpectEverywhere(Key(i), Value(i, 1));
  }
  Reopen(TrapOptions());
  ASSERT_OK(db_->VerifyChecksum());
}

// A promotion holds the tables of its SuperVersion, and keeps those with higher
// numbers than its file. They are deleted with it.
TEST_F(SafetyLifetimeTest, ObsoleteTablesGoWithThePromotion) {
  DestroyAndReopen(TrapOptions());
  LoadSlow(10);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  ASSERT_OK(Put(Key(20), "before"));
  ASSERT_OK(Flush());
  FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&build, Keys(0, 3)));
  ASSERT_OK(Put(Key(20), "beside"));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  ASSERT_GE(TablesOnDisk().size(), TablesOfTheDB().size() + 2);
  LetGo(&build);
  ExpectNoOrphans();
}

// After any error it is unknown whether the MANIFEST has the file, so the file
// stays.
TEST_F(SafetyLifetimeTest, ManifestTimesOutWhileAPromotionIsInstalled) {
  DestroyAndReopen(TrapOptions());
  LoadSlow(10);
  FileGate manifest(fs_.get(), FileOp::kAppend, kManifest);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&manifest, Keys(0, 10)));
  manifest.Fail(IOStatus::TimedOut("gate"));
  WaitForPromotionIdle();
  EXPECT_EQ(1, TablesOnFastPath());
  EXPECT_EQ(0, Counter(HotRapCounter::kPromotedRecords));
  Reopen(TrapOptions());
  for (int i = 0; i < 10; i++) {
    ExpectEverywhere(Key(i), Value(i, 1));
  }
}

// The DB is closed after RALT's thread has ended with the process.
TEST_F(SafetyLifetimeTest, DBOfAStaticObject) {
  if (kMustFreeHeapAllocations) {
    GTEST_SKIP() << "RocksDB's own threads are gone as well";
  }
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto use = [&] {
    static std::unique_ptr<DB> static_db;
    DestroyAndReopen(HotRapOptionsForTest());
    WaitForRalt();
    static_db.reset(db_);
    db_ = nullptr;
    exit(static_db->Put(WriteOptions(), Key(0), "x").ok() ? 0 : 1);
  };
  EXPECT_EXIT(use(), testing::ExitedWithCode(0), "");
}

// From then on changes are not tracked, so the promotion must not be installed.
TEST_F(SafetyLifetimeTest, HotRapIsSwitchedOffWhileAPromotionIsBuilt) {
  DestroyAndReopen(TrapOptions());
  LoadSlow(10);
  FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&build, Keys(0, 4)));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=false;}"}}));
  ASSERT_OK(Delete(Key(3)));
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  LetGo(&build);
  ExpectEverywhere(Key(3), "NOT_FOUND");
  EXPECT_EQ(0, Counter(HotRapCounter::kPromotedRecords));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=true;}"}}));
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, 3)));
  ExpectEverywhere(Key(3), "NOT_FOUND");
}

}  // namespace ROCKSDB_NAMESPACE

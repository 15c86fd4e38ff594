//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests when nothing is promoted by flush, what the property reports then, and
// what waits for a promotion.

#include <atomic>
#include <map>
#include <string>
#include <thread>

#include "plugin/hotrap/test_util/hotrap_safety_test_base.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/sst_file_writer.h"
#include "utilities/merge_operators.h"

namespace ROCKSDB_NAMESPACE {

class PromotionGateTest : public HotRapSafetyTestBase {
 public:
  PromotionGateTest() : HotRapSafetyTestBase("promotion_gate_test") {}

  std::string BlockedReason() {
    std::map<std::string, std::string> stats;
    EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
    return stats["promotion_blocked_reason"];
  }
  void ExpectBlocked(const std::string& by) {
    EXPECT_NE(std::string::npos, BlockedReason().find(by)) << BlockedReason();
  }

  void Open(const Options& options) {
    DestroyAndReopen(options);
    WaitForRalt();
  }

  // Reads until a promotion was due and was put off.
  void TouchUntilPutOff() {
    const uint64_t before = Counter(HotRapCounter::kBackoffs);
    for (int round = 0; Counter(HotRapCounter::kBackoffs) == before; round++) {
      ASSERT_LT(round, 20000) << "no promotion is tried";
      Touch(Fillers());
    }
    EXPECT_EQ(0, Counter(HotRapCounter::kSeals));
  }
};

// Nothing would remove the files from L0.
TEST_F(PromotionGateTest, NothingByFlushWithoutAutomaticCompactions) {
  Options options = TrapOptions();
  options.disable_auto_compactions = true;
  Open(options);
  LoadSlow(10);
  ExpectBlocked("disable_auto_compactions");
  ASSERT_NO_FATAL_FAILURE(TouchUntilPutOff());
  EXPECT_EQ(0, NumTableFilesAtLevel(0));

  ASSERT_OK(db_->SetOptions({{"disable_auto_compactions", "false"}}));
  EXPECT_EQ("", BlockedReason());
  ASSERT_NO_FATAL_FAILURE(RunPromotion(Keys(0, 10)));
  EXPECT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
}

// ---- The slowdown trigger ---------------------------------------------------

// A promotion delays no writes, and where there are none it happens even with
// the least triggers.
TEST_F(PromotionGateTest, ASlowdownTriggerOfTwo) {
  Open(TrapOptions());
  LoadSlow(10);
  ASSERT_OK(db_->SetOptions({{"level0_file_num_compaction_trigger", "1"},
                             {"level0_slowdown_writes_trigger", "2"}}));
  ASSERT_EQ("", BlockedReason());
  ASSERT_NO_FATAL_FAILURE(RunPromotion(Keys(0, 10)));
  EXPECT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
  while (NumTableFilesAtLevel(0) > 0) {
    env_->SleepForMicroseconds(1000);
  }
  // This will be a file of L0, too.
  ASSERT_OK(Put("written", "value"));
  ExpectBlocked("level0_slowdown_writes_trigger");
  ASSERT_OK(db_->SetOptions({{"level0_slowdown_writes_trigger", "3"}}));
  EXPECT_EQ("", BlockedReason());
}

TEST_F(PromotionGateTest, NoRoomBelowTheSlowdownTrigger) {
  Open(TrapOptions());
  LoadSlow(10);
  ASSERT_OK(Put("written", "value"));
  ASSERT_OK(Flush());
  ASSERT_OK(db_->SetOptions({{"level0_file_num_compaction_trigger", "2"},
                             {"level0_slowdown_writes_trigger", "2"}}));
  ASSERT_NE("", BlockedReason());
  ExpectBlocked("level0_slowdown_writes_trigger");
  ASSERT_NO_FATAL_FAILURE(TouchUntilPutOff());
  EXPECT_EQ(1, NumTableFilesAtLevel(0));
}

// ---- PauseBackgroundWork ----------------------------------------------------

// Whoever has paused background work may copy or compare files: no new version
// may follow.
TEST_F(PromotionGateTest, PauseWaitsForAPromotionThatIsInstalled) {
  Open(TrapOptions());
  LoadSlow(10);
  FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&build, Keys(3, 7)));
  FileGate manifest(fs_.get(), FileOp::kAppend, kManifest);
  build.Open();
  ASSERT_TRUE(manifest.WaitCaught());
  std::atomic<bool> paused{false};
  std::thread pauser([&] {
    EXPECT_OK(db_->PauseBackgroundWork());
    paused.store(true);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(paused.load());
  manifest.Open();
  pauser.join();
  EXPECT_EQ(1, NumTableFilesAtLevel(0));
  ExpectBlocked("paused");
  ASSERT_OK(db_->ContinueBackgroundWork());
  WaitForPromotionIdle();
  EXPECT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
}

// A promotion that is not so far yet is not waited for, and is installed later,
// if at all.
TEST_F(PromotionGateTest, NothingIsInstalledWhilePaused) {
  Open(TrapOptions());
  LoadSlow(10);
  FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&build, Keys(3, 7)));
  ASSERT_OK(db_->PauseBackgroundWork());
  FileGate manifest(fs_.get(), FileOp::kAppend, kManifest);
  build.Open();
  EXPECT_FALSE(manifest.WaitCaught(std::chrono::milliseconds(300)));
  EXPECT_EQ(0, NumTableFilesAtLevel(0));
  manifest.Open();
  ASSERT_OK(db_->ContinueBackgroundWork());
  WaitForPromotionIdle();
  ASSERT_NO_FATAL_FAILURE(RunPromotion(Keys(0, 10)));
  EXPECT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
}

#if ROCKSDB_MAJOR >= 11
// Nothing compacts what promotions would add to L0.
TEST_F(PromotionGateTest, NothingIsPromotedWhileCompactionsAreAborted) {
  Open(TrapOptions());
  LoadSlow(10);
  db_->AbortAllCompactions();
  ExpectBlocked("paused");
  ASSERT_NO_FATAL_FAILURE(TouchUntilPutOff());
  EXPECT_EQ(0, NumTableFilesAtLevel(0));
  db_->ResumeAllCompactions();
  EXPECT_EQ("", BlockedReason());
  ASSERT_NO_FATAL_FAILURE(RunPromotion(Keys(0, 10)));
  EXPECT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
}
#endif

// ---- What the property says ------------------------------------------------

TEST_F(PromotionGateTest, NoReasonWherePromotionCanHappen) {
  Open(TrapOptions());
  LoadSlow(10);
  EXPECT_EQ("", BlockedReason());
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=false;}"}}));
  ExpectBlocked("hotrap.enabled is false");
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=true;}"}}));
  EXPECT_EQ("", BlockedReason());
}

// All sequence numbers are 0, and a copy would get the one of the first write.
TEST_F(PromotionGateTest, ABulkLoadNeedsOneWrite) {
  Open(TrapOptions());
  const std::string file = dbname_ + "/ingested.sst";
  SstFileWriter writer(EnvOptions(), db_->GetOptions());
  ASSERT_OK(writer.Open(file));
  for (const std::string& key : Fillers()) {
    ASSERT_OK(writer.Put(key, std::string(kValueBytes, 'v')));
  }
  ASSERT_OK(writer.Finish());
  ASSERT_OK(db_->IngestExternalFile({file}, IngestExternalFileOptions()));
  ASSERT_NO_FATAL_FAILURE(MakeHot(Fillers()));
  ASSERT_NO_FATAL_FAILURE(Touch(Fillers()));
  EXPECT_EQ(0, Counter(HotRapCounter::kAdmissions));
  ExpectBlocked("nothing has been written");
  ASSERT_OK(Delete("no key"));
  EXPECT_EQ("", BlockedReason());
  ASSERT_NO_FATAL_FAILURE(RunPromotion(Fillers()));
  EXPECT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
}

TEST_F(PromotionGateTest, NothingIsTracked) {
  Options options = TrapOptions();
  options.hotrap.no_tracking = true;
  Open(options);
  ASSERT_OK(Put(Key(0), "value"));
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  ASSERT_NO_FATAL_FAILURE(Touch(Keys(0, 1)));
  ExpectBlocked("no_tracking");
  ASSERT_OK(db_->SetOptions({{"hotrap", "{no_hotness_check=true;}"}}));
  EXPECT_EQ("", BlockedReason());
  ASSERT_OK(db_->SetOptions({{"hotrap", "{no_hotness_check=false;}"}}));
  ExpectBlocked("no_tracking");
  // What is hot already stays so.
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, 1)));
  EXPECT_EQ("", BlockedReason());
}

// A filter is asked about each record instead (filtered_promotion.h).
TEST_F(PromotionGateTest, ACompactionFilterBlocksNothing) {
  class KeepsAll : public CompactionFilter {
   public:
    const char* Name() const override { return "KeepsAll"; }
  };
  const KeepsAll filter;
  Options options = TrapOptions();
  options.compaction_filter = &filter;
  Open(options);
  LoadSlow(10);
  EXPECT_EQ("", BlockedReason());
  ASSERT_NO_FATAL_FAILURE(RunPromotion(Keys(0, 10)));
  EXPECT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
  Close();
}

TEST_F(PromotionGateTest, EachValueIsABlob) {
  Options options = TrapOptions();
  options.enable_blob_files = true;
  Open(options);
  LoadSlow(10);
  ExpectBlocked("blob");
  ASSERT_NO_FATAL_FAILURE(Touch(Keys(0, 10)));
  EXPECT_EQ(0, Counter(HotRapCounter::kAdmissions));
  // Blobs remain when the option is off.
  ASSERT_OK(db_->SetOptions({{"enable_blob_files", "false"}}));
  ExpectBlocked("blob");
}

// What else cannot be promoted is no blob.
TEST_F(PromotionGateTest, WideColumnsAreNoBlobs) {
  Options options = TrapOptions();
  options.enable_blob_files = true;
  options.min_blob_size = 1 << 20;
  Open(options);
  const WideColumns columns = {{kDefaultWideColumnName, "a"}, {"column", "b"}};
  ASSERT_OK(db_->PutEntity(WriteOptions(), db_->DefaultColumnFamily(), "wide",
                           columns));
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  EXPECT_EQ("a", Get("wide"));
  EXPECT_EQ(1, Counter(HotRapCounter::kRefusedType));
  ExpectBlocked("GetEntity");
  EXPECT_EQ(std::string::npos, BlockedReason().find("blob"));
}

// Reads show whether some values are blobs.
TEST_F(PromotionGateTest, LargeValuesAreBlobs) {
  Options options = TrapOptions();
  options.enable_blob_files = true;
  options.min_blob_size = 100;
  Open(options);
  LoadSlow(10);
  EXPECT_EQ("", BlockedReason());
  ASSERT_NO_FATAL_FAILURE(Touch(Keys(0, 10)));
  EXPECT_EQ(0, Counter(HotRapCounter::kAdmissions));
  ExpectBlocked("blob");
  ASSERT_OK(Put("small", "value"));
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  EXPECT_EQ("value", Get("small"));
  EXPECT_EQ(1, Counter(HotRapCounter::kAdmissions));
  EXPECT_EQ("", BlockedReason());
}

// A copy must have all columns.
TEST_F(PromotionGateTest, EntitiesArePromotedByGetEntity) {
  Open(TrapOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  const WideColumns columns = {{kDefaultWideColumnName, "default"}, {"c", "d"}};
  ASSERT_OK(db_->PutEntity(WriteOptions(), cf, Key(0), columns));
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  EXPECT_EQ("", BlockedReason());
  ASSERT_EQ("default", Get(Key(0)));
  ExpectBlocked("GetEntity");
  PinnableWideColumns entity;
  ASSERT_OK(db_->GetEntity(ReadOptions(), cf, Key(0), &entity));
  EXPECT_EQ(1, Counter(HotRapCounter::kAdmissions));
  EXPECT_EQ("", BlockedReason());
}

TEST_F(PromotionGateTest, MergeResultsAreNotPromoted) {
  Options options = TrapOptions();
  options.merge_operator = MergeOperators::CreateStringAppendOperator();
  Open(options);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  ASSERT_OK(db_->Merge(WriteOptions(), cf, Key(0), "a"));
  // Keeps the operands apart.
  const Snapshot* const snapshot = db_->GetSnapshot();
  ASSERT_OK(db_->Merge(WriteOptions(), cf, Key(0), "b"));
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  ASSERT_EQ("a,b", Get(Key(0)));
  EXPECT_EQ(0, Counter(HotRapCounter::kAdmissions));
  ExpectBlocked("merge results");
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(PromotionGateTest, ACacheLargerThanTheBudget) {
  Options options = TrapOptions();
  options.hotrap.promotion_cache_bytes = 2 << 20;
  Open(options);
  ASSERT_EQ(1 << 20, Tier()->sizes().budget_bytes());
  LoadSlow(10);
  ExpectBlocked("promotion_cache_bytes");
  ExpectBlocked("is larger than the fast budget");
  ASSERT_OK(db_->SetOptions({{"hotrap", "{promotion_cache_bytes=1000000;}"}}));
  ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), 0, 100, 2));
  ASSERT_OK(Flush());
  ExpectBlocked("the fast levels, RALT and a full promotion cache");
  ASSERT_OK(db_->SetOptions({{"hotrap", "{promotion_cache_bytes=16384;}"}}));
  EXPECT_EQ("", BlockedReason());
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests with little space left: under the user's limit
// (SstFileManager::SetMaxAllowedSpaceUsage), or on the fast disk. HotRAP must
// not use up the rest of its own accord: reads alone must never make writes
// fail.

#include <memory>
#include <string>

#include "plugin/hotrap/db/state/space_reservation.h"
#include "plugin/hotrap/test_util/free_space_file_system.h"
#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"
#include "rocksdb/sst_file_manager.h"

namespace ROCKSDB_NAMESPACE {

class HotRapSpaceTest : public HotRapCrossingTestBase {
 public:
  HotRapSpaceTest()
      : HotRapCrossingTestBase("hotrap_space_test"),
        space_(std::make_shared<FreeSpaceFileSystem>(fs_)),
        space_env_(std::make_unique<CompositeEnvWrapper>(env_, space_)) {}
  ~HotRapSpaceTest() override { Close(); }

  Options WithSpace(Options options) {
    options.env = space_env_.get();
    manager_.reset(NewSstFileManager(space_env_.get()));
    options.sst_file_manager = manager_;
    return options;
  }

  uint64_t TrackedRaltBytes() {
    uint64_t bytes = 0;
    for (const auto& [name, size] : manager_->GetTrackedFiles()) {
      bytes += name.find("hotrap.ralt.") != std::string::npos ? size : 0;
    }
    return bytes;
  }

  uint64_t BytesAtLevel(int level) {
    uint64_t bytes = 0;
    for (const auto& file : FilesAtLevel(level)) {
      bytes += file.size;
    }
    return bytes;
  }

  uint64_t SpareOfCrossing() {
    return SpareForFlushes(MutableCFOptions(db_->GetOptions()));
  }

  std::string BlockedReason() {
    std::map<std::string, std::string> stats;
    EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
    return stats["promotion_blocked_reason"];
  }

  void ExpectPutOff() {
    const uint64_t before = Counter(HotRapCounter::kBackoffs);
    for (int round = 0; Counter(HotRapCounter::kBackoffs) == before; round++) {
      ASSERT_LT(round, 20000) << "no promotion is tried";
      ASSERT_EQ(0, Counter(HotRapCounter::kSeals));
      Touch(Fillers());
    }
    EXPECT_NE(std::string::npos, BlockedReason().find("too little space"))
        << BlockedReason();
  }
  void ExpectPromotion() {
    ASSERT_NO_FATAL_FAILURE(RunPromotion(Keys(0, 10)));
    WaitForPromotionIdle();
    EXPECT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
    EXPECT_EQ("", BlockedReason());
  }

  const std::shared_ptr<FreeSpaceFileSystem> space_;
  const std::unique_ptr<Env> space_env_;
  std::shared_ptr<SstFileManager> manager_;
};

// ---- Promotion by flush -----------------------------------------------------

TEST_F(HotRapSpaceTest, APromotionFitsUnderTheLimit) {
  DestroyAndReopen(WithSpace(TrapOptions()));
  LoadSlow(kCount);
  const uint64_t needed =
      Tier()->sizes().spare_bytes() + Tier()->cache().capacity_bytes();
  manager_->SetMaxAllowedSpaceUsage(manager_->GetTotalSize() + needed -
                                    Tier()->cache().capacity_bytes() / 2);
  ASSERT_NO_FATAL_FAILURE(ExpectPutOff());
  // Nor did anything else that reads cause make writes fail.
  ASSERT_FALSE(manager_->IsMaxAllowedSpaceReached());
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "1"));
  manager_->SetMaxAllowedSpaceUsage(manager_->GetTotalSize() + 2 * needed);
  ASSERT_NO_FATAL_FAILURE(ExpectPromotion());
}

TEST_F(HotRapSpaceTest, APromotionFitsOnTheDisk) {
  DestroyAndReopen(WithSpace(TrapOptions()));
  LoadSlow(kCount);
  const uint64_t needed =
      Tier()->sizes().spare_bytes() + Tier()->cache().capacity_bytes();
  space_->set_free_bytes(needed - 1);
  ASSERT_NO_FATAL_FAILURE(ExpectPutOff());
  space_->set_free_bytes(2 * needed);
  ASSERT_NO_FATAL_FAILURE(ExpectPromotion());
}

// ---- RALT -----------------------------------------------------------------

TEST_F(HotRapSpaceTest, RaltsFilesCount) {
  const Options options = WithSpace(TrapOptions());
  DestroyAndReopen(options);
  CreateColumnFamilies({"goes"}, options);
  ASSERT_NO_FATAL_FAILURE(MakeHot(Fillers()));
  EXPECT_GT(TrackedRaltBytes(), 0u);
  EXPECT_EQ(Tier()->ralt()->PhysicalBytes(), TrackedRaltBytes());
  const uint64_t of_default = TrackedRaltBytes();
  ASSERT_NO_FATAL_FAILURE(MakeHot(Fillers(), handles_[0]));
  EXPECT_GT(TrackedRaltBytes(), of_default);
  Close();
  EXPECT_EQ(0u, TrackedRaltBytes());

  ReopenWithColumnFamilies({"default", "goes"}, options);
  WaitForRalt(handles_[0]);
  WaitForRalt(handles_[1]);
  EXPECT_EQ(*Tier(handles_[0])->ralt()->PhysicalBytes() +
                *Tier(handles_[1])->ralt()->PhysicalBytes(),
            TrackedRaltBytes());
  ASSERT_OK(db_->DropColumnFamily(handles_[1]));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(handles_[1]));
  handles_.pop_back();
  // RALT is torn down in the background.
  const uint64_t of_rest = *Tier(handles_[0])->ralt()->PhysicalBytes();
  for (int i = 0; TrackedRaltBytes() != of_rest; i++) {
    ASSERT_LT(i, 60000);
    env_->SleepForMicroseconds(1000);
  }
  Close();
  EXPECT_EQ(0u, TrackedRaltBytes());
}

TEST_F(HotRapSpaceTest, RaltStopsAtTheLimit) {
  DestroyAndReopen(WithSpace(TrapOptions()));
  ASSERT_NO_FATAL_FAILURE(MakeHot(Fillers()));
  Ralt* const ralt = Tier()->ralt();
  const auto record = [&](int begin) {
    for (const auto& key : Keys(begin, begin + 1000)) {
      ralt->RecordAccess(key, 200);
    }
    ASSERT_OK(ralt->Flush());
  };
  const uint64_t before = *ralt->PhysicalBytes();
  const uint64_t dropped_before = ralt->GetStats().accesses_dropped;
  manager_->SetMaxAllowedSpaceUsage(manager_->GetTotalSize() +
                                    Tier()->sizes().spare_bytes());
  record(10000);
  EXPECT_EQ(before, ralt->PhysicalBytes());
  EXPECT_GE(ralt->GetStats().accesses_dropped, dropped_before + 1000);
  EXPECT_OK(ralt->BackgroundError());
  // Hot keys are still known.
  EXPECT_TRUE(ralt->IsHot(Key(kFillersBegin)));
  manager_->SetMaxAllowedSpaceUsage(0);
  space_->set_free_bytes(Tier()->sizes().spare_bytes());
  record(20000);
  EXPECT_EQ(before, ralt->PhysicalBytes());
  space_->set_free_bytes(FreeSpaceFileSystem::kPlenty);
  record(30000);
  EXPECT_LT(before, ralt->PhysicalBytes());
}

// ---- Compactions ------------------------------------------------------------

// The inputs stay until the outputs are installed.
TEST_F(HotRapSpaceTest, NothingIsRetainedOnAFullDisk) {
  DestroyAndReopen(WithSpace(CrossingOptions()));
  LoadFast();
  space_->set_free_bytes(SpareOfCrossing());
  ASSERT_OK(Cross());
  EXPECT_EQ(0, NumTableFilesAtLevel(kLastFastLevel));
  ExpectVersion(2);
}

TEST_F(HotRapSpaceTest, AsMuchIsRetainedAsIsFree) {
  DestroyAndReopen(WithSpace(CrossingOptions()));
  LoadFast();
  const uint64_t input = BytesAtLevel(kLastFastLevel);
  space_->set_free_bytes(SpareOfCrossing() + input / 2);
  ASSERT_OK(Cross());
  EXPECT_GT(Counter(HotRapCounter::kRetainedRecords), 0u);
  EXPECT_LT(Counter(HotRapCounter::kRetainedRecords), HotKeys().size());
  EXPECT_LE(BytesAtLevel(kLastFastLevel), input / 2);
  ExpectVersion(2);
}

TEST_F(HotRapSpaceTest, NothingIsRetainedNearTheLimit) {
  DestroyAndReopen(WithSpace(CrossingOptions()));
  LoadFast();
  const uint64_t input =
      BytesAtLevel(kLastFastLevel) + BytesAtLevel(kFirstSlowLevel);
  // The compaction itself has room if it writes no more than it reads.
  manager_->SetMaxAllowedSpaceUsage(manager_->GetTotalSize() + input +
                                    SpareOfCrossing());
  ASSERT_OK(Cross());
  EXPECT_EQ(0, NumTableFilesAtLevel(kLastFastLevel));
  ExpectVersion(2);
}

TEST_F(HotRapSpaceTest, NothingIsPromotedByCompactionOnAFullDisk) {
  DestroyAndReopen(WithSpace(CrossingOptions()));
  LoadCovered(/*cover_level=*/0);
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
  space_->set_free_bytes(SpareOfCrossing());
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
  EXPECT_EQ(0, Counter(HotRapCounter::kCompactionPromotedRecords));
  ExpectCovered();
}

}  // namespace ROCKSDB_NAMESPACE

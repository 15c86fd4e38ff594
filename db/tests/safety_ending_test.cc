//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The DB is closed, or the column family dropped, while HotRAP is blocked at
// each of its steps in turn. Nothing is lost and nothing is left behind.
// Closing waits; dropping does not.

#include <atomic>
#include <thread>

#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"

namespace ROCKSDB_NAMESPACE {

namespace {

enum class Work { kPromotion, kIntoLastFastLevel, kCrossing, kRalt };

struct Step {
  const char* name;
  Work work;
  FileOp op;
  const char* pattern;
};

constexpr char kRun[] = "/hotrap\\.ralt\\.[0-9]+/.*\\.run$";
constexpr char kRaltManifest[] = "/hotrap\\.ralt\\.[0-9]+/MANIFEST";

using Base = HotRapSafetyTestBase;
constexpr Step kSteps[] = {
    {"PromotionIsChecked", Work::kPromotion, FileOp::kRead, Base::kFastTable},
    {"PromotionIsBuilt", Work::kPromotion, FileOp::kCreate, Base::kFastTable},
    {"PromotionIsInstalled", Work::kPromotion, FileOp::kAppend,
     Base::kManifest},
    {"CompactionPromotes", Work::kIntoLastFastLevel, FileOp::kCreate,
     Base::kFastTable},
    {"CompactionIsInstalled", Work::kIntoLastFastLevel, FileOp::kAppend,
     Base::kManifest},
    {"CrossingReads", Work::kCrossing, FileOp::kRead, Base::kFastTable},
    {"CrossingPromotes", Work::kCrossing, FileOp::kCreate, Base::kFastTable},
    {"CrossingMovesDown", Work::kCrossing, FileOp::kCreate, Base::kSlowTable},
    {"CrossingIsInstalled", Work::kCrossing, FileOp::kAppend, Base::kManifest},
    {"RaltFlushes", Work::kRalt, FileOp::kCreate, kRun},
    {"RaltMerges", Work::kRalt, FileOp::kRead, kRun},
    {"RaltIsSaved", Work::kRalt, FileOp::kAppend, kRaltManifest},
};

}  // namespace

class SafetyEndingTest : public HotRapCrossingTestBase,
                         public testing::WithParamInterface<Step> {
 public:
  // Keys on the fast tier, besides kCount keys on the slow tier.
  static constexpr int kCoverEnd = kCoverBegin + 200;

  SafetyEndingTest() : HotRapCrossingTestBase("safety_ending_test") {}

  Options StepOptions() {
    Options options = CrossingOptions();
    // Level 1 exceeds its target once it has the cover.
    options.max_bytes_for_level_base = 128 << 10;
    options.db_paths[0].target_size = 2 * (128 << 10);
    if (GetParam().work == Work::kPromotion) {
      options.hotrap.promotion_cache_bytes = 16 << 10;
      KeepCompactionsOut(&options);
      // The cover does not fill the fast tier.
      options.max_bytes_for_level_base = 512 << 10;
      options.db_paths[0].target_size = 2 * (512 << 10);
    }
    return options;
  }

  void TouchIn(ColumnFamilyHandle* cf, const std::vector<std::string>& keys) {
    std::string value;
    for (const auto& key : keys) {
      ASSERT_OK(db_->Get(ReadOptions(), cf, key, &value)) << key;
    }
  }

  Status PutCover(ColumnFamilyHandle* cf) {
    Status s = db_->Put(WriteOptions(), cf, "a", "cover");
    if (s.ok()) {
      s = PutVersion(db_, cf, kCoverBegin, kCoverEnd, 1);
    }
    return s.ok() ? db_->Flush(FlushOptions(), cf) : s;
  }

  // Writes keys [0, kCount) and the fillers into level 3, all hot, and caches
  // the first ones. Above them are files that a compaction is due for.
  void Load(ColumnFamilyHandle* cf) {
    WaitForRalt(cf);
    ASSERT_OK(PutVersion(db_, cf, 0, kCount, 1));
    ASSERT_OK(PutVersion(db_, cf, kFillersBegin, kFillersEnd, 1));
    ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
    if (GetParam().work == Work::kIntoLastFastLevel) {
      const int trigger = StepOptions().level0_file_num_compaction_trigger;
      for (int i = 0; i < trigger; i++) {
        ASSERT_OK(PutCover(cf));
      }
    } else {
      ASSERT_OK(PutCover(cf));
      ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
    }
    ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, kCount), cf));
    ASSERT_NO_FATAL_FAILURE(MakeHot(Fillers(), cf));
    ASSERT_NO_FATAL_FAILURE(TouchIn(cf, Keys(0, 4)));
    for (const auto& key : Keys(0, 4)) {
      ASSERT_TRUE(InCache(key, cf)) << key;
    }
  }

  // Starts the work and waits until it is blocked at the gate.
  void WorkUpTo(FileGate* gate, ColumnFamilyHandle* cf) {
    switch (GetParam().work) {
      case Work::kPromotion:
        for (int round = 0; !gate->caught(); round++) {
          ASSERT_LT(round, 20000) << "no promotion starts";
          ASSERT_NO_FATAL_FAILURE(TouchIn(cf, Fillers()));
        }
        break;
      case Work::kIntoLastFastLevel:
      case Work::kCrossing:
        ASSERT_OK(db_->EnableAutoCompaction({cf}));
        ASSERT_TRUE(gate->WaitCaught());
        break;
      case Work::kRalt:
        for (int i = 0; !gate->caught(); i++) {
          ASSERT_LT(i, 20000000) << "RALT does nothing";
          Tier(cf)->ralt()->RecordAccess(Key(i % kCount), 200);
        }
        break;
    }
  }

  void ExpectLoaded() {
    for (int i = 0; i < kCount; i++) {
      ExpectEverywhere(Key(i), Value(i, 1));
    }
    std::vector<std::string> keys = {"a"};
    for (const auto& [begin, end] :
         {std::pair(0, int{kCount}),
          std::pair(int{kCoverBegin}, int{kCoverEnd}),
          std::pair(int{kFillersBegin}, int{kFillersEnd})}) {
      for (const auto& key : Keys(begin, end)) {
        keys.push_back(key);
      }
    }
    ExpectScans(keys);
  }
};

TEST_P(SafetyEndingTest, DBCloses) {
  DestroyAndReopen(StepOptions());
  ASSERT_NO_FATAL_FAILURE(Load(db_->DefaultColumnFamily()));
  {
    FileGate gate(fs_.get(), GetParam().op, GetParam().pattern);
    ASSERT_NO_FATAL_FAILURE(WorkUpTo(&gate, db_->DefaultColumnFamily()));
    std::atomic<bool> closed{false};
    std::thread closer([&] {
      Close();
      closed.store(true);
    });
    // Give Close() time to reach the point where it waits.
    env_->SleepForMicroseconds(50 * 1000);
    EXPECT_FALSE(closed.load()) << "somebody works on what is gone";
    gate.Open();
    closer.join();
  }
  Reopen(StepOptions());
  // Reads may start the next promotion, so check the files first.
  EXPECT_EQ(0, TablesThatAreNotLive());
  ExpectLoaded();
  WaitForRalt();
  ASSERT_OK(db_->EnableAutoCompaction({db_->DefaultColumnFamily()}));
  WaitForRest();
  ExpectLoaded();
}

TEST_P(SafetyEndingTest, ColumnFamilyGoes) {
  DestroyAndReopen(StepOptions());
  ASSERT_OK(Put(Key(0), Value(0, 1)));
  CreateColumnFamilies({"goes"}, StepOptions());
  ColumnFamilyHandle* const cf = handles_[0];
  ASSERT_NO_FATAL_FAILURE(Load(cf));
  const std::string ralt_folder = FastPath() + "/hotrap.ralt.1";
  ASSERT_OK(env_->FileExists(ralt_folder));
  // A MANIFEST edit waits for the previous one.
  const bool drop_waits = std::string(GetParam().pattern) == kManifest;
  {
    FileGate gate(fs_.get(), GetParam().op, GetParam().pattern);
    ASSERT_NO_FATAL_FAILURE(WorkUpTo(&gate, cf));
    std::thread dropper([&] {
      EXPECT_OK(db_->DropColumnFamily(cf));
      // From here on the blocked work has the last reference.
      EXPECT_OK(db_->DestroyColumnFamilyHandle(cf));
    });
    if (drop_waits) {
      env_->SleepForMicroseconds(50 * 1000);
      gate.Open();
    }
    dropper.join();
    handles_.clear();
    // Nobody else waits.
    ASSERT_OK(Put(Key(1), Value(1, 1)));
    EXPECT_EQ(Value(0, 1), Get(Key(0)));
  }
  Close();
  EXPECT_TRUE(env_->FileExists(ralt_folder).IsNotFound());
  Reopen(StepOptions());
  EXPECT_EQ(0, TablesThatAreNotLive());
  ExpectEverywhere(Key(0), Value(0, 1));
  ExpectEverywhere(Key(1), Value(1, 1));
}

INSTANTIATE_TEST_CASE_P(Steps, SafetyEndingTest, testing::ValuesIn(kSteps),
                        [](const auto& param) {
                          return std::string(param.param.name);
                        });

}  // namespace ROCKSDB_NAMESPACE

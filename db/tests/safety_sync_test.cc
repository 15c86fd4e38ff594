//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests power failures: unsynced data is lost, including new files in folders
// that were not synced. Files that HotRAP put on the fast path, and that the
// MANIFEST names, must survive.

#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"
#include "utilities/fault_injection_fs.h"

namespace ROCKSDB_NAMESPACE {

class SafetySyncTest : public HotRapCrossingTestBase {
 public:
  SafetySyncTest()
      : HotRapCrossingTestBase("safety_sync_test"),
        forgetful_fs_(std::make_shared<FaultInjectionTestFS>(fs_)),
        forgetful_env_(std::make_unique<CompositeEnvWrapper>(gated_env_.get(),
                                                             forgetful_fs_)) {}
  ~SafetySyncTest() override { Close(); }

  Options SyncOptions() {
    Options options = CrossingOptions();
    options.env = forgetful_env_.get();
    options.paranoid_checks = true;
    options.hotrap.promotion_cache_bytes = 16 << 10;
    KeepCompactionsOut(&options);
    return options;
  }

  void Crash() {
    forgetful_fs_->SetFilesystemActive(false);
    Close();
    forgetful_fs_->SetFilesystemActive(true);
    ASSERT_OK(forgetful_fs_->DropUnsyncedFileData());
    ASSERT_OK(forgetful_fs_->DeleteFilesCreatedAfterLastDirSync(IOOptions(),
                                                                nullptr));
    forgetful_fs_->ResetState();
    ASSERT_OK(TryReopen(SyncOptions()));
    ASSERT_OK(db_->VerifyChecksum());
  }

 protected:
  const std::shared_ptr<FaultInjectionTestFS> forgetful_fs_;
  const std::unique_ptr<Env> forgetful_env_;
};

TEST_F(SafetySyncTest, CrashAfterACrossing) {
  DestroyAndReopen(SyncOptions());
  LoadFast();
  ASSERT_OK(Cross());
  ASSERT_EQ(AsSet(HotKeys()), KeysAtLevel(kLastFastLevel));
  ASSERT_NO_FATAL_FAILURE(Crash());
  EXPECT_EQ(1, NumTableFilesAtLevel(kLastFastLevel));
  ExpectVersion(2);
}

TEST_F(SafetySyncTest, CrashAfterACrossingThatPromotes) {
  DestroyAndReopen(SyncOptions());
  LoadCovered();
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
  ASSERT_OK(Cross());
  ASSERT_EQ(AsSet(Keys(3, 7)), KeysAtLevel(kLastFastLevel));
  ASSERT_NO_FATAL_FAILURE(Crash());
  EXPECT_EQ(1, NumTableFilesAtLevel(kLastFastLevel));
  ExpectCovered();
}

TEST_F(SafetySyncTest, CrashAfterAPromotionByFlush) {
  DestroyAndReopen(SyncOptions());
  LoadSlow(10);
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, 10)));
  const int promoted = NumTableFilesAtLevel(0);
  ASSERT_GT(promoted, 0);
  ASSERT_NO_FATAL_FAILURE(Crash());
  EXPECT_EQ(promoted, NumTableFilesAtLevel(0));
  for (int i = 0; i < 10; i++) {
    ExpectEverywhere(Key(i), Value(i, 1));
  }
}

}  // namespace ROCKSDB_NAMESPACE

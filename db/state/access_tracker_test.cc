//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/access_tracker.h"

#include "plugin/hotrap/test_util/hotrap_db_test_base.h"

namespace ROCKSDB_NAMESPACE {

class AccessTrackerTest : public HotRapDBTestBase {
 public:
  AccessTrackerTest() : HotRapDBTestBase("access_tracker_test") {}

  void Open() {
    DestroyAndReopen(HotRapOptionsForTest());
    WaitForRalt();
  }
};

TEST_F(AccessTrackerTest, AHitWithoutIoIsSampled) {
  Open();
  AccessTracker& tracker = Tier()->tracker();
  EXPECT_EQ(1u, tracker.SampleHit(/*did_io=*/true));
  EXPECT_EQ(1u, tracker.SampleHit(/*did_io=*/false));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{cached_hit_sampling=4;}"}}));
  EXPECT_EQ(1u, tracker.SampleHit(/*did_io=*/true));
  constexpr int kHits = 40000;
  int accesses = 0;
  for (int i = 0; i < kHits; i++) {
    const uint32_t weight = tracker.SampleHit(/*did_io=*/false);
    ASSERT_TRUE(weight == 0 || weight == 4) << weight;
    accesses += static_cast<int>(weight);
  }
  EXPECT_NEAR(kHits, accesses, kHits / 5);
}

TEST_F(AccessTrackerTest, HotKeysAreWorthPromoting) {
  Open();
  MakeHot({Key(1)});
  AccessTracker& tracker = Tier()->tracker();
  EXPECT_TRUE(tracker.WorthPromoting(Key(1)));
  EXPECT_FALSE(tracker.WorthPromoting(Key(2)));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{no_hotness_check=true;}"}}));
  EXPECT_TRUE(tracker.WorthPromoting(Key(2)));
}

TEST_F(AccessTrackerTest, TrackingCanBeSwitchedOff) {
  Open();
  AccessTracker& tracker = Tier()->tracker();
  tracker.RecordAccess(Key(1), 100, /*weight=*/1, /*fast=*/true);
  EXPECT_EQ(1u, Counter(HotRapCounter::kAccesses));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{no_tracking=true;}"}}));
  tracker.RecordAccess(Key(1), 100, /*weight=*/1, /*fast=*/true);
  EXPECT_EQ(1u, Counter(HotRapCounter::kAccesses));
}

}  // namespace ROCKSDB_NAMESPACE

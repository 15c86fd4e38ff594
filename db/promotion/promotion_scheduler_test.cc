//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/promotion/promotion_scheduler.h"

#include "db/db_impl/db_impl.h"
#include "plugin/hotrap/db/tier/hotrap_tier.h"
#include "plugin/hotrap/test_util/hotrap_db_test_base.h"

namespace ROCKSDB_NAMESPACE {

class PromotionSchedulerTest : public HotRapDBTestBase {
 public:
  PromotionSchedulerTest() : HotRapDBTestBase("promotion_scheduler_test") {}

  PromotionScheduler& Scheduler() {
    return static_cast<ColumnFamilyHandleImpl*>(db_->DefaultColumnFamily())
        ->cfd()
        ->hotrap.tier()
        ->promotions();
  }
  // Promotions that began, or could not.
  uint64_t Attempts() {
    return Counter(HotRapCounter::kSeals) + Counter(HotRapCounter::kBackoffs);
  }
};

TEST_F(PromotionSchedulerTest, OnlyAFullCacheIsPromoted) {
  DestroyAndReopen(HotRapOptionsForTest());
  WaitForRalt();
  ASSERT_NO_FATAL_FAILURE(LoadSlowTier(0, 300));
  WaitForPromotionIdle();
  EXPECT_EQ(200u, Get(Key(0)).size());
  ASSERT_FALSE(Tier()->cache().Full());
  Scheduler().MaybeSchedule();
  WaitForPromotionIdle();
  EXPECT_EQ(0u, Attempts());

  // The read that fills the cache schedules a promotion.
  for (int i = 1; i < 300; i++) {
    EXPECT_EQ(200u, Get(Key(i)).size());
  }
  WaitForPromotionIdle();
  EXPECT_GT(Attempts(), 0u);
}

TEST_F(PromotionSchedulerTest, ItSaysWhatBlocksIt) {
  DestroyAndReopen(HotRapOptionsForTest());
  WaitForRalt();
  ASSERT_OK(Put(Key(0), "value"));
  InstrumentedMutex* const mutex = Tier()->db()->mutex();
  {
    InstrumentedMutexLock lock(mutex);
    EXPECT_STREQ("", Scheduler().BlockedReason());
    Tier()->fences().BeginLevelChange();
    EXPECT_STREQ("CompactRange is changing a level",
                 Scheduler().BlockedReason());
    Tier()->fences().EndLevelChange();
    EXPECT_STREQ("", Scheduler().BlockedReason());
  }
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=false;}"}}));
  InstrumentedMutexLock lock(mutex);
  EXPECT_STREQ("hotrap.enabled is false", Scheduler().BlockedReason());
}

}  // namespace ROCKSDB_NAMESPACE

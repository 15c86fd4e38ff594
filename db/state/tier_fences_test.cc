//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/tier_fences.h"

#include <gtest/gtest.h>

#include "db/version_edit.h"

namespace ROCKSDB_NAMESPACE {

TEST(TierFencesTest, EachEndsWithTheLastOfItsKind) {
  InstrumentedMutex mutex;
  TierFences fences(&mutex);
  InstrumentedMutexLock lock(&mutex);
  EXPECT_FALSE(fences.slow_tier_changes());
  EXPECT_FALSE(fences.level_changes());
  fences.BeginSlowTierChange();
  fences.BeginSlowTierChange();
  fences.BeginLevelChange();
  fences.EndSlowTierChange();
  EXPECT_TRUE(fences.slow_tier_changes());
  fences.EndSlowTierChange();
  EXPECT_FALSE(fences.slow_tier_changes());
  EXPECT_TRUE(fences.level_changes());
  fences.EndLevelChange();
  EXPECT_FALSE(fences.level_changes());
}

TEST(TierFencesTest, ThePromotionThatIsInstalled) {
  InstrumentedMutex mutex;
  TierFences fences(&mutex);
  InstrumentedMutexLock lock(&mutex);
  EXPECT_EQ(nullptr, fences.promotion_edit());
  const VersionEdit edit;
  fences.set_promotion_edit(&edit);
  EXPECT_EQ(&edit, fences.promotion_edit());
}

}  // namespace ROCKSDB_NAMESPACE

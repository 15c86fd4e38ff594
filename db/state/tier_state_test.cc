//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/tier_state.h"

#include <map>
#include <string>

#include "plugin/hotrap/test_util/hotrap_db_test_base.h"

namespace ROCKSDB_NAMESPACE {

class TierStateTest : public HotRapDBTestBase {
 public:
  TierStateTest() : HotRapDBTestBase("tier_state_test") {}
};

TEST_F(TierStateTest, ItFollowsTheOptions) {
  DestroyAndReopen(HotRapOptionsForTest());
  TierState* const state = Tier();
  EXPECT_TRUE(state->active());
  EXPECT_STREQ("", state->inactive_reason());
  EXPECT_EQ(kFirstSlowLevel, state->first_slow_level());
  EXPECT_EQ(2u * (512 << 10), state->sizes().budget_bytes());
  EXPECT_EQ(16u << 10, state->cache().capacity_bytes());

  ASSERT_OK(db_->SetOptions({{"hotrap", "{promotion_cache_bytes=100000;}"}}));
  EXPECT_EQ(100000u, state->cache().capacity_bytes());
  EXPECT_EQ(kFirstSlowLevel, state->first_slow_level());

  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=false;}"}}));
  EXPECT_EQ(state, Tier());
  EXPECT_FALSE(state->active());
  EXPECT_STREQ("hotrap.enabled is false", state->inactive_reason());
  EXPECT_EQ(0, state->first_slow_level());

  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=true;}"}}));
  EXPECT_TRUE(state->active());
  EXPECT_EQ(kFirstSlowLevel, state->first_slow_level());
}

TEST_F(TierStateTest, AChangeEmptiesThePromotionCache) {
  DestroyAndReopen(HotRapOptionsForTest());
  ASSERT_NO_FATAL_FAILURE(LoadSlowTier(0, 10));
  EXPECT_EQ(200u, Get(Key(3)).size());
  EXPECT_EQ(1u, Tier()->cache().num_records());
  // Not each change of the options is one of the tiers.
  ASSERT_OK(db_->SetOptions({{"hotrap", "{no_retain=true;}"}}));
  EXPECT_EQ(1u, Tier()->cache().num_records());
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=false;}"}}));
  EXPECT_EQ(0u, Tier()->cache().num_records());
}

TEST_F(TierStateTest, ThePropertyHasEachPart) {
  DestroyAndReopen(HotRapOptionsForTest());
  WaitForRalt();
  Figures figures;
  Tier()->AddTo(&figures);
  std::map<std::string, std::string> values = figures.values();
  EXPECT_EQ("1", values["active"]);
  EXPECT_EQ("2", values["first_slow_level"]);
  EXPECT_EQ("0", values["admissions"]);
  EXPECT_EQ("1", values["ralt_open"]);
  EXPECT_EQ(1u, values.count("ralt_physical_bytes"));
  EXPECT_EQ(1u, values.count("promotion_cache_capacity"));
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests that records are hot from their first access on, while that is likely
// to be followed by others.

#include "plugin/hotrap/ralt/ralt_test_util.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt {

class RaltFirstReadsTest : public RaltTestBase {
 protected:
  static constexpr uint64_t kHotKeys = 8000;
  static constexpr uint64_t kKeys = 160000;

  RaltFirstReadsTest() {
    options_.fast_budget_bytes = 16 << 20;  // 16,000 records
  }

  // Accesses to the hotspot; with `hot_keys` = kKeys they are uniform.
  void Access(uint64_t accesses, uint64_t hot_keys) {
    for (uint64_t i = 0; i < accesses; ++i) {
      ralt_->RecordAccess(Key(random_.Uniform(hot_keys)), kValueBytes);
      if (i % 100 == 0) {
        ASSERT_OK(ralt_->WaitForIdle());
      }
    }
    ASSERT_OK(ralt_->WaitForIdle());
  }

  void TellTierSizes() {
    ralt_->SetTierSizes(/*hot_level_bytes=*/12 << 20, kKeys * 1024);
  }

  Random64 random_{301};
};

TEST_F(RaltFirstReadsTest, OneAccessIsEnoughWhileAHotSetIsFound) {
  Open();
  TellTierSizes();
  Access(4000, kHotKeys);
  ASSERT_TRUE(ralt_->GetStats().first_reads);
  // Flushed or not; what the fast tier has is not asked for.
  const std::string other = Key(kKeys);
  const std::string on_fast_tier = Key(kKeys + 1);
  EXPECT_FALSE(ralt_->IsHot(other));
  ralt_->RecordAccess(other, kValueBytes);
  EXPECT_TRUE(ralt_->IsHot(other));
  ralt_->RecordAccess(on_fast_tier, kValueBytes, 1, /*fast=*/true);
  EXPECT_FALSE(ralt_->IsHot(on_fast_tier));
  ASSERT_OK(ralt_->Flush());
  EXPECT_TRUE(ralt_->IsHot(other));
  EXPECT_TRUE(ralt_->IsHot(on_fast_tier));
  EXPECT_LT(0u, ralt_->HotBytes(other, Key(kKeys + 2)));
}

TEST_F(RaltFirstReadsTest, ThenASecondOneIsNeededAgain) {
  Open();
  TellTierSizes();
  Access(4000, kHotKeys);
  ASSERT_TRUE(ralt_->GetStats().first_reads);
  Access(60000, kHotKeys);
  ASSERT_FALSE(ralt_->GetStats().first_reads);
  const std::string other = Key(kKeys);
  ralt_->RecordAccess(other, kValueBytes);
  EXPECT_FALSE(ralt_->IsHot(other));
  ASSERT_OK(ralt_->Flush());
  EXPECT_FALSE(ralt_->IsHot(other));
}

TEST_F(RaltFirstReadsTest, NotUnderUniformAccesses) {
  Open();
  TellTierSizes();
  for (int i = 0; i < 20; ++i) {
    Access(1000, kKeys);
    ASSERT_FALSE(ralt_->GetStats().first_reads);
  }
}

// A hit of the block cache is recorded with a weight, but it is one access.
TEST_F(RaltFirstReadsTest, NotByTheWeightOfSamples) {
  Open();
  TellTierSizes();
  for (uint64_t i = 0; i < 20000; ++i) {
    ralt_->RecordAccess(Key(random_.Uniform(kKeys)), kValueBytes,
                        /*weight=*/i % 8 == 0 ? 16 : 1);
    if (i % 100 == 0) {
      ASSERT_OK(ralt_->WaitForIdle());
      ASSERT_FALSE(ralt_->GetStats().first_reads) << i;
    }
  }
}

TEST_F(RaltFirstReadsTest, NotWithoutTheSizeOfTheData) {
  Open();
  Access(4000, kHotKeys);
  EXPECT_FALSE(ralt_->GetStats().first_reads);
  ralt_->RecordAccess(Key(kKeys), kValueBytes);
  EXPECT_FALSE(ralt_->IsHot(Key(kKeys)));
}

}  // namespace ROCKSDB_NAMESPACE::ralt

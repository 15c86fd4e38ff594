//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/promotion/admission_policy.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

namespace {
constexpr uint64_t kData = 1000000;
using Tracked = AdmissionPolicy::Tracked;
}  // namespace

TEST(AdmissionPolicyTest, SlowReadsEarnAdmissionsFromMemory) {
  AdmissionPolicy policy;
  EXPECT_FALSE(policy.MayAdmitFromMemory());
  policy.OnSlowTierIo();
  EXPECT_TRUE(policy.MayAdmitFromMemory());
  policy.OnAdmittedFromMemory();
  EXPECT_FALSE(policy.MayAdmitFromMemory());
  for (int i = 0; i < 10 * AdmissionPolicy::kMaxIoCredit; i++) {
    policy.OnSlowTierIo();
  }
  for (int i = 0; i < AdmissionPolicy::kMaxIoCredit; i++) {
    EXPECT_TRUE(policy.MayAdmitFromMemory());
    policy.OnAdmittedFromMemory();
  }
  EXPECT_FALSE(policy.MayAdmitFromMemory());
}

TEST(AdmissionPolicyTest, KnownKeysShowAHotSet) {
  AdmissionPolicy policy;
  EXPECT_FALSE(policy.one_more_access_counts());
  // 10 of 100 are known: RALT should remember more, but a record needs proof.
  EXPECT_EQ(true, policy.NoteAdmissions({0, 100, 10}, Tracked{1000, 0}, kData));
  EXPECT_FALSE(policy.one_more_access_counts());
  // 50 of 100.
  EXPECT_EQ(true, policy.NoteAdmissions({0, 200, 60}, Tracked{1000, 0}, kData));
  EXPECT_TRUE(policy.one_more_access_counts());
  policy.Forget();
  EXPECT_FALSE(policy.one_more_access_counts());
}

TEST(AdmissionPolicyTest, NotWhatChanceExplains) {
  AdmissionPolicy policy;
  // RALT tracks 30 % of the data, so that uniform reads meet 30 %.
  EXPECT_EQ(false,
            policy.NoteAdmissions({0, 100, 30}, Tracked{300000, 0}, kData));
  EXPECT_FALSE(policy.one_more_access_counts());
  // The hot set is on the fast tier and not admitted.
  EXPECT_EQ(true, policy.NoteAdmissions({0, 200, 60}, Tracked{300000, 300000},
                                        kData));
  EXPECT_FALSE(policy.one_more_access_counts());
}

TEST(AdmissionPolicyTest, AdmissionsFromMemoryDoNotCount) {
  AdmissionPolicy policy;
  EXPECT_EQ(true,
            policy.NoteAdmissions({900, 1000, 20}, Tracked{1000, 0}, kData));
  EXPECT_TRUE(policy.one_more_access_counts());
  // Nothing new from disk.
  EXPECT_EQ(std::nullopt,
            policy.NoteAdmissions({1900, 2000, 20}, Tracked{1000, 0}, kData));
  EXPECT_FALSE(policy.one_more_access_counts());
}

TEST(AdmissionPolicyTest, WithoutRaltNothingIsDecided) {
  AdmissionPolicy policy;
  EXPECT_EQ(std::nullopt, policy.NoteAdmissions({0, 100, 0}, std::nullopt, 1));
  // What was admitted meanwhile does not count later.
  EXPECT_EQ(true, policy.NoteAdmissions({0, 200, 100}, Tracked{1, 0}, kData));
}

TEST(AdmissionPolicyTest, LearningGoesByAnAverage) {
  AdmissionPolicy policy;
  EXPECT_EQ(true, policy.NoteAdmissions({0, 100, 20}, Tracked{1, 0}, kData));
  // 20 %, 15 %, 11.25 %, ...: one batch without known keys ends nothing.
  uint64_t all = 100;
  int batches = 0;
  while (policy.NoteAdmissions({0, all += 100, 20}, Tracked{1, 0}, kData) ==
         true) {
    batches++;
  }
  EXPECT_EQ(5, batches);
}

}  // namespace ROCKSDB_NAMESPACE

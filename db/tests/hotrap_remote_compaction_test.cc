//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests with a CompactionService: compactions that cross the tiers or promote
// run in the DB, where RALT and the promotion cache are.

#include <atomic>
#include <memory>
#include <string>

#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Counts the compactions that it is asked to run, and declines them.
class DecliningService : public CompactionService {
 public:
  static const char* kClassName() { return "DecliningService"; }
  const char* Name() const override { return kClassName(); }
  CompactionServiceScheduleResponse Schedule(
      const CompactionServiceJobInfo& /*info*/,
      const std::string& /*input*/) override {
    asked_++;
    return CompactionServiceScheduleResponse(
        CompactionServiceJobStatus::kUseLocal);
  }
  int asked() const { return asked_; }

 private:
  std::atomic<int> asked_{0};
};

}  // namespace

class HotRapRemoteCompactionTest : public HotRapCrossingTestBase {
 public:
  HotRapRemoteCompactionTest()
      : HotRapCrossingTestBase("hotrap_remote_compaction_test"),
        service_(std::make_shared<DecliningService>()) {}
  ~HotRapRemoteCompactionTest() override { Close(); }

  Options ServiceOptions() {
    Options options = CrossingOptions();
    options.compaction_service = service_;
    return options;
  }

  const std::shared_ptr<DecliningService> service_;
};

TEST_F(HotRapRemoteCompactionTest, WhatCrossesRunsHere) {
  DestroyAndReopen(ServiceOptions());
  LoadFast();
  const int before = service_->asked();
  ASSERT_OK(Cross());
  EXPECT_EQ(before, service_->asked());
  EXPECT_EQ(AsSet(HotKeys()), KeysAtLevel(kLastFastLevel));
  EXPECT_EQ(AsSet(ColdKeys()), KeysAtLevel(kFirstSlowLevel));
  // HotRAP has no part in compactions within the slow tier.
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), kFirstSlowLevel,
                         kFirstSlowLevel + 1));
  EXPECT_EQ(before + 1, service_->asked());
  ExpectVersion(2);
}

TEST_F(HotRapRemoteCompactionTest, WhatPromotesRunsHere) {
  DestroyAndReopen(ServiceOptions());
  LoadCovered(/*cover_level=*/0);
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(0, kCount)));
  const int before = service_->asked();
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
  EXPECT_EQ(before, service_->asked());
  EXPECT_EQ(kCount, Counter(HotRapCounter::kCompactionPromotedRecords));
  ExpectCovered();
}

}  // namespace ROCKSDB_NAMESPACE

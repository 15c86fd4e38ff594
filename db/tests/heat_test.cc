//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// What is hot, and what more fast disk would give, in a whole DB.

#include <map>
#include <memory>
#include <string>

#include "plugin/hotrap/test_util/hotrap_db_test_base.h"
#include "rocksdb/hotrap_metrics.h"

namespace ROCKSDB_NAMESPACE {

class HeatTest : public HotRapDBTestBase {
 public:
  HeatTest() : HotRapDBTestBase("heat_test") {}

 protected:
  std::string Property(const std::string& name) {
    std::string value;
    EXPECT_TRUE(db_->GetProperty(name, &value)) << name;
    return value;
  }

  static bool Has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(HeatTest, TheHottestKeysAndPrefixes) {
  DestroyAndReopen(HotRapOptionsForTest());
  WaitForRalt();
  ASSERT_NO_FATAL_FAILURE(LoadSlowTier(0, 100));
  for (int i = 0; i < 3; i++) {
    for (int key = 0; key < 10; key++) {
      Get(Key(key));
    }
    ASSERT_OK(Tier()->ralt()->Flush());
  }
  const std::string heat = Property(kHotRapHeatProperty);
  EXPECT_TRUE(Has(heat, "\"records\": 10")) << heat;
  EXPECT_TRUE(Has(heat, "\"share_of_db\": 1")) << heat;
  EXPECT_TRUE(Has(heat, Key(3))) << heat;
  const std::string hidden =
      Property(std::string(kHotRapHeatProperty) + ".{keys=hidden;top=3;}");
  EXPECT_FALSE(Has(hidden, Key(3))) << hidden;
  EXPECT_TRUE(Has(hidden, "hash ")) << hidden;
  std::string value;
  EXPECT_FALSE(db_->GetProperty(
      std::string(kHotRapHeatProperty) + ".{nonsense=1;}", &value));
  EXPECT_FALSE(
      db_->GetProperty(std::string(kHotRapHeatProperty) + "er", &value));
}

TEST_F(HeatTest, UnknownWhereHotRapIsOff) {
  Options options = HotRapOptionsForTest();
  options.hotrap.enabled = false;
  DestroyAndReopen(options);
  std::string value;
  EXPECT_FALSE(db_->GetProperty(kHotRapHeatProperty, &value));
  EXPECT_FALSE(db_->GetProperty(kHotRapHitRateCurveProperty, &value));
}

TEST_F(HeatTest, TheCurveIsKnownOnceEnoughWasRead) {
  DestroyAndReopen(HotRapOptionsForTest());
  WaitForRalt();
  ASSERT_NO_FATAL_FAILURE(LoadSlowTier(0, 100));
  EXPECT_TRUE(Has(Property(kHotRapHitRateCurveProperty), "\"known\": 0"));
  // As many bytes as ten budgets, of records that are not there.
  const uint64_t budget = db_->GetOptions().hotrap.fast_budget_bytes > 0
                              ? db_->GetOptions().hotrap.fast_budget_bytes
                              : db_->GetOptions().db_paths[0].target_size;
  for (int round = 0; round < 20; round++) {
    for (int key = 0; key < 200; key++) {
      Tier()->ralt()->RecordAccess(Key(key), budget / 400, /*weight=*/1,
                                   /*fast=*/key % 2 == 0);
    }
    ASSERT_OK(Tier()->ralt()->Flush());
  }
  const std::string curve = Property(kHotRapHitRateCurveProperty);
  EXPECT_TRUE(Has(curve, "\"known\": 1")) << curve;
  const std::string name = "\"measured_hit_rate\": ";
  ASSERT_TRUE(Has(curve, name)) << curve;
  // Later accesses count a little more than earlier ones.
  EXPECT_NEAR(0.5, std::stod(curve.substr(curve.find(name) + name.size())),
              0.01)
      << curve;
  EXPECT_TRUE(Has(curve, "\"points\": [{")) << curve;
}

}  // namespace ROCKSDB_NAMESPACE

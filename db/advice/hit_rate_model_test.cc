//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/advice/hit_rate_model.h"

#include <gtest/gtest.h>

#include "plugin/hotrap/db/advice/heat_report.h"
#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {

class HitRateModelTest : public testing::Test {
 protected:
  static constexpr uint64_t kMB = 1000 * 1000;

  HitRateModelTest() {
    bytes_.budget = 100 * kMB;
    bytes_.fast_tables = 70 * kMB;
    bytes_.all_tables = 1000 * kMB;
    // 140 MB of hot records get 90 % of the accesses.
    curve_.points = {{35e6, 0.225, 0.005},
                     {70e6, 0.45, 0.005},
                     {140e6, 0.9, 0.005},
                     {1e9, 0.9, 0.005}};
    curve_.accesses = 1e6;
    curve_.stable_bytes = 140e6;
    curve_.fast_share = 0.45;
  }

  HitRateCurve curve_;
  TierBytes bytes_;
};

TEST_F(HitRateModelTest, MoreRoomForHotRecords) {
  const HitRateModel model(curve_, bytes_);
  ASSERT_TRUE(model.known());
  EXPECT_NEAR(0.225, model.At(50e6).hit_rate, 0.02);
  EXPECT_NEAR(0.45, model.At(100e6).hit_rate, 0.01);
  EXPECT_NEAR(0.90, model.At(200e6).hit_rate, 0.01);
  EXPECT_LT(model.At(200e6).error, 0.02);
  // All data is on the fast tier.
  EXPECT_NEAR(1, model.At(3000e6).hit_rate, 0.01);
}

TEST_F(HitRateModelTest, RecordsThatAreNotHotAreFoundByChance) {
  // All that is hot fits, and of the rest a part.
  bytes_.fast_tables = 70 * kMB;
  curve_.points = {{7e6, 0.5, 0}, {1e9, 0.5, 0}};
  curve_.stable_bytes = 7e6;
  curve_.fast_share = 0.5 + 0.5 * 63 / 993;
  const HitRateModel model(curve_, bytes_);
  EXPECT_NEAR(curve_.fast_share, model.At(100e6).hit_rate, 1e-3);
  EXPECT_NEAR(0.5 + 0.5 * 133 / 993, model.At(200e6).hit_rate, 0.01);
}

TEST_F(HitRateModelTest, WhatWasMeasuredCorrectsIt) {
  curve_.fast_share = 0.40;
  const HitRateModel model(curve_, bytes_);
  EXPECT_NEAR(0.40, model.At(100e6).hit_rate, 1e-6);
  EXPECT_LT(model.At(200e6).hit_rate, 0.90);
  EXPECT_GT(model.At(200e6).hit_rate, 0.86);
  // The model did not foresee it, and says so.
  EXPECT_GT(model.At(100e6).error, 0.04);
}

TEST_F(HitRateModelTest, CompressedRecordsNeedLessRoom) {
  // Records of 200 MB take 100 MB; all that is hot fits.
  bytes_.file_ratio = 0.1;
  curve_.fast_share = 0.45;
  const HitRateModel model(curve_, bytes_);
  EXPECT_NEAR(0.45, model.At(100e6).hit_rate, 1e-6);
}

TEST_F(HitRateModelTest, NothingIsKnown) {
  const HitRateModel model(HitRateCurve(), bytes_);
  EXPECT_FALSE(model.known());
  EXPECT_TRUE(model.Points().empty());
  EXPECT_NE(std::string::npos, model.ToJson().find("\"known\": 0"));
}

TEST(HeatReportTest, Options) {
  HeatReportOptions options;
  ASSERT_OK(ParseHeatOptions("", &options));
  EXPECT_EQ(4u, options.heat.prefix_bytes);
  ASSERT_OK(ParseHeatOptions(".{delimiter=/;top=3;keys=hidden;}", &options));
  EXPECT_EQ("/", options.heat.delimiter);
  EXPECT_EQ(3u, options.heat.top);
  EXPECT_EQ("hidden", options.keys);
  for (const char* wrong :
       {"x", ".", ".{top=1", ".{unknown=1;}", ".{keys=all;}", ".{top=x;}",
        ".{delimiter=ab;}", ".{top=1000000;}"}) {
    EXPECT_NOK(ParseHeatOptions(wrong, &options)) << wrong;
  }
}

TEST(HeatReportTest, KeysAreShownHiddenOrInHex) {
  const std::string key("a\"\x01", 3);
  EXPECT_EQ("0x612201", ShowKey(key, "hex"));
  EXPECT_EQ(0u, ShowKey(key, "hidden").find("hash "));
  HeatReportOptions options;
  HeatSurvey survey(options.heat);
  ralt::AccessRecord record;
  record.key = key;
  survey.Add(record, 1, ralt::Scoring(0.999, 5, 2.6));
  survey.End();
  EXPECT_NE(std::string::npos,
            HeatJson(survey, options, 1).find("\"a\\\"\\\\x01\""))
      << HeatJson(survey, options, 1);
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/heat/heat_survey.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace ROCKSDB_NAMESPACE::ralt {

class HeatSurveyTest : public testing::Test {
 protected:
  void Add(HeatSurvey* survey, const std::string& key, float score,
           bool hot = false) const {
    AccessRecord record;
    record.key = key;
    record.value_bytes = 100 - key.size();
    record.hot = hot;
    survey->Add(record, score, scoring_);
  }

  const Scoring scoring_{0.999, 5, 2.6};
};

TEST_F(HeatSurveyTest, GroupsByPrefix) {
  HeatOptions options;
  options.prefix_bytes = 2;
  HeatSurvey survey(options);
  Add(&survey, "a", 1);
  Add(&survey, "aa1", 100, /*hot=*/true);
  Add(&survey, "aa2", 100, /*hot=*/true);
  Add(&survey, "ab1", 10);
  survey.End();
  const auto groups = survey.groups();
  ASSERT_EQ(3u, groups.size());
  EXPECT_EQ("aa", groups[0].prefix);
  EXPECT_EQ(2u, groups[0].hot_records);
  EXPECT_EQ(200u, groups[0].hot_bytes);
  EXPECT_EQ("ab", groups[1].prefix);
  EXPECT_EQ("a", groups[2].prefix);
  EXPECT_EQ(4u, survey.total().records);
  EXPECT_EQ(400u, survey.total().bytes);
}

TEST_F(HeatSurveyTest, GroupsByDelimiter) {
  HeatOptions options;
  options.delimiter = ":";
  HeatSurvey survey(options);
  Add(&survey, "a:1", 1);
  Add(&survey, "a:2:3", 1);
  Add(&survey, "ab", 1);
  Add(&survey, "b:", 1);
  survey.End();
  const auto groups = survey.groups();
  ASSERT_EQ(3u, groups.size());
  EXPECT_EQ("a:", groups[0].prefix);
  EXPECT_EQ(2u, groups[0].records);
}

TEST_F(HeatSurveyTest, ShowsTheHottest) {
  HeatOptions options;
  options.top = 2;
  options.prefix_bytes = 3;
  HeatSurvey survey(options);
  for (int i = 100; i < 200; i++) {
    Add(&survey, std::to_string(i), static_cast<float>(i % 50), i == 103);
  }
  survey.End();
  const auto keys = survey.keys();
  ASSERT_EQ(2u, keys.size());
  // A record that is not hot has not the rank of one that is.
  EXPECT_EQ("103", keys[0].key);
  EXPECT_EQ(49, keys[1].score);
  EXPECT_EQ(2u, survey.groups().size());
  EXPECT_EQ(100u, survey.total().records);
}

// A slice in which a key is accessed counts once.
TEST_F(HeatSurveyTest, AccessesFollowFromScores) {
  for (const double rate : {0.01, 0.1, 1.0}) {
    const auto score = static_cast<float>(1000 * (1 - std::exp(-rate)));
    EXPECT_NEAR(rate, scoring_.AccessesPerSlice(score), 0.01 * rate);
  }
  EXPECT_LT(scoring_.AccessesPerSlice(1000), 10);
}

TEST_F(HeatSurveyTest, NothingToShow) {
  HeatOptions options;
  options.top = 0;
  HeatSurvey survey(options);
  survey.End();
  EXPECT_TRUE(survey.groups().empty());
  Add(&survey, "a", 1);
  survey.End();
  EXPECT_TRUE(survey.keys().empty());
  EXPECT_TRUE(survey.groups().empty());
}

}  // namespace ROCKSDB_NAMESPACE::ralt

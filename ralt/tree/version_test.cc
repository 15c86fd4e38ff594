//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/version.h"

#include <memory>

#include "plugin/hotrap/ralt/run/run_test_util.h"

namespace ROCKSDB_NAMESPACE::ralt {

class VersionTest : public RunTestBase {
 protected:
  bool IsHot(const Version& version, uint64_t i) const {
    return version.IsHot(Key(i), RunFilter::HashKey(Key(i)), env_.order);
  }
  bool IsTracked(const Version& version, uint64_t i) const {
    return version.IsTracked(Key(i), RunFilter::HashKey(Key(i)), env_.order);
  }
};

TEST_F(VersionTest, Empty) {
  for (size_t levels = 0; levels < 3; ++levels) {
    Version version;
    version.levels.resize(levels);
    EXPECT_TRUE(version.empty());
    EXPECT_EQ(0u, version.deepest_level());
    EXPECT_EQ(0u, version.LevelBytes(1));
    EXPECT_FALSE(IsTracked(version, 1));
  }
}

// Every third key of a run is hot.
TEST_F(VersionTest, AKeyIsHotIfItIsInAnyRun) {
  Version version;
  version.levels = {
      {{WriteRun(1, 10, 11, 1), ""}, {WriteRun(2, 12, 13, 1), ""}},
      {},
      {{WriteRun(3, 12, 20, 1), ""}, {WriteRun(4, 20, 30, 1), ""}}};
  EXPECT_FALSE(version.empty());
  EXPECT_EQ(2u, version.deepest_level());
  for (const uint64_t hot : {12, 15, 18, 21, 24, 27}) {
    EXPECT_TRUE(IsHot(version, hot)) << hot;
  }
  for (uint64_t i = 12; i < 30; ++i) {
    EXPECT_TRUE(IsTracked(version, i)) << i;
  }
  EXPECT_TRUE(IsTracked(version, 10));
  EXPECT_FALSE(IsHot(version, 10));
}

// Also when a merge has partly consumed a file.
TEST_F(VersionTest, RecordsOfAllLevelsAreThoseOfEachLevel) {
  Version version;
  version.levels = {{},
                    {{WriteRun(1, 0, 3000, 3), Key(2900)}},
                    {{WriteRun(2, 0, 3000, 1), Key(1500)}}};
  const VersionTotals totals(version, /*new_share=*/1);
  EXPECT_EQ(totals.records, version.LevelRecords(1) + version.LevelRecords(2));
  EXPECT_LT(version.LevelRecords(1), 200u);
  EXPECT_NEAR(1500, version.LevelRecords(2), 200);
}

// A reader keeps the version that it got.
TEST_F(VersionTest, HolderReplacesVersions) {
  VersionHolder holder;
  EXPECT_TRUE(holder.Get()->empty());
  const auto before = holder.Get();
  auto version = std::make_shared<Version>();
  version->levels = {{{WriteRun(1, 0, 10, 1), ""}}};
  holder.Set(version);
  EXPECT_EQ(version.get(), holder.Get().get());
  EXPECT_TRUE(before->empty());
}

}  // namespace ROCKSDB_NAMESPACE::ralt

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests AddHotRapDefaults(): options for DBs that a framework opens, and
// counters without a handle of a column family.

#include <cstdlib>

#include "plugin/hotrap/test_util/root_test_base.h"
#include "rocksdb/hotrap_defaults.h"

namespace ROCKSDB_NAMESPACE {

class DefaultsTest : public RootTestBase {
 public:
  DefaultsTest() : RootTestBase("defaults_test") {}
  ~DefaultsTest() override {
    Close();
    for (const uint64_t id : ids_) {
      RemoveHotRapDefaults(id);
    }
  }

  HotRapOptions On() const {
    HotRapOptions options;
    options.enabled = true;
    options.slow_root = Hdd();
    options.fast_budget_bytes = 1 << 20;
    return options;
  }
  uint64_t Add(const std::string& db_pattern, const HotRapOptions& options,
               const std::string& cf_pattern = "*") {
    ids_.push_back(AddHotRapDefaults(db_pattern, cf_pattern, options));
    return ids_.back();
  }
  void ExpectPaths(const Folders& folders) {
    ASSERT_OK(Open(Plain(), Db()));
    EXPECT_EQ(folders, PathsOf(db_));
    Close();
  }
  Folders OnePath() const { return {Db()}; }
  Folders TwoPaths() const { return {Db(), SlowOfDb()}; }

 private:
  std::vector<uint64_t> ids_;
};

TEST_F(DefaultsTest, SwitchItOnUntilTheyAreRemoved) {
  const std::string parent = Db().substr(0, Db().rfind('/'));
  const uint64_t id = Add(parent + "/*b", On());
  MakeDB(Plain());
  ASSERT_OK(Open(Plain(), Db()));
  EXPECT_EQ(TwoPaths(), PathsOf(db_));
  EXPECT_EQ("1", Stat("active"));
  EXPECT_EQ("program", Stat("options_source"));
  ExpectUsable(Plain());
  Close();
  RemoveHotRapDefaults(id);
  RemoveHotRapDefaults(id);
  ASSERT_OK(Open(Plain(), Db()));
  EXPECT_EQ("0", Stat("active"));
}

TEST_F(DefaultsTest, TheLastThatFitsCounts) {
  Add("*", On());
  Add(Db() + "/other", HotRapOptions());
  ExpectPaths(TwoPaths());
  const uint64_t off = Add(Db(), HotRapOptions());
  ASSERT_OK(DestroyDB(Db(), Plain()));
  ExpectPaths(OnePath());
  RemoveHotRapDefaults(off);
  ExpectPaths(TwoPaths());
  Add(Db(), HotRapOptions(), "small");
  ASSERT_OK(Open(Plain(), Db()));
  for (const char* name : {"large", "small"}) {
    ColumnFamilyHandle* cf = nullptr;
    ASSERT_OK(db_->CreateColumnFamily(Plain(), name, &cf));
    EXPECT_EQ(name[0] == 'l' ? "1" : "0", Stat("active", cf)) << name;
    ASSERT_OK(db_->DestroyColumnFamilyHandle(cf));
  }
}

TEST_F(DefaultsTest, WhatTheProgramSetsComesFirstTheEnvironmentLast) {
  ASSERT_EQ(0, setenv("ROCKSDB_HOTRAP", "no_such_field=1", 1));
  Add("*", On());
  ExpectPaths(TwoPaths());
  ASSERT_EQ(0, unsetenv("ROCKSDB_HOTRAP"));
  ASSERT_OK(DestroyDB(Db(), Plain()));
  ASSERT_OK(Open(FastRoot(), Db()));
  EXPECT_EQ(Folders({Below(Nvme(), Db()), Db()}), PathsOf(db_));
}

TEST_F(DefaultsTest, AMistakeFailsTheOpening) {
  HotRapOptions options = On();
  options.fast_budget_bytes = 1 << 10;
  Add(Db(), options);
  ExpectRefused(Plain(), {"fast_budget_bytes"});
  options = On();
  options.slow_root = Hdd() + "/none";
  Add(Db(), options);
  ExpectRefused(Plain(), {"slow_root", "none"});
}

TEST_F(DefaultsTest, CountersAreNumbersOfTheDBToo) {
  MakeDB(SlowRoot());
  ASSERT_OK(Open(SlowRoot(), Db()));
  ColumnFamilyHandle* cf = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(SlowRoot(), "second", &cf));
  ASSERT_OK(db_->Put(WriteOptions(), cf, "key", "value"));
  ASSERT_OK(db_->Flush(FlushOptions(), cf));
  std::string value;
  ASSERT_OK(db_->Get(ReadOptions(), cf, "key", &value));
  EXPECT_EQ(kNumKeys, NumFound());

  const std::string counter = std::string(kHotRapStatsProperty) + ".get_hits_";
  uint64_t sum = 0;
  for (ColumnFamilyHandle* each : {db_->DefaultColumnFamily(), cf}) {
    uint64_t number = 0;
    ASSERT_TRUE(db_->GetIntProperty(each, counter + "fast", &number));
    EXPECT_EQ(Stat("get_hits_fast", each), std::to_string(number));
    std::string text;
    ASSERT_TRUE(db_->GetProperty(each, counter + "fast", &text));
    EXPECT_EQ(text, std::to_string(number));
    sum += number;
  }
  EXPECT_LT(0U, sum);
  uint64_t aggregated = 0;
  ASSERT_TRUE(db_->GetAggregatedIntProperty(counter + "fast", &aggregated));
  EXPECT_EQ(sum, aggregated);

  EXPECT_FALSE(db_->GetIntProperty(counter + "none", &aggregated));
  EXPECT_FALSE(db_->GetAggregatedIntProperty(counter + "none", &aggregated));
  EXPECT_FALSE(db_->GetIntProperty(
      std::string(kHotRapStatsProperty) + ".inactive_reason", &aggregated));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(cf));
}

}  // namespace ROCKSDB_NAMESPACE

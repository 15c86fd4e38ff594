//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests the fields of hotrap={...} as text: sizes, and what errors say.

#include "plugin/hotrap/db/settings/option_fields.h"

#include <gtest/gtest.h>

#include <limits>

#include "rocksdb/convenience.h"
#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {

class OptionFieldsTest : public testing::Test {
 public:
  static Status Parse(const std::string& text, HotRapOptions* options) {
    ColumnFamilyOptions result;
    const Status s =
        GetColumnFamilyOptionsFromString(ConfigOptions(), ColumnFamilyOptions(),
                                         "hotrap={" + text + "}", &result);
    *options = result.hotrap;
    return s;
  }
  static void ExpectBytes(uint64_t expected, const std::string& value) {
    HotRapOptions options;
    ASSERT_OK(Parse("fast_budget_bytes=" + value + ";", &options)) << value;
    EXPECT_EQ(expected, options.fast_budget_bytes) << value;
  }
  static void ExpectBad(const std::string& text,
                        const std::vector<std::string>& words) {
    HotRapOptions options;
    const Status s = Parse(text, &options);
    EXPECT_TRUE(s.IsInvalidArgument()) << text << ": " << s.ToString();
    for (const std::string& word : words) {
      EXPECT_NE(std::string::npos, s.ToString().find(word))
          << word << " is not in " << s.ToString();
    }
  }
};

TEST_F(OptionFieldsTest, Sizes) {
  ExpectBytes(0, "0");
  ExpectBytes(123, "123");
  ExpectBytes(123, "123B");
  const std::vector<std::pair<std::string, int>> units = {
      {"k", 10}, {"m", 20}, {"g", 30}, {"t", 40}};
  for (const auto& [unit, shift] : units) {
    std::string upper(1, static_cast<char>(std::toupper(unit[0])));
    for (const std::string& suffix :
         {unit, upper, upper + "i", upper + "iB", unit + "ib", " " + upper}) {
      ExpectBytes(uint64_t{3} << shift, "3" + suffix);
    }
  }
  ExpectBytes(40ull << 30, "{40G}");
  ExpectBytes(40ull << 30, " 40G ");
  ExpectBytes(std::numeric_limits<uint64_t>::max(), "18446744073709551615");
  ExpectBytes(((1ull << 24) - 1) << 40, "16777215T");
  HotRapOptions options;
  ASSERT_OK(Parse("cached_hit_sampling=1k;", &options));
  EXPECT_EQ(1024u, options.cached_hit_sampling);
}

TEST_F(OptionFieldsTest, SizesThatCannotBe) {
  for (const char* value :
       {"", "x", "-1", "+1", "1.5G", "40X", "40GG", "40GB", "0x10", "G", "1 2",
        "18446744073709551616", "16777216T", "99999999999999999999G"}) {
    ExpectBad("fast_budget_bytes=" + std::string(value) + ";",
              {"hotrap.fast_budget_bytes", "\"" + std::string(value) + "\"",
               "number of bytes", "K, M, G or T"});
  }
  ExpectBad("cached_hit_sampling=4G;",
            {"hotrap.cached_hit_sampling", "4G", "4294967295"});
}

TEST_F(OptionFieldsTest, TheLeastOfABudgetIsNoMoreThanTheBudget) {
  HotRapOptions options;
  ASSERT_OK(Parse("enabled=true;fast_budget_bytes=4G;min_fast_budget_bytes=4G;",
                  &options));
  EXPECT_EQ(4ull << 30, options.min_fast_budget_bytes);
  ASSERT_OK(ValidateHotRapFields(options));
  options.min_fast_budget_bytes++;
  const Status s = ValidateHotRapFields(options);
  EXPECT_TRUE(s.IsInvalidArgument());
  for (const char* word : {"hotrap.min_fast_budget_bytes", "4294967297",
                           "hotrap.fast_budget_bytes", "4294967296"}) {
    EXPECT_NE(std::string::npos, s.ToString().find(word)) << s.ToString();
  }
  // One that shares, and one in which HotRAP is off.
  options.fast_budget_bytes = 0;
  ASSERT_OK(ValidateHotRapFields(options));
  options.fast_budget_bytes = 1;
  options.enabled = false;
  ASSERT_OK(ValidateHotRapFields(options));
}

TEST_F(OptionFieldsTest, EachFieldNamesItself) {
  for (const auto& [name, info] : HotRapFields()) {
    if (name.find("root") == std::string::npos) {
      ExpectBad(name + "=perhaps;", {"hotrap." + name, "perhaps", "must be"});
    }
  }
  ExpectBad("enabled=yes;", {"hotrap.enabled", "yes", "true or false"});
}

TEST_F(OptionFieldsTest, UnknownNames) {
  ExpectBad("slow_rot=/hdd;", {"slow_rot", "/hdd", "slow_root", "enabled"});
  ExpectBad("source=me;", {"source"});
  ExpectBad("enabled", {"enabled", "name=value"});
  HotRapOptions options;
  ConfigOptions lenient;
  lenient.ignore_unknown_options = true;
  ColumnFamilyOptions result;
  ASSERT_OK(GetColumnFamilyOptionsFromString(
      lenient, ColumnFamilyOptions(), "hotrap={of_later=1;enabled=true;}",
      &result));
  EXPECT_TRUE(result.hotrap.enabled);
}

TEST_F(OptionFieldsTest, WhoSetThem) {
  HotRapOptions options;
  EXPECT_TRUE(IsLeftToTheEnvironment(options));
  ASSERT_OK(Parse("enabled=false;", &options));
  EXPECT_EQ("program", options.source);
  EXPECT_FALSE(IsLeftToTheEnvironment(options));
  options = HotRapOptions();
  options.no_tracking = true;
  EXPECT_FALSE(IsLeftToTheEnvironment(options));
  options.source = "ROCKSDB_HOTRAP @file";
  EXPECT_TRUE(IsLeftToTheEnvironment(options));
}

}  // namespace ROCKSDB_NAMESPACE

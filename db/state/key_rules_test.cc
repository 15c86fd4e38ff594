//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests which rule applies to a key, and which rules cannot be meant.

#include "plugin/hotrap/db/state/key_rules.h"

#include <gtest/gtest.h>

#include <thread>

namespace ROCKSDB_NAMESPACE {

namespace {

using Rule = KeyRules::Rule;

HotRapKeyRange RangeOf(const std::string& begin, const std::string& end) {
  return {begin, end, ""};
}
HotRapKeyRange Prefix(const std::string& prefix) { return {"", "", prefix}; }

KeyRangeSet SetOf(const std::vector<HotRapKeyRange>& ranges,
                  const Comparator* ucmp = BytewiseComparator()) {
  std::vector<RangeOfKeys> resolved;
  for (const HotRapKeyRange& range : ranges) {
    resolved.push_back(RangeOfKeys::Of(range));
  }
  return KeyRangeSet(ucmp, resolved);
}

}  // namespace

TEST(KeyRangeSetTest, Contains) {
  const KeyRangeSet set = SetOf({RangeOf("m", "p"), RangeOf("b", "d")});
  for (const char* key : {"b", "c", "m", "oz"}) {
    EXPECT_TRUE(set.Contains(key)) << key;
  }
  for (const char* key : {"", "a", "d", "e", "lz", "p", "z"}) {
    EXPECT_FALSE(set.Contains(key)) << key;
  }
  EXPECT_TRUE(set.ContainsAll("b", "cz"));
  EXPECT_FALSE(set.ContainsAll("b", "d"));
  EXPECT_FALSE(set.ContainsAll("b", "n"));
  EXPECT_TRUE(set.Overlaps("a", "b"));
  EXPECT_TRUE(set.Overlaps("c", "n"));
  EXPECT_FALSE(set.Overlaps("d", "lz"));
  EXPECT_FALSE(SetOf({}).Contains(""));
}

TEST(KeyRangeSetTest, UnboundedRangesAndPrefixes) {
  EXPECT_TRUE(SetOf({RangeOf("", "")}).Contains(""));
  EXPECT_TRUE(SetOf({RangeOf("", "b")}).Contains("a"));
  EXPECT_FALSE(SetOf({RangeOf("", "b")}).Contains("b"));
  EXPECT_TRUE(SetOf({RangeOf("b", "")}).Contains("\xff\xff"));
  const KeyRangeSet set = SetOf({Prefix("user/"), Prefix("\xff\xff")});
  EXPECT_TRUE(set.Contains("user/"));
  EXPECT_TRUE(set.Contains("user/\xff\xff"));
  EXPECT_FALSE(set.Contains("user0"));
  EXPECT_FALSE(set.Contains("user"));
  EXPECT_TRUE(set.Contains("\xff\xff\xff"));
  EXPECT_FALSE(set.Contains("\xff"));
  EXPECT_FALSE(SetOf({Prefix("a\xff")}).Contains("b"));
  EXPECT_TRUE(SetOf({Prefix("a\xff")}).Contains("a\xffz"));
}

TEST(KeyRangeSetTest, OverlappingRangesBecomeOne) {
  EXPECT_EQ(SetOf({RangeOf("a", "z")}),
            SetOf({RangeOf("c", "d"), RangeOf("m", "z"), RangeOf("a", "m")}));
  EXPECT_EQ(SetOf({RangeOf("a", "")}),
            SetOf({RangeOf("b", ""), RangeOf("a", "c")}));
  EXPECT_EQ(SetOf({}), SetOf({RangeOf("c", "a")}));
}

TEST(KeyRangeSetTest, TheComparatorsOrder) {
  const Comparator* const reverse = ReverseBytewiseComparator();
  const KeyRangeSet set = SetOf({RangeOf("d", "b")}, reverse);
  EXPECT_TRUE(set.Contains("d"));
  EXPECT_TRUE(set.Contains("c"));
  EXPECT_FALSE(set.Contains("b"));
  EXPECT_FALSE(set.Contains("e"));
}

TEST(KeyRulesTest, RulesOfKeys) {
  KeyRules rules(BytewiseComparator());
  EXPECT_EQ(Rule::kNone, rules.Of("a"));
  HotRapOptions options;
  options.pinned_ranges = {Prefix("hot")};
  options.excluded_ranges = {Prefix("cold")};
  EXPECT_TRUE(rules.Configure(options));
  EXPECT_FALSE(rules.Configure(options));
  EXPECT_EQ(Rule::kPinned, rules.Of("hot1"));
  EXPECT_EQ(Rule::kExcluded, rules.Of("cold1"));
  EXPECT_EQ(Rule::kNone, rules.Of("ho"));
  EXPECT_TRUE(rules.PinsAll("hot1", "hot2"));
  EXPECT_FALSE(rules.PinsAll("ho", "hot2"));
  EXPECT_TRUE(rules.PinsAny("ho", "hot2"));
  EXPECT_FALSE(rules.PinsAny("a", "b"));

  // A part of what is wanted.
  rules.SetPinnedInForce(SetOf({RangeOf("hot", "hot5")}));
  EXPECT_EQ(Rule::kNone, rules.Of("hot6"));
  EXPECT_EQ(Rule::kPinned, rules.Of("hot4"));
  EXPECT_EQ(Rule::kExcluded, rules.Of("cold1"));
  // Other fields leave it alone.
  options.excluded_ranges.clear();
  EXPECT_FALSE(rules.Configure(options));
  EXPECT_EQ(Rule::kNone, rules.Of("cold1"));
  EXPECT_EQ(Rule::kNone, rules.Of("hot6"));

  EXPECT_TRUE(rules.Configure(HotRapOptions()));
  EXPECT_EQ(Rule::kNone, rules.Of("hot1"));
  EXPECT_FALSE(rules.PinsAny("", "z"));
}

TEST(KeyRulesTest, ChangedWhileTheyAreAsked) {
  KeyRules rules(BytewiseComparator());
  HotRapOptions pins;
  pins.pinned_ranges = {Prefix("a"), Prefix("c")};
  HotRapOptions excludes;
  excludes.excluded_ranges = {Prefix("a")};
  std::atomic<bool> ends{false};
  std::thread reader([&] {
    while (!ends) {
      EXPECT_EQ(Rule::kNone, rules.Of("b"));
      rules.Of("a");
    }
  });
  for (int i = 0; i < 2000; i++) {
    rules.Configure(i % 2 == 0 ? pins : excludes);
  }
  ends = true;
  reader.join();
  EXPECT_EQ(Rule::kExcluded, rules.Of("a"));
}

TEST(KeyRulesTest, WhatCannotBeMeant) {
  const auto why = [](const HotRapOptions& options,
                      const Comparator* ucmp = BytewiseComparator()) {
    const Status s = KeyRules::Validate(ucmp, options);
    EXPECT_TRUE(s.ok() || s.IsInvalidArgument()) << s.ToString();
    return s.ToString();
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  HotRapOptions options;
  options.pinned_ranges = {Prefix("hot"), RangeOf("x", "y")};
  options.excluded_ranges = {Prefix("cold"), RangeOf("y", "z")};
  EXPECT_EQ("OK", why(options));
  EXPECT_TRUE(has(why(options, ReverseBytewiseComparator()), "no range"));

  options.excluded_ranges = {Prefix("hotter")};
  EXPECT_TRUE(has(why(options), "must not overlap"));
  options.excluded_ranges = {RangeOf("", "")};
  EXPECT_TRUE(has(why(options), "must not overlap"));
  options.excluded_ranges = {RangeOf("b", "a")};
  EXPECT_TRUE(has(why(options), "excluded_ranges has {begin=0x62;end=0x61}"));
  options.excluded_ranges = {{"a", "", "p"}};
  EXPECT_TRUE(has(why(options), "prefix"));
  options.excluded_ranges = {RangeOf("a", "a")};
  EXPECT_TRUE(has(why(options), "before its end"));

  HotRapOptions reversed;
  reversed.pinned_ranges = {RangeOf("b", "a")};
  EXPECT_EQ("OK", why(reversed, ReverseBytewiseComparator()));
  // HotRAP is inactive.
  EXPECT_EQ("OK", why(options, BytewiseComparatorWithU64Ts()));
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/figures.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

TEST(FiguresTest, OnlyWhatIsAskedForIsComputed) {
  Figures figures{Slice("ralt_runs")};
  EXPECT_TRUE(figures.Wants("ralt_"));
  EXPECT_FALSE(figures.Wants("relocation_"));
  figures.Add("ralt_runs_of_others", [] {
    ADD_FAILURE();
    return uint64_t{1};
  });
  EXPECT_FALSE(figures.number().has_value());
  figures.Add("ralt_runs", [] { return uint64_t{3}; });
  EXPECT_EQ(3u, figures.number());
  EXPECT_EQ(1u, figures.values().size());
}

TEST(FiguresTest, WholeNumbersAndFlagsAreNumbers) {
  const auto number = [](const auto& value) {
    Figures figures{Slice("f")};
    figures.Add("f", [&] { return value; });
    EXPECT_EQ(1u, figures.values().size());
    return figures.number();
  };
  EXPECT_EQ(7u, number(7));
  EXPECT_EQ(1u, number(true));
  EXPECT_FALSE(number(0.5).has_value());
  EXPECT_FALSE(number(std::string("12")).has_value());
}

TEST(FiguresTest, AllIsTheDefault) {
  Figures figures;
  figures.Add("a", [] { return uint64_t{1}; });
  figures.Add("b", [] { return "text"; });
  EXPECT_EQ("1", figures.values().at("a"));
  EXPECT_EQ("text", figures.values().at("b"));
  EXPECT_FALSE(figures.number().has_value());
}

}  // namespace ROCKSDB_NAMESPACE

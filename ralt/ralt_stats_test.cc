//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/ralt_stats.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace ROCKSDB_NAMESPACE::ralt {

TEST(RaltStatsTest, TextAndVisitorFollowTheList) {
  RaltStats stats;
  stats.accesses = 3;
  stats.hot_score_threshold = 1.5;
  stats.paused = true;
  std::set<std::string> names;
  std::string text;
  stats.ForEach([&](const char* name, auto value) {
    EXPECT_TRUE(names.insert(name).second) << name;
    text += std::string(name) + ": ";
    text += std::string(name) == "hot_score_threshold"
                ? "1.5"
                : std::to_string(static_cast<uint64_t>(value));
    text += "\n";
  });
  EXPECT_EQ(text, stats.ToString());
  EXPECT_EQ(0u, text.find("accesses: 3\naccesses_dropped: 0\n"));
  EXPECT_NE(std::string::npos,
            text.find("learning: 0\nfirst_reads: 0\npaused: 1\n"));
}

}  // namespace ROCKSDB_NAMESPACE::ralt

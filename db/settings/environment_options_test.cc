//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/settings/environment_options.h"

#include <gtest/gtest.h>

#include "rocksdb/env.h"
#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {

class EnvironmentOptionsTest : public testing::Test {
 public:
  static EnvironmentOptions Of(const std::string& value) {
    EnvironmentOptions options;
    EXPECT_OK(EnvironmentOptions::Parse(value, &options)) << value;
    return options;
  }
  static EnvironmentOptions OfFile(const std::string& text) {
    const std::string file = test::PerThreadDBPath("environment_options_test");
    EXPECT_OK(WriteStringToFile(Env::Default(), text, file));
    EnvironmentOptions options = Of("@" + file);
    EXPECT_OK(Env::Default()->DeleteFile(file));
    return options;
  }
};

TEST_F(EnvironmentOptionsTest, AString) {
  EXPECT_TRUE(Of("").empty());
  EXPECT_TRUE(Of(" \n").empty());
  for (const char* value :
       {"slow_root=/hdd", "slow_root=/hdd;", "{slow_root=/hdd}",
        "hotrap={slow_root=/hdd;}", "hotrap={slow_root=/hdd;};",
        " hotrap = { slow_root = /hdd ; } ; "}) {
    const EnvironmentOptions options = Of(value);
    const HotRapOptions* const found = options.Find({"/any"}, "any");
    ASSERT_NE(nullptr, found) << value;
    EXPECT_EQ("/hdd", found->slow_root) << value;
    EXPECT_TRUE(found->enabled) << value;
    EXPECT_EQ("ROCKSDB_HOTRAP", found->source) << value;
  }
  EXPECT_FALSE(Of("{enabled=false}").Find({"/any"}, "any")->enabled);
}

TEST_F(EnvironmentOptionsTest, TheFirstSectionThatFits) {
  const EnvironmentOptions options = OfFile(
      "# \n"
      "[DB \"/a/*\" \"x?\"]   # two\n"
      "cached_hit_sampling = 2  # comment\n"
      "\n"
      "[DB \"/a/b\"]\n"
      "  cached_hit_sampling=3\n"
      "  hotrap={slow_root=/h;}\n"
      "[DB /unquoted/[0-9]]\n"
      "  cached_hit_sampling=4\n"
      "[DB \"/with space/*\"]\n"
      "  cached_hit_sampling=5\n"
      "[DB \"/off\"]\n"
      "  enabled=false\n");
  const auto sampling = [&](const std::string& folder,
                            const std::string& cf_name) -> uint32_t {
    const HotRapOptions* const found = options.Find({"/z", folder}, cf_name);
    return found == nullptr ? 0 : found->cached_hit_sampling;
  };
  EXPECT_EQ(2u, sampling("/a/b", "x1"));
  EXPECT_EQ(3u, sampling("/a/b", "x"));
  EXPECT_EQ(3u, sampling("/a/b", "default"));
  EXPECT_EQ(2u, sampling("/a/b/c", "x2"));
  EXPECT_EQ(0u, sampling("/a/b/c", "default"));
  EXPECT_EQ(4u, sampling("/unquoted/7", "default"));
  EXPECT_EQ(5u, sampling("/with space/db", "default"));
  EXPECT_EQ(0u, sampling("/other", "default"));
  EXPECT_EQ("/h", options.Find({"/a/b"}, "default")->slow_root);
  EXPECT_FALSE(options.Find({"/off"}, "default")->enabled);
}

TEST_F(EnvironmentOptionsTest, AnEmptyFile) {
  EXPECT_TRUE(OfFile("").empty());
  EXPECT_TRUE(OfFile("# nothing\n\n").empty());
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/ralt_folders.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "rocksdb/file_system.h"
#include "test_util/testharness.h"
#include "test_util/testutil.h"

namespace ROCKSDB_NAMESPACE {

class RaltFoldersTest : public testing::Test {
 public:
  RaltFoldersTest() : root_(test::PerThreadDBPath("ralt_folders_test")) {
    EXPECT_OK(DestroyDir(Env::Default(), root_));
    Create("");
    Create("/fast");
    Create("/slow");
  }
  ~RaltFoldersTest() override { EXPECT_OK(DestroyDir(Env::Default(), root_)); }

  void Create(const std::string& folder) {
    EXPECT_OK(Env::Default()->CreateDirIfMissing(root_ + folder));
  }
  bool Exists(const std::string& folder) {
    return Env::Default()->FileExists(root_ + folder).ok();
  }

  const std::string root_;
  FileSystem* const fs_ = FileSystem::Default().get();
};

TEST_F(RaltFoldersTest, OneForEachColumnFamilyAndPath) {
  EXPECT_EQ("/fast/hotrap.ralt.7", RaltFolders::In("/fast", 7));
  EXPECT_EQ((std::vector<std::string>{"/a/hotrap.ralt.3", "/b/hotrap.ralt.3"}),
            RaltFolders::InAny({{"/a", 1}, {"/b", 1}}, 3));
}

TEST_F(RaltFoldersTest, OnlyWhatHasANumberIsListed) {
  Create("/fast/hotrap.ralt.12");
  Create("/fast/hotrap.ralt.12x");
  Create("/fast/hotrap.ralt.");
  Create("/fast/ralt.1");
  Create("/slow/hotrap.ralt.0");
  auto folders = RaltFolders::List(
      {{root_ + "/fast", 1}, {root_ + "/missing", 1}, {root_ + "/slow", 1}},
      fs_);
  std::sort(folders.begin(), folders.end());
  const std::vector<std::pair<std::string, uint64_t>> expected = {
      {root_ + "/fast/hotrap.ralt.12", 12}, {root_ + "/slow/hotrap.ralt.0", 0}};
  EXPECT_EQ(expected, folders);
}

TEST_F(RaltFoldersTest, DestroyAllLeavesOtherFolders) {
  Create("/fast/hotrap.ralt.1");
  Create("/fast/hotrap.ralt.2");
  Create("/fast/other");
  Create("/slow/hotrap.ralt.1");
  RaltFolders::DestroyAll(root_ + "/fast", fs_);
  RaltFolders::DestroyAll(root_ + "/missing", fs_);
  EXPECT_FALSE(Exists("/fast/hotrap.ralt.1"));
  EXPECT_FALSE(Exists("/fast/hotrap.ralt.2"));
  EXPECT_TRUE(Exists("/fast/other"));
  EXPECT_TRUE(Exists("/slow/hotrap.ralt.1"));
}

}  // namespace ROCKSDB_NAMESPACE

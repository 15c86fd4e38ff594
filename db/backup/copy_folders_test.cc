//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/backup/copy_folders.h"

#include "plugin/hotrap/test_util/two_path_test_base.h"

namespace ROCKSDB_NAMESPACE {

class CopyFoldersTest : public TwoPathTestBase {
 public:
  CopyFoldersTest() : TwoPathTestBase("copy_folders_test") {
    for (const char* name : {"hdd", "nvme", "other"}) {
      EXPECT_OK(env_->CreateDir(Folder(name)));
    }
  }
  HotRapOptions Roots(const std::string& slow, const std::string& fast = "",
                      const std::string& of_checkpoints = "") {
    HotRapOptions options;
    options.slow_root = slow.empty() ? "" : Folder(slow);
    options.fast_root = fast.empty() ? "" : Folder(fast);
    options.checkpoint_slow_root =
        of_checkpoints.empty() ? "" : Folder(of_checkpoints);
    return options;
  }
  std::string Copy() const { return Folder("copy"); }
};

TEST_F(CopyFoldersTest, WithoutARoot) {
  CopyFolders folders(fs_, Copy() + "/");
  ASSERT_OK(folders.AddByRoots("a", Roots(""), 1));
  EXPECT_EQ(Copy(), folders.own());
  EXPECT_EQ(Copy(), folders.Fast("a"));
  EXPECT_EQ(Copy(), folders.Slow("a"));
  EXPECT_EQ(Copy(), folders.Slow("unknown"));
  EXPECT_TRUE(folders.Others().empty());
}

TEST_F(CopyFoldersTest, BelowTheRoots) {
  CopyFolders folders(fs_, Copy());
  ASSERT_OK(folders.AddByRoots("a", Roots("hdd"), 7));
  ASSERT_OK(folders.AddByRoots("b", Roots("hdd", "nvme"), 8));
  ASSERT_OK(folders.AddByRoots("c", Roots("hdd", "", "other"), 9));
  EXPECT_EQ(Copy(), folders.Fast("a"));
  EXPECT_EQ(Folder("hdd") + Copy(), folders.Slow("a"));
  EXPECT_EQ(Folder("nvme") + Copy(), folders.Fast("b"));
  EXPECT_EQ(folders.Slow("a"), folders.Slow("b"));
  EXPECT_EQ(Folder("other") + Copy(), folders.Slow("c"));
  EXPECT_EQ(3u, folders.Others().size());
  ASSERT_OK(folders.Make());
  for (const std::string& folder : folders.Others()) {
    EXPECT_OK(env_->FileExists(folder));
  }
  const PathsFile file = folders.ToFile();
  EXPECT_EQ(Copy(), file.db_folder);
  EXPECT_EQ(7u, file.PathsOf("a").front().target_size);
  EXPECT_EQ(folders.Slow("c"), file.PathsOf("c").back().path);
}

// A folder that the DB has had below a root stays its own.
TEST_F(CopyFoldersTest, KnownFolders) {
  CopyFolders folders(fs_, Copy());
  const std::string known = Folder("hdd") + "/before";
  ASSERT_OK(
      folders.AddByRoots("a", Roots("hdd"), 1, {{Copy(), 1}, {known, 2}}));
  EXPECT_EQ(known, folders.Slow("a"));
  folders.AddPaths("b", {{Copy(), 1}, {Folder("x"), 2}, {Folder("y"), 3}});
  EXPECT_EQ(Copy(), folders.Fast("b"));
  EXPECT_EQ(Folder("y"), folders.Slow("b"));
}

TEST_F(CopyFoldersTest, ARootThatIsNotThere) {
  CopyFolders folders(fs_, Copy());
  const Status s = folders.AddByRoots("a", Roots("hdd", "", "away"), 1);
  EXPECT_TRUE(s.IsInvalidArgument());
  EXPECT_TRUE(Says(s, "checkpoint_slow_root")) << s.ToString();
  EXPECT_TRUE(folders.Others().empty());
}

}  // namespace ROCKSDB_NAMESPACE

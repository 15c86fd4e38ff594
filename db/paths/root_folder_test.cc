//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/root_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "file/file_util.h"
#include "rocksdb/env.h"
#include "test_util/testharness.h"
#include "utilities/fault_injection_fs.h"

namespace ROCKSDB_NAMESPACE {

TEST(RootFolderTest, Names) {
  EXPECT_EQ("/hdd/nvme/db", FolderBelow("/hdd", "/nvme/db"));
  EXPECT_EQ("/nvme/db", FolderBelow("/", "/nvme/db"));
  EXPECT_TRUE(IsWithin("/a/b", "/a"));
  EXPECT_TRUE(IsWithin("/a", "/a"));
  EXPECT_TRUE(IsWithin("/a", "/"));
  EXPECT_FALSE(IsWithin("/ab", "/a"));
  EXPECT_FALSE(IsWithin("/", "/a"));
}

TEST(RootFolderTest, OneNameForAFolder) {
  FileSystem* const fs = FileSystem::Default().get();
  const std::string root = test::PerThreadDBPath("root_folder_test");
  ASSERT_OK(DestroyDir(Env::Default(), root));
  ASSERT_OK(Env::Default()->CreateDir(root));
  ASSERT_EQ(0, symlink(root.c_str(), (root + "/link").c_str()));
  const std::string expected = AbsoluteFolder(fs, root) + "/new/db";
  for (const char* name : {"/new/db", "/new/db/", "//new/./db", "/new/x/../db",
                           "/link/new/db", "/link/link/new/db/."}) {
    EXPECT_EQ(expected, AbsoluteFolder(fs, root + name)) << name;
  }
  ASSERT_EQ(0, unlink((root + "/link").c_str()));
  ASSERT_OK(DestroyDir(Env::Default(), root));
}

TEST(RootFolderTest, FileSystems) {
  EXPECT_TRUE(IsOfTheMachine(FileSystem::Default().get()));
  const auto wrapped =
      std::make_shared<FaultInjectionTestFS>(FileSystem::Default());
  EXPECT_TRUE(IsOfTheMachine(wrapped.get()));
  std::unique_ptr<Env> memory(NewMemEnv(Env::Default()));
  EXPECT_FALSE(IsOfTheMachine(memory->GetFileSystem().get()));
}

}  // namespace ROCKSDB_NAMESPACE

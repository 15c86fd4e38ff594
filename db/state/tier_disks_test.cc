//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/tier_disks.h"

#include <string>

#include "file/file_util.h"
#include "gtest/gtest.h"
#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {

#ifdef OS_LINUX
class TierDisksTest : public testing::Test {
 protected:
  TierDisksTest() : folder_(test::PerThreadDBPath("tier_disks_test")) {
    EXPECT_OK(Env::Default()->CreateDirIfMissing(folder_));
    EXPECT_OK(Env::Default()->CreateDirIfMissing(folder_ + "/fast"));
    EXPECT_OK(Env::Default()->CreateDirIfMissing(folder_ + "/slow"));
  }
  ~TierDisksTest() override { EXPECT_OK(DestroyDir(Env::Default(), folder_)); }

  TierDisks Of(const std::string& fast, const std::string& slow) {
    return DisksOf(*fs_, {{fast, 1}, {slow, 1}});
  }

  const std::string folder_;
  std::shared_ptr<FileSystem> fs_ = FileSystem::Default();
};

TEST_F(TierDisksTest, TwoFolders) {
  EXPECT_EQ(TierDisks::kOne, Of(folder_ + "/fast", folder_ + "/slow"));
}

TEST_F(TierDisksTest, TwoFileSystems) {
  EXPECT_EQ(TierDisks::kOfTheSystem, Of(folder_ + "/fast", "/proc"));
  EXPECT_EQ(TierDisks::kOfTheSystem, Of("/proc", folder_ + "/slow"));
}

TEST_F(TierDisksTest, AFolderThatIsNotThere) {
  EXPECT_EQ(TierDisks::kOfTheSystem, Of(folder_ + "/fast", folder_ + "/none"));
  EXPECT_EQ(TierDisks::kOfTheSystem, DisksOf(*fs_, {}));
}

TEST_F(TierDisksTest, AFileSystemOfTheProgram) {
  class Own : public FileSystemWrapper {
   public:
    using FileSystemWrapper::FileSystemWrapper;
    const char* Name() const override { return "Own"; }
  };
  class Transparent : public Own {
   public:
    using Own::Own;
    bool IsInstanceOf(const std::string& name) const override {
      return target()->IsInstanceOf(name);
    }
  };
  fs_ = std::make_shared<Own>(FileSystem::Default());
  EXPECT_EQ(TierDisks::kUnknown, Of(folder_ + "/fast", folder_ + "/slow"));
  fs_ = std::make_shared<Transparent>(FileSystem::Default());
  EXPECT_EQ(TierDisks::kOne, Of(folder_ + "/fast", folder_ + "/slow"));
}
#endif

}  // namespace ROCKSDB_NAMESPACE

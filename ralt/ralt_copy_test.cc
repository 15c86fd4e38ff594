//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests that a copy of RALT's files that is taken while RALT is at work is one
// of its states.

#include <atomic>

#include "plugin/hotrap/ralt/ralt_test_util.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {

// Calls a function before the first link.
class BeforeLinks : public FileSystemWrapper {
 public:
  BeforeLinks(const std::shared_ptr<FileSystem>& target,
              std::function<void()> function)
      : FileSystemWrapper(target), function_(std::move(function)) {}
  const char* Name() const override { return "BeforeLinks"; }
  IOStatus LinkFile(const std::string& from, const std::string& to,
                    const IOOptions& options, IODebugContext* dbg) override {
    if (num_links_++ == 0) {
      function_();
    }
    return links ? target()->LinkFile(from, to, options, dbg)
                 : IOStatus::NotSupported("no links");
  }

  bool links = true;

 private:
  const std::function<void()> function_;
  std::atomic<int> num_links_{0};
};

}  // namespace

class RaltCopyTest : public RaltTestBase {
 public:
  RaltCopyTest() : to_(path_ + "_copy") {
    UseRealFiles();
    Open();
    MakeHot(0, 100);
    EXPECT_OK(DestroyDir(Env::Default(), to_));
    EXPECT_OK(Env::Default()->CreateDir(to_));
  }
  ~RaltCopyTest() override {
    ralt_.reset();
    EXPECT_OK(DestroyDir(Env::Default(), to_));
  }
  void OpenCopy() {
    options_.path = to_;
    Open();
    ASSERT_OK(ralt_->WaitForIdle());
    EXPECT_EQ(0u, ralt_->GetStats().resets);
  }

  const std::string to_;
};

TEST_F(RaltCopyTest, WhileRunsAreMerged) {
  BeforeLinks fs(FileSystem::Default(), [&] {
    // The runs that the manifest names go.
    MakeHot(0, 200);
  });
  std::vector<std::string> names;
  ASSERT_OK(Ralt::Copy(path_, &fs, to_, &names));
  EXPECT_GT(names.size(), 1u);
  for (const std::string& name : names) {
    EXPECT_OK(Env::Default()->FileExists(to_ + "/" + name));
  }
  OpenCopy();
  EXPECT_EQ(200u, CountHot(0, 200));
}

TEST_F(RaltCopyTest, WithoutLinks) {
  BeforeLinks fs(FileSystem::Default(), [] {});
  fs.links = false;
  std::vector<std::string> names;
  ASSERT_OK(Ralt::Copy(path_, &fs, to_, &names));
  OpenCopy();
  EXPECT_EQ(100u, CountHot(0, 100));
}

TEST_F(RaltCopyTest, OfAFolderThatIsNotThere) {
  std::vector<std::string> names;
  const Status s =
      Ralt::Copy(path_ + "_none", FileSystem::Default().get(), to_, &names);
  EXPECT_TRUE(s.IsNotFound() || s.IsPathNotFound()) << s.ToString();
  EXPECT_TRUE(names.empty());
}

}  // namespace ROCKSDB_NAMESPACE::ralt

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/access/free_space_of_paths.h"

#include <gtest/gtest.h>

#include <map>

#include "file/sst_file_manager_impl.h"
#include "plugin/hotrap/db/access/expose.h"
#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {

HOTRAP_EXPOSE(SstFileManagerImpl, FileSystemOfTest, std::shared_ptr<FileSystem>,
              fs_)
HOTRAP_EXPOSE(SstFileManagerImpl, ErrorOfTest, Status, bg_err_)

namespace {

// Knows the free bytes of some folders.
class Disks : public FileSystemWrapper {
 public:
  Disks() : FileSystemWrapper(FileSystem::Default()) {}
  const char* Name() const override { return "Disks"; }
  IOStatus GetFreeSpace(const std::string& path, const IOOptions& /*options*/,
                        uint64_t* free_bytes,
                        IODebugContext* /*dbg*/) override {
    const auto found = free.find(path);
    if (found == free.end()) {
      return IOStatus::PathNotFound(path);
    }
    *free_bytes = found->second;
    return IOStatus::OK();
  }
  std::map<std::string, uint64_t> free;
};

}  // namespace

class FreeSpaceOfPathsTest : public testing::Test {
 public:
  FreeSpaceOfPathsTest()
      : disks_(std::make_shared<Disks>()),
        env_(NewCompositeEnv(disks_)),
        manager_(NewSstFileManager(env_.get())) {
    FreeSpaceOfPaths* const space = FreeSpaceOfPaths::Of(manager());
    space->AddWritten("/db");
    space->AddWritten("/fast");
    space->AddSlow("/slow");
    space->AddSlow("/slow2");
    disks_->free = {{"/db", 50}, {"/fast", 10}, {"/slow", 7}, {"/slow2", 90}};
  }

  SstFileManagerImpl* manager() const {
    return static_cast<SstFileManagerImpl*>(manager_.get());
  }
  void SetError(Status::Severity severity) {
    Status& error = manager()->*MemberOf(ErrorOfTest());
    error.PermitUncheckedError();
    error = Status(Status::NoSpace(), severity);
    error.PermitUncheckedError();
  }
  // What the manager sees of any path.
  uint64_t Seen(bool ok = true) {
    uint64_t bytes = 0;
    const IOStatus s =
        (manager()->*MemberOf(FileSystemOfTest()))
            ->GetFreeSpace("/fast/000001.sst", IOOptions(), &bytes, nullptr);
    EXPECT_EQ(ok, s.ok());
    return bytes;
  }

 protected:
  const std::shared_ptr<Disks> disks_;
  const std::unique_ptr<Env> env_;
  const std::unique_ptr<SstFileManager> manager_;
};

TEST_F(FreeSpaceOfPathsTest, WritesNeedTheDisksThatTheyGoTo) {
  SetError(Status::Severity::kHardError);
  EXPECT_EQ(10u, Seen());
  disks_->free["/db"] = 3;
  EXPECT_EQ(3u, Seen());
  disks_->free.erase("/fast");
  Seen(/*ok=*/false);
}

TEST_F(FreeSpaceOfPathsTest, CompactionsNeedASlowDisk) {
  SetError(Status::Severity::kSoftError);
  EXPECT_EQ(90u, Seen());
  disks_->free["/slow2"] = 1;
  disks_->free["/fast"] = 0;
  EXPECT_EQ(7u, Seen());
}

TEST_F(FreeSpaceOfPathsTest, OneForAManager) {
  EXPECT_EQ(FreeSpaceOfPaths::Of(manager()), FreeSpaceOfPaths::Of(manager()));
}

}  // namespace ROCKSDB_NAMESPACE

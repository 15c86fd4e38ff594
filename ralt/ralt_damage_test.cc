//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Whatever happens to RALT's files, Open succeeds and tracking continues, with
// the earlier contents or empty.

#include <atomic>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/ralt.h"
#include "plugin/hotrap/ralt/ralt_test_util.h"
#include "plugin/hotrap/ralt/run/format.h"
#include "plugin/hotrap/ralt/tree/manifest.h"
#include "plugin/hotrap/test_util/path_faults.h"
#include "rocksdb/file_system.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt {

class RaltDamageTest : public RaltTestBase {
 protected:
  RaltDamageTest() { fs_ = env_->GetFileSystem(); }

  // Creates a closed folder with 400 tracked keys, 200 of them hot, in runs on
  // two levels.
  void MakeFolder() {
    Open();
    MakeHot(0, 200);
    Access(1000, 1200);
    ASSERT_OK(ralt_->Flush());
    ralt_->CancelWork();
    Access(2000, 2010);
    ralt_.reset();
  }

  std::string Read(const std::string& name) {
    std::string bytes;
    EXPECT_OK(ReadFileToString(fs_.get(), name, IOOptions(), &bytes));
    return bytes;
  }

  void Write(const std::string& name, const std::string& bytes) {
    ASSERT_OK(WriteStringToFile(fs_.get(), bytes, name));
  }

  std::vector<std::string> Runs() {
    std::vector<std::string> names;
    EXPECT_OK(fs_->GetChildren(path_, IOOptions(), &names, nullptr));
    std::vector<std::string> runs;
    for (const std::string& name : names) {
      uint64_t number;
      if (ParseRunFileName(name, &number)) {
        runs.push_back(path_ + "/" + name);
      }
    }
    return runs;
  }

  // Returns a copy of the folder's files, which can be restored.
  std::vector<std::pair<std::string, std::string>> Snapshot() {
    std::vector<std::pair<std::string, std::string>> files;
    std::vector<std::string> names = Runs();
    names.push_back(ManifestFileName(path_));
    for (const std::string& name : names) {
      files.emplace_back(name, Read(name));
    }
    return files;
  }

  void Restore(const std::vector<std::pair<std::string, std::string>>& files) {
    ASSERT_OK(Ralt::Destroy(path_, fs_.get()));
    ASSERT_OK(options_.env->CreateDirIfMissing(path_));
    for (const auto& [name, bytes] : files) {
      Write(name, bytes);
    }
  }

  // Opens the folder, uses everything, and checks that new accesses are
  // tracked.
  void OpenAndUse() {
    Open();
    CountHot(0, 200);
    ralt_->HotBytes(Key(0), Key(100));
    // The first merge may find damage and make RALT start empty.
    MakeHot(5000, 5010);
    MakeHot(5000, 5010);
    ASSERT_OK(ralt_->BackgroundError());
    ASSERT_EQ(10u, CountHot(5000, 5010)) << ralt_->GetStats().ToString();
    ralt_.reset();
  }

  std::shared_ptr<FileSystem> fs_;
};

TEST_F(RaltDamageTest, UndamagedFolderKeepsItsHotKeys) {
  MakeFolder();
  Open();
  EXPECT_EQ(200u, CountHot(0, 200));
  EXPECT_EQ(0u, ralt_->GetStats().resets);
}

TEST_F(RaltDamageTest, ManifestTruncatedOrFlippedAnywhere) {
  MakeFolder();
  const auto files = Snapshot();
  const std::string manifest = files.back().second;
  for (size_t i = 0; i < manifest.size(); i += 3) {
    SCOPED_TRACE(i);
    for (const bool truncate : {false, true}) {
      Restore(files);
      std::string damaged = manifest;
      if (truncate) {
        damaged.resize(i);
      } else {
        damaged[i] ^= 0x10;
      }
      Write(ManifestFileName(path_), damaged);
      Open();
      ASSERT_EQ(1u, ralt_->GetStats().resets);
      ASSERT_EQ(0u, ralt_->GetStats().records);
      OpenAndUse();
    }
  }
}

TEST_F(RaltDamageTest, RunTruncatedOrFlippedAnywhere) {
  MakeFolder();
  const auto files = Snapshot();
  Random64 random(301);
  for (size_t f = 0; f + 1 < files.size(); ++f) {
    const auto& [name, bytes] = files[f];
    for (int i = 0; i < 60; ++i) {
      const size_t offset = random.Uniform(bytes.size());
      SCOPED_TRACE(name + " " + std::to_string(offset));
      Restore(files);
      std::string damaged = bytes;
      if (i % 2 == 0) {
        damaged.resize(offset);
      } else {
        damaged[offset] ^= static_cast<char>(1 + random.Uniform(255));
      }
      Write(name, damaged);
      OpenAndUse();
    }
  }
}

TEST_F(RaltDamageTest, RunMissing) {
  MakeFolder();
  ASSERT_OK(fs_->DeleteFile(Runs()[0], IOOptions(), nullptr));
  Open();
  EXPECT_EQ(1u, ralt_->GetStats().resets);
  OpenAndUse();
}

TEST_F(RaltDamageTest, RunOfAnotherStore) {
  MakeFolder();
  const std::string own = Read(Runs()[0]);
  ASSERT_OK(Ralt::Destroy(path_, fs_.get()));
  options_.db_id = "another-db";
  MakeFolder();
  Write(Runs()[0], own);
  Open();
  EXPECT_EQ(1u, ralt_->GetStats().resets);
  OpenAndUse();
}

TEST_F(RaltDamageTest, FolderOfAnotherStore) {
  MakeFolder();
  options_.cf_id = 7;
  Open();
  EXPECT_EQ(1u, ralt_->GetStats().resets);
  EXPECT_EQ(0u, ralt_->GetStats().records);
  OpenAndUse();
}

TEST_F(RaltDamageTest, NewerFormat) {
  MakeFolder();
  std::string manifest = Read(ManifestFileName(path_));
  manifest[8] = static_cast<char>(kRaltFormatVersion + 1);
  Write(ManifestFileName(path_), manifest);
  Manifest decoded;
  EXPECT_TRUE(decoded.DecodeFrom(manifest, "manifest").IsNotSupported());
  OpenAndUse();
}

TEST_F(RaltDamageTest, LeftoversAreRemoved) {
  MakeFolder();
  const size_t runs = Runs().size();
  Write(RunFileName(path_, 900), "torn");
  Write(ManifestTempFileName(path_), "torn");
  Open();
  EXPECT_EQ(200u, CountHot(0, 200));
  ASSERT_OK(ralt_->WaitForIdle());
  EXPECT_LE(Runs().size(), runs);
  OpenAndUse();
}

// Fails on request: always or sometimes, for all files or one.
class FailingFileSystem : public FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "FailingFileSystem"; }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file,
                           IODebugContext* dbg) override {
    if (Fails(name)) {
      return IOStatus::NoSpace("no room in this test");
    }
    return FileSystemWrapper::NewWritableFile(name, options, file, dbg);
  }

  IOStatus RenameFile(const std::string& from, const std::string& to,
                      const IOOptions& options, IODebugContext* dbg) override {
    return Fails(to) ? IOStatus::IOError("no renames in this test")
                     : FileSystemWrapper::RenameFile(from, to, options, dbg);
  }

  IOStatus NewDirectory(const std::string& name, const IOOptions& options,
                        std::unique_ptr<FSDirectory>* directory,
                        IODebugContext* dbg) override {
    return Fails(name)
               ? IOStatus::IOError("no folders in this test")
               : FileSystemWrapper::NewDirectory(name, options, directory, dbg);
  }

  IOStatus NewRandomAccessFile(const std::string& name,
                               const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override {
    if (Fails(name)) {
      return IOStatus::IOError("no reads in this test");
    }
    return FileSystemWrapper::NewRandomAccessFile(name, options, file, dbg);
  }

  IOStatus NewSequentialFile(const std::string& name,
                             const FileOptions& options,
                             std::unique_ptr<FSSequentialFile>* file,
                             IODebugContext* dbg) override {
    return Fails(name)
               ? IOStatus::IOError("no reads in this test")
               : FileSystemWrapper::NewSequentialFile(name, options, file, dbg);
  }

  std::atomic<bool> failing{false};
  // Failing calls in 100.
  std::atomic<int> failing_percent{0};
  // The name of the failing file; empty means all. Must not change while files
  // are in use.
  std::string only;

 private:
  bool Fails(const std::string& name) const {
    if (!only.empty() && name != only) {
      return false;
    }
    return failing.load() ||
           Random::GetTLSInstance()->PercentTrue(failing_percent.load());
  }
};

TEST_F(RaltDamageTest, NoSpacePausesAndResumes) {
  const auto failing = std::make_shared<FailingFileSystem>(fs_);
  options_.fs = failing;
  options_.retry_after_error_secs = 0;
  Open();
  MakeHot(0, 100);

  failing->failing.store(true);
  Access(200, 300);
  EXPECT_TRUE(ralt_->Flush().IsNoSpace());
  EXPECT_TRUE(ralt_->BackgroundError().IsNoSpace());
  RaltStats stats = ralt_->GetStats();
  EXPECT_TRUE(stats.paused);
  EXPECT_GE(stats.background_errors, 1u);
  EXPECT_EQ(100u, CountHot(0, 100));

  failing->failing.store(false);
  // A dropped access triggers the retry.
  Access(0, 1);
  MakeHot(200, 300);
  EXPECT_OK(ralt_->BackgroundError());
  EXPECT_EQ(100u, CountHot(0, 100));
  EXPECT_EQ(100u, CountHot(200, 300));
  EXPECT_FALSE(ralt_->GetStats().paused);
}

// What was learned survives a short disk failure.
TEST_F(RaltDamageTest, ReadErrorAtOpenPausesAndResumes) {
  MakeFolder();
  const auto failing = std::make_shared<FailingFileSystem>(fs_);
  options_.fs = failing;
  options_.retry_after_error_secs = 0;
  for (const bool manifest : {false, true}) {
    SCOPED_TRACE(manifest);
    failing->only = manifest ? ManifestFileName(path_) : Runs().back();
    failing->failing.store(true);
    Open();
    EXPECT_TRUE(ralt_->BackgroundError().IsIOError());
    EXPECT_EQ(0u, CountHot(0, 200));
    EXPECT_FALSE(ralt_->PhysicalBytes().has_value());
    failing->failing.store(false);
    Access(9000, 9001);
    ASSERT_OK(ralt_->WaitForIdle());
    EXPECT_EQ(200u, CountHot(0, 200));
    EXPECT_GT(ralt_->PhysicalBytes().value_or(0), 0u);
    EXPECT_EQ(0u, ralt_->GetStats().resets);
  }
}

TEST_F(RaltDamageTest, WhatCanNeverBeReadIsGivenUp) {
  MakeFolder();
  const auto failing = std::make_shared<FailingFileSystem>(fs_);
  options_.fs = failing;
  options_.retry_after_error_secs = 0;
  failing->only = Runs().back();
  failing->failing.store(true);
  Open();
  for (int i = 0; i < 3; ++i) {
    Access(9000, 9001);
    ralt_->WaitForIdle().PermitUncheckedError();
  }
  EXPECT_OK(ralt_->BackgroundError());
  EXPECT_EQ(1u, ralt_->GetStats().resets);
  EXPECT_TRUE(Runs().empty());
  MakeHot(0, 100);
  EXPECT_EQ(100u, CountHot(0, 100));
}

// The run can be opened, because its tail is intact, but no merge gets past the
// block.
TEST_F(RaltDamageTest, ABlockThatCanNeverBeReadIsGivenUp) {
  const auto faults = std::make_shared<PathFaults>(fs_);
  options_.fs = faults;
  options_.retry_after_error_secs = 0;
  Open();
  MakeHot(0, 100);
  PathFaults::Fault unreadable;
  unreadable.hits = [run = Runs().back()](const std::string& name) {
    return name == run;
  };
  unreadable.read = IOStatus::IOError("no reads in this test");
  faults->Begin(unreadable);
  Access(0, 1);
  EXPECT_TRUE(ralt_->Flush().IsIOError());
  EXPECT_TRUE(ralt_->GetStats().paused);
  EXPECT_EQ(100u, CountHot(0, 100));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(0u, ralt_->GetStats().resets);
    Access(0, 1);
    ralt_->WaitForIdle().PermitUncheckedError();
  }
  EXPECT_EQ(1u, ralt_->GetStats().resets);
  MakeHot(0, 100);
  EXPECT_OK(ralt_->BackgroundError());
  EXPECT_EQ(100u, CountHot(0, 100));
}

TEST_F(RaltDamageTest, AFolderThatWasTakenAwayComesBack) {
  UseRealFiles();
  options_.fs = nullptr;
  options_.retry_after_error_secs = 0;
  Open();
  MakeHot(0, 100);
  ASSERT_OK(DestroyDir(options_.env, path_));
  // The accesses that were about to be flushed are lost.
  Access(200, 300);
  ASSERT_OK(ralt_->Flush());
  MakeHot(200, 300);
  EXPECT_OK(ralt_->BackgroundError());
  EXPECT_EQ(100u, CountHot(200, 300));
  Open();
  EXPECT_EQ(100u, CountHot(200, 300));
}

// The pause does not get longer.
TEST_F(RaltDamageTest, ResumesWhereTheWallClockIsSetBack) {
  class SetBack : public SystemClockWrapper {
   public:
    using SystemClockWrapper::SystemClockWrapper;
    const char* Name() const override { return "SetBack"; }
    uint64_t NowMicros() override { return target_->NowMicros() - back_micros; }
    uint64_t NowNanos() override { return target_->NowNanos(); }
    std::atomic<uint64_t> back_micros{0};
  };
  SetBack clock(SystemClock::Default());
  const auto failing = std::make_shared<FailingFileSystem>(fs_);
  options_.fs = failing;
  options_.clock = &clock;
  options_.retry_after_error_secs = 0;
  Open();
  failing->failing.store(true);
  Access(0, 100);
  EXPECT_TRUE(ralt_->Flush().IsNoSpace());
  clock.back_micros = uint64_t{3600} * 1000000;
  failing->failing.store(false);
  Access(0, 1);
  MakeHot(0, 100);
  EXPECT_EQ(100u, CountHot(0, 100));
  ralt_.reset();  // before the clock is destroyed
}

// Otherwise each retry would leave another run on a nearly full disk.
TEST_F(RaltDamageTest, ManifestThatCannotBeWrittenLeavesNoRuns) {
  const auto failing = std::make_shared<FailingFileSystem>(fs_);
  options_.fs = failing;
  options_.retry_after_error_secs = 0;
  for (const bool in_doubt : {false, true}) {
    SCOPED_TRACE(in_doubt);
    Open();
    MakeHot(0, 100);
    const size_t runs = Runs().size();
    // If the rename fails, it is unknown whether the manifest is in place, so
    // the first try's run stays for now.
    failing->only =
        in_doubt ? ManifestFileName(path_) : ManifestTempFileName(path_);
    failing->failing.store(true);
    for (int i = 0; i < 5; ++i) {
      Access(200, 300);
      const Status s = ralt_->Flush();
      EXPECT_TRUE(in_doubt ? s.IsIOError() : s.IsNoSpace()) << s.ToString();
      // Triggers a retry.
      Access(0, 1);
      ralt_->WaitForIdle().PermitUncheckedError();
      if (in_doubt) {
        EXPECT_LE(Runs().size(), runs + 1);
      } else {
        EXPECT_EQ(runs, Runs().size());
      }
    }
    EXPECT_EQ(100u, CountHot(0, 100));
    failing->failing.store(false);
    Access(0, 1);
    MakeHot(400, 500);
    EXPECT_EQ(100u, CountHot(0, 100));
    EXPECT_EQ(100u, CountHot(400, 500));
  }
}

TEST_F(RaltDamageTest, ErrorsNowAndThenLeaveAValidFolder) {
  const auto failing = std::make_shared<FailingFileSystem>(fs_);
  options_.fs = failing;
  options_.retry_after_error_secs = 0;
  options_.file_bytes = 2048;
  Random64 random(301);
  for (int round = 0; round < 20; ++round) {
    failing->failing_percent.store(0);
    Open();
    ASSERT_EQ(0u, ralt_->GetStats().resets);
    failing->failing_percent.store(5);
    for (int i = 0; i < 5000; ++i) {
      ralt_->RecordAccess(Key(random.Uniform(random.OneIn(3) ? 9000 : 200)),
                          kValueBytes);
      if (i % 500 == 0) {
        ralt_->WaitForIdle().PermitUncheckedError();
      }
    }
    EXPECT_EQ(0u, ralt_->GetStats().resets);
  }
  failing->failing_percent.store(0);
  Open();
  // What the rounds have left is a matter of luck: if most of the last accesses
  // were lost, few records are stable, the tuned limits have room for some 36
  // others, and an eviction between two accesses would forget most of 100 keys.
  // While a hot set is learned, none is.
  ralt_->SetLearning(true);
  MakeHot(0, 100);
  EXPECT_EQ(100u, CountHot(0, 100)) << ralt_->GetStats().ToString();
  // Nothing left behind by failures stays.
  EXPECT_EQ(ralt_->GetStats().runs, Runs().size());
}

TEST_F(RaltDamageTest, FolderThatCannotBeWrittenPausesOnly) {
  const auto failing = std::make_shared<FailingFileSystem>(fs_);
  failing->failing.store(true);
  options_.fs = failing;
  Open();
  Access(0, 100);
  EXPECT_TRUE(ralt_->Flush().IsNoSpace());
  EXPECT_FALSE(ralt_->IsHot(Key(1)));
}

}  // namespace ROCKSDB_NAMESPACE::ralt

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/table_locator.h"

#include <gtest/gtest.h>

#include "file/file_util.h"
#include "file/filename.h"
#include "rocksdb/env.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/version.h"
#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Counts operations, and can make listings fail.
class CountingFileSystem : public FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "CountingFileSystem"; }

  IOStatus GetChildren(const std::string& dir, const IOOptions& options,
                       std::vector<std::string>* result,
                       IODebugContext* dbg) override {
    num_listings++;
    return dir == broken ? IOStatus::IOError("broken")
                         : target()->GetChildren(dir, options, result, dbg);
  }
  IOStatus FileExists(const std::string& name, const IOOptions& options,
                      IODebugContext* dbg) override {
    num_probes++;
    return target()->FileExists(name, options, dbg);
  }

  // RocksDB promises file systems that it names the function of a table's
  // checksum, or says that it is not known.
  IOStatus NewRandomAccessFile(const std::string& name,
                               const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override {
    num_opened++;
#if ROCKSDB_MAJOR >= 11
    EXPECT_EQ(kNoFileChecksumFuncName, options.file_checksum_func_name);
#endif
    return target()->NewRandomAccessFile(name, options, file, dbg);
  }

  std::string broken;
  int num_listings = 0;
  int num_probes = 0;
  int num_opened = 0;
};

}  // namespace

class TableLocatorTest : public testing::Test {
 public:
  TableLocatorTest()
      : root_(test::PerThreadDBPath("table_locator_test")),
        fs_(FileSystem::Default()) {
    EXPECT_OK(DestroyDir(Env::Default(), root_));
    EXPECT_OK(Env::Default()->CreateDirIfMissing(root_));
    for (int i = 0; i < 3; i++) {
      paths_.emplace_back(root_ + "/" + std::to_string(i), 0);
      EXPECT_OK(Env::Default()->CreateDirIfMissing(paths_[i].path));
    }
  }
  ~TableLocatorTest() override { EXPECT_OK(DestroyDir(Env::Default(), root_)); }

  void Add(int path, uint64_t number) {
    ASSERT_OK(WriteStringToFile(Env::Default(), "",
                                MakeTableFileName(paths_[path].path, number)));
  }

  const std::string root_;
  std::vector<DbPath> paths_;
  CountingFileSystem fs_;
};

TEST_F(TableLocatorTest, Finds) {
  Add(0, 7);
  Add(1, 8);
  Add(2, 9);
  Add(0, 20);
  // Copies.
  Add(1, 10);
  Add(2, 10);
  // A table with LevelDB's old suffix.
  ASSERT_OK(WriteStringToFile(
      Env::Default(), "",
      Rocks2LevelTableFileName(MakeTableFileName(paths_[2].path, 11))));
  for (const auto source :
       {TableLocator::Source::kListings, TableLocator::Source::kProbes}) {
    TableLocator locator(&fs_, source);
    for (const uint32_t hint : {0u, 1u, 2u, 3u}) {
      for (const uint32_t path : {0u, 1u, 2u}) {
        const auto place = locator.Find(paths_, 7 + path, hint);
        EXPECT_TRUE(place.found);
        EXPECT_EQ(path, place.path);
      }
      EXPECT_EQ(2u, locator.Find(paths_, 11, hint).path);
      const auto nowhere = locator.Find(paths_, 12, hint);
      EXPECT_FALSE(nowhere.found);
      EXPECT_EQ(std::min(hint, 2u), nowhere.path);
    }
    EXPECT_EQ(1u, locator.Find(paths_, 10, 1).path);
    EXPECT_EQ(2u, locator.Find(paths_, 10, 2).path);
    EXPECT_EQ(1u, locator.Find(paths_, 10, 0).path);
  }
}

// Copies that were cut short lie on other paths.
TEST_F(TableLocatorTest, FindsTheOneOfThatSize) {
  for (const uint32_t path : {0u, 1u}) {
    ASSERT_OK(WriteStringToFile(Env::Default(), std::string(5 + path, 'x'),
                                MakeTableFileName(paths_[path].path, 7)));
  }
  TableLocator locator(&fs_, TableLocator::Source::kListings);
  for (const uint32_t hint : {0u, 1u, 2u, 3u}) {
    EXPECT_EQ(0u, locator.Find(paths_, 7, hint, /*size=*/5).path);
    EXPECT_EQ(1u, locator.Find(paths_, 7, hint, /*size=*/6).path);
  }
  EXPECT_EQ(8, fs_.num_opened);
  // No file has that size, or it is not known.
  for (const uint64_t size : {0, 9}) {
    for (const uint32_t hint : {0u, 1u}) {
      EXPECT_TRUE(locator.Find(paths_, 7, hint, size).found);
      EXPECT_EQ(hint, locator.Find(paths_, 7, hint, size).path);
    }
  }
}

TEST_F(TableLocatorTest, ListsEachFolderOnce) {
  for (uint64_t number = 1; number < 100; number++) {
    Add(number % 3, number);
  }
  TableLocator locator(&fs_, TableLocator::Source::kListings);
  for (uint64_t number = 1; number < 100; number++) {
    EXPECT_EQ(number % 3, locator.Find(paths_, number, number % 3).path);
  }
  EXPECT_EQ(3, fs_.num_listings);
  EXPECT_EQ(0, fs_.num_probes);
}

// Another process writes to the DB meanwhile.
TEST_F(TableLocatorTest, WhatIsNewerThanTheListing) {
  Add(0, 5);
  Add(1, 6);
  TableLocator locator(&fs_, TableLocator::Source::kListings);
  EXPECT_EQ(1u, locator.Find(paths_, 6, 1).path);
  Add(2, 7);
  EXPECT_TRUE(locator.Find(paths_, 7, 0).found);
  EXPECT_EQ(2u, locator.Find(paths_, 7, 0).path);
  EXPECT_FALSE(locator.Find(paths_, 8, 1).found);
  // Moved to the hinted path.
  ASSERT_OK(Env::Default()->RenameFile(MakeTableFileName(paths_[0].path, 5),
                                       MakeTableFileName(paths_[1].path, 5)));
  EXPECT_EQ(1u, locator.Find(paths_, 5, 1).path);
}

TEST_F(TableLocatorTest, FolderThatIsNotThereOrNotReadable) {
  Add(0, 5);
  paths_[1].path = root_ + "/nowhere";
  {
    TableLocator locator(&fs_, TableLocator::Source::kListings);
    EXPECT_TRUE(locator.Find(paths_, 5, 1).found);
    EXPECT_EQ(0u, locator.Find(paths_, 5, 1).path);
    EXPECT_FALSE(locator.Find(paths_, 4, 1).found);
    EXPECT_TRUE(locator.HoldsNoTables(paths_[1].path));
    EXPECT_FALSE(locator.HoldsNoTables(paths_[0].path));
  }
  fs_.broken = paths_[2].path;
  Add(2, 6);
  TableLocator locator(&fs_, TableLocator::Source::kListings);
  // It is there, whatever the hint says.
  EXPECT_TRUE(locator.Find(paths_, 6, 1).found);
  EXPECT_EQ(2u, locator.Find(paths_, 6, 1).path);
  EXPECT_EQ(0u, locator.Find(paths_, 5, 1).path);
  // The table may be there.
  EXPECT_TRUE(locator.Find(paths_, 4, 1).found);
  EXPECT_EQ(1u, locator.Find(paths_, 4, 1).path);
  EXPECT_FALSE(locator.HoldsNoTables(paths_[2].path));
}

TEST_F(TableLocatorTest, AreSeveral) {
  EXPECT_FALSE(TableLocator::AreSeveral({}));
  EXPECT_FALSE(TableLocator::AreSeveral({{"/a", 1}}));
  EXPECT_FALSE(TableLocator::AreSeveral({{"/a", 1}, {"/a//", 2}, {"/a/", 3}}));
  EXPECT_FALSE(
      TableLocator::AreSeveral({{"/a", 1}, {"/./a", 2}, {"/b/../a", 3}}));
  EXPECT_TRUE(TableLocator::AreSeveral({{"/a", 1}, {"/a", 2}, {"/b", 3}}));
}

}  // namespace ROCKSDB_NAMESPACE

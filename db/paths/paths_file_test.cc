//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/paths_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "file/file_util.h"
#include "file/filename.h"
#include "rocksdb/env.h"
#include "test_util/testharness.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE {

class PathsFileTest : public testing::Test {
 public:
  PathsFileTest()
      : fs_(FileSystem::Default().get()),
        dbname_(test::PerThreadDBPath("paths_file_test")) {
    EXPECT_OK(DestroyDir(Env::Default(), dbname_));
    EXPECT_OK(Env::Default()->CreateDirIfMissing(dbname_));
  }
  ~PathsFileTest() override { EXPECT_OK(DestroyDir(Env::Default(), dbname_)); }

  static PathsFile Example() {
    PathsFile file;
    file.db_folder = "/fast disk/db";
    file.db_paths = {{"/fast disk/db", 40}, {"/slow/100%\n:", 1ull << 63}};
    file.left = {"/gone by"};
    file.db_ids = {"1-2 3", "4"};
    file.cf_paths["a b"] = {{"/other\x7f\x01", 0}, {"/\xc3\xa4", 7}};
    return file;
  }

  FileSystem* const fs_;
  const std::string dbname_;
};

TEST_F(PathsFileTest, Text) {
  const PathsFile file = Example();
  const std::string text = file.ToText();
  EXPECT_EQ(
      "HOTRAP_PATHS 1\n"
      "db /fast%20disk/db\n"
      "paths 40:/fast%20disk/db 9223372036854775808:/slow/100%25%0A:\n"
      "cf a%20b 0:/other%7F%01 7:/\xc3\xa4\n"
      "left /gone%20by\n"
      "id 1-2%203\n"
      "id 4\n",
      text);
  const PathsFile again = PathsFile::FromText(text);
  EXPECT_EQ(text, again.ToText());
  EXPECT_EQ(file.db_folder, again.db_folder);
  ASSERT_EQ(2u, again.db_paths.size());
  EXPECT_EQ(file.db_paths[1].path, again.db_paths[1].path);
  EXPECT_EQ(1ull << 63, again.db_paths[1].target_size);
  EXPECT_EQ(2u, again.PathsOf("a b").size());
  EXPECT_EQ("/fast disk/db", again.PathsOf("other")[0].path);
  EXPECT_EQ(4u, again.Folders().size());
}

// From a later version, or damaged.
TEST_F(PathsFileTest, UnknownContent) {
  const PathsFile file = PathsFile::FromText(
      "HOTRAP_PATHS 9 and more\n"
      "\n"
      "tier 1 2 3\n"
      "db /db\n"
      "paths 1:/a b 2 :/c x:/d 3:/e%zz 4:/f%4 5:/g 99999999999999999999999:/h"
      " 6:\n"
      "cf\n"
      "cf empty\n"
      "cf %4 1:/i\n"
      "cf name 8:/j");
  EXPECT_EQ("/db", file.db_folder);
  ASSERT_EQ(2u, file.db_paths.size());
  EXPECT_EQ("/a", file.db_paths[0].path);
  EXPECT_EQ("/g", file.db_paths[1].path);
  ASSERT_EQ(1u, file.cf_paths.size());
  EXPECT_EQ("/j", file.PathsOf("name")[0].path);

  Random rnd(301);
  for (int i = 0; i < 200; i++) {
    std::string text = Example().ToText();
    for (int j = 0; j < 3; j++) {
      text[rnd.Uniform(static_cast<int>(text.size()))] =
          static_cast<char>(rnd.Uniform(256));
    }
    const PathsFile damaged = PathsFile::FromText(text);
    EXPECT_EQ(damaged.ToText(), PathsFile::FromText(damaged.ToText()).ToText());
  }
}

TEST_F(PathsFileTest, ReadWriteRemove) {
  PathsFile file;
  EXPECT_TRUE(PathsFile::Read(fs_, dbname_, &file).IsNotFound());
  ASSERT_OK(PathsFile::Remove(fs_, dbname_));
  ASSERT_OK(Example().Write(fs_, dbname_));
  ASSERT_OK(PathsFile::Read(fs_, dbname_, &file));
  EXPECT_EQ(Example().ToText(), file.ToText());
  file.db_folder = "/elsewhere";
  // Remainders of a crash do no harm.
  ASSERT_OK(WriteStringToFile(Env::Default(), "half",
                              PathsFile::FileName(dbname_) + ".tmp"));
  EXPECT_TRUE(PathsFile::Exists(fs_, dbname_));
  ASSERT_OK(file.Write(fs_, dbname_));
  PathsFile again;
  ASSERT_OK(PathsFile::Read(fs_, dbname_, &again));
  EXPECT_EQ("/elsewhere", again.db_folder);
  std::vector<std::string> names;
  ASSERT_OK(Env::Default()->GetChildren(dbname_, &names));
  EXPECT_EQ(1u, names.size());
  ASSERT_OK(PathsFile::Remove(fs_, dbname_));
  EXPECT_TRUE(PathsFile::Read(fs_, dbname_, &file).IsNotFound());
  EXPECT_FALSE(PathsFile::Exists(fs_, dbname_));
}

// RocksDB must not mistake it for one of its files.
TEST_F(PathsFileTest, IsNoFileOfRocksDBs) {
  for (const char* suffix : {"", ".tmp"}) {
    uint64_t number = 0;
    FileType type = kTempFile;
    EXPECT_FALSE(
        ParseFileName("HOTRAP_PATHS" + std::string(suffix), &number, &type));
  }
}

TEST_F(PathsFileTest, Folders) {
  EXPECT_EQ("/a/b", PathsFile::Folder(fs_, "/a//b/"));
  EXPECT_EQ("/", PathsFile::Folder(fs_, "/"));
  EXPECT_EQ((std::vector<std::string>{"/a", "/b"}),
            PathsFile::Folders(fs_, {{"/a", 1}, {"/b", 2}, {"/a/", 3}}));
  EXPECT_EQ("/x/y", PathsFile::Folder(fs_, "/x/./y//"));
}

TEST_F(PathsFileTest, RelativeFolders) {
  char cwd[4096];
  ASSERT_NE(nullptr, getcwd(cwd, sizeof(cwd)));
  const std::string here(cwd);
  EXPECT_EQ(here + "/fast", PathsFile::Folder(fs_, "fast"));
  EXPECT_EQ(here + "/b", PathsFile::Folder(fs_, "./a/../b/"));
  EXPECT_EQ((std::vector<std::string>{here + "/fast", here + "/slow"}),
            PathsFile::Folders(fs_, {{"fast", 1}, {"slow", 2}, {"./fast", 3}}));
}

// A DB may be in the middle of opening.
TEST_F(PathsFileTest, IsWrittenAsAPartOfOpening) {
  class File : public FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<FSWritableFile> file, Env::IOActivity* activity)
        : FSWritableFileOwnerWrapper(std::move(file)), activity_(activity) {}
    using FSWritableFileOwnerWrapper::Append;
    IOStatus Append(const Slice& data, const IOOptions& options,
                    IODebugContext* dbg) override {
      *activity_ = options.io_activity;
      return target()->Append(data, options, dbg);
    }

   private:
    Env::IOActivity* const activity_;
  };
  class Watch : public FileSystemWrapper {
   public:
    using FileSystemWrapper::FileSystemWrapper;
    const char* Name() const override { return "Watch"; }
    IOStatus NewWritableFile(const std::string& name,
                             const FileOptions& options,
                             std::unique_ptr<FSWritableFile>* file,
                             IODebugContext* dbg) override {
      const IOStatus s = target()->NewWritableFile(name, options, file, dbg);
      if (s.ok()) {
        *file = std::make_unique<File>(std::move(*file), &activity);
      }
      return s;
    }
    Env::IOActivity activity = Env::IOActivity::kUnknown;
  };
  Watch watch(FileSystem::Default());
  ASSERT_OK(Example().Write(&watch, dbname_));
  EXPECT_EQ(Env::IOActivity::kDBOpen, watch.activity);
}

}  // namespace ROCKSDB_NAMESPACE

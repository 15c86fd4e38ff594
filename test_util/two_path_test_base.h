//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Base class for tests that open, move or repair a DB whose tables lie in two
// folders, the first of which is the DB's own. HotRAP is off unless a test
// switches it on, so that the paths are stock RocksDB's. Works in both flavours
// of the build.

#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "file/file_util.h"
#include "file/filename.h"
#include "plugin/hotrap/db/paths/path_owner.h"
#include "plugin/hotrap/test_util/open_by.h"
#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {

class TwoPathTestBase : public testing::Test {
 public:
  static constexpr int kNumKeys = 600;

  explicit TwoPathTestBase(const std::string& name)
      : env_(Env::Default()),
        fs_(FileSystem::Default().get()),
        root_(test::PerThreadDBPath(name)) {
    EXPECT_OK(DestroyDir(env_, root_));
    EXPECT_OK(env_->CreateDirIfMissing(root_));
  }
  ~TwoPathTestBase() override {
    Close();
    EXPECT_OK(DestroyDir(env_, root_));
  }

  std::string Folder(const std::string& name) const {
    return root_ + "/" + name;
  }
  std::string Fast() const { return Folder("fast"); }
  std::string Slow() const { return Folder("slow"); }

  Options OptionsFor(const std::vector<std::string>& folders) {
    Options options;
    options.create_if_missing = true;
    options.level_compaction_dynamic_level_bytes = false;
    options.max_bytes_for_level_base = 512 << 10;
    options.disable_auto_compactions = true;
    options.num_levels = 5;
    options.compression = kNoCompression;
    for (const std::string& folder : folders) {
      options.db_paths.emplace_back(folder, 1 << 20);
    }
    if (!folders.empty()) {
      options.db_paths.back().target_size = 1ull << 40;
    }
    return options;
  }
  Options TwoPaths() { return OptionsFor({Fast(), Slow()}); }

  // Of a column family that has paths of its own.
  static ColumnFamilyOptions FamilyOn(const Options& options,
                                      const std::string& fast,
                                      const std::string& slow) {
    ColumnFamilyOptions family(options);
    family.cf_paths = {{fast, 1 << 20}, {slow, 1ull << 40}};
    return family;
  }

  Status Open(const Options& options, const std::string& dbname) {
    Close();
    return OpenBy(&db_,
                  [&](auto* db) { return DB::Open(options, dbname, db); });
  }
  Status OpenWithFamily(const Options& options, const std::string& dbname,
                        const ColumnFamilyOptions& family) {
    Close();
    return OpenBy(&db_, [&](auto* db) {
      return DB::Open(options, dbname,
                      {{kDefaultColumnFamilyName, options}, {"family", family}},
                      &handles_, db);
    });
  }
  Status OpenReadOnly(const Options& options, const std::string& dbname) {
    Close();
    return OpenBy(&db_, [&](auto* db) {
      return DB::OpenForReadOnly(options, dbname, db);
    });
  }
  Status OpenAsSecondary(const Options& options) {
    return OpenAsSecondary(options, Fast());
  }
  Status OpenAsSecondary(const Options& options, const std::string& dbname) {
    Close();
    Options all_open(options);
    all_open.max_open_files = -1;
    return OpenBy(&db_, [&](auto* db) {
      return DB::OpenAsSecondary(all_open, dbname, Folder("secondary"), db);
    });
  }
  void Close() {
    for (ColumnFamilyHandle* handle : handles_) {
      EXPECT_OK(db_->DestroyColumnFamilyHandle(handle));
    }
    handles_.clear();
    if (db_ != nullptr) {
      EXPECT_OK(db_->Close());
    }
    delete db_;
    db_ = nullptr;
  }

  static std::string Key(int i) {
    char buf[32];
    snprintf(buf, sizeof(buf), "key%08d", i);
    return buf;
  }
  static std::string Value(int i) {
    return "value" + std::to_string(i) + std::string(100, 'v');
  }

  // Writes two thirds of the keys to the second path, the others to the first
  // path and the WAL.
  void Fill(ColumnFamilyHandle* cf = nullptr) {
    cf = cf == nullptr ? db_->DefaultColumnFamily() : cf;
    const auto put = [&](int begin, int end) {
      for (int i = begin; i < end; i++) {
        ASSERT_OK(db_->Put(WriteOptions(), cf, Key(i), Value(i)));
      }
    };
    put(0, kNumKeys / 3);
    ASSERT_OK(db_->Flush(FlushOptions(), cf));
    put(kNumKeys / 3, kNumKeys * 2 / 3);
    ASSERT_OK(db_->Flush(FlushOptions(), cf));
    ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(cf, &metadata);
    std::vector<std::string> files;
    for (const auto& file : metadata.levels[0].files) {
      files.push_back(file.name);
    }
    ASSERT_OK(db_->CompactFiles(CompactionOptions(), cf, files, 3,
                                /*output_path_id=*/1));
    put(kNumKeys * 2 / 3, kNumKeys - 10);
    ASSERT_OK(db_->Flush(FlushOptions(), cf));
    put(kNumKeys - 10, kNumKeys);
  }
  // Leaves the keys in tables on the first path.
  void PutAll(ColumnFamilyHandle* cf = nullptr) {
    cf = cf == nullptr ? db_->DefaultColumnFamily() : cf;
    for (int i = 0; i < kNumKeys; i++) {
      ASSERT_OK(db_->Put(WriteOptions(), cf, Key(i), Value(i)));
      if (i % 200 == 199) {
        ASSERT_OK(db_->Flush(FlushOptions(), cf));
      }
    }
  }
  void MakeDB() {
    ASSERT_OK(Open(TwoPaths(), Fast()));
    Fill();
    ASSERT_GT(NumTables(Fast()), 0);
    ASSERT_GT(NumTables(Slow()), 0);
    Close();
  }

  int NumFound(ColumnFamilyHandle* cf = nullptr) {
    cf = cf == nullptr ? db_->DefaultColumnFamily() : cf;
    int found = 0;
    for (int i = 0; i < kNumKeys; i++) {
      std::string value;
      const Status s = db_->Get(ReadOptions(), cf, Key(i), &value);
      EXPECT_TRUE(s.ok() || s.IsNotFound()) << s.ToString();
      found += s.ok() && value == Value(i) ? 1 : 0;
    }
    return found;
  }
  void ExpectWhole(const Options& options, const std::string& dbname) {
    ASSERT_OK(Open(options, dbname));
    EXPECT_EQ(kNumKeys, NumFound());
  }

  static bool Says(const Status& s, const std::string& text) {
    return s.ToString().find(text) != std::string::npos;
  }

  // ---- Files ---------------------------------------------------------------

  std::vector<std::string> Names(const std::string& folder) {
    std::vector<std::string> names;
    EXPECT_OK(fs_->GetChildren(folder, IOOptions(), &names, nullptr));
    return names;
  }
  std::vector<std::string> Tables(const std::string& folder) {
    std::vector<std::string> tables;
    if (!env_->FileExists(folder).ok()) {
      return tables;
    }
    for (const std::string& name : Names(folder)) {
      uint64_t number = 0;
      FileType type = kTempFile;
      if (ParseFileName(name, &number, &type) && type == kTableFile) {
        tables.push_back(name);
      }
    }
    return tables;
  }
  int NumTables(const std::string& folder) {
    return static_cast<int>(Tables(folder).size());
  }
  void Move(const std::string& from, const std::string& to) {
    ASSERT_OK(env_->RenameFile(from, to));
  }
  void MoveTables(const std::string& from, const std::string& to) {
    ASSERT_OK(env_->CreateDirIfMissing(to));
    for (const std::string& name : Tables(from)) {
      Move(from + "/" + name, to + "/" + name);
    }
  }
  void Copy(const std::string& from, const std::string& to) {
    ASSERT_OK(CopyFile(fs_, from, Temperature::kUnknown, to,
                       Temperature::kUnknown, 0, /*use_fsync=*/false,
                       /*io_tracer=*/nullptr));
  }
  void CopyFolder(const std::string& from, const std::string& to) {
    ASSERT_OK(env_->CreateDirIfMissing(to));
    for (const std::string& name : Names(from)) {
      Copy(from + "/" + name, to + "/" + name);
    }
  }
  // Returns the sizes of files by name, which a refused operation must not
  // change. Logs do not count.
  std::map<std::string, uint64_t> Contents(const std::string& folder) {
    std::map<std::string, uint64_t> contents;
    for (const std::string& name : Names(folder)) {
      if (name.compare(0, 3, "LOG") != 0 && name != "LOCK") {
        uint64_t size = 0;
        EXPECT_OK(env_->GetFileSize(folder + "/" + name, &size));
        contents[name] = size;
      }
    }
    return contents;
  }
  // The same of both folders.
  std::vector<std::map<std::string, uint64_t>> AllContents() {
    return {Contents(Fast()), Contents(Slow())};
  }

  // A tool has reserved space for copies of tables, and was interrupted.
  void ReserveCopies(const std::string& from, const std::string& to,
                     size_t more = 0) {
    ASSERT_OK(env_->CreateDirIfMissing(to));
    for (const std::string& name : Tables(from)) {
      std::string content;
      ASSERT_OK(ReadFileToString(env_, from + "/" + name, &content));
      const size_t size = content.size();
      content.resize(size / 2);
      content.resize(size + more, '\0');
      ASSERT_OK(WriteStringToFile(env_, content, to + "/" + name));
    }
  }

  void DamageManifest() { DamageManifest(Fast()); }
  void DamageManifest(const std::string& dbname) {
    for (const std::string& name : Names(dbname)) {
      if (name.compare(0, 8, "MANIFEST") == 0) {
        ASSERT_OK(WriteStringToFile(env_, "damaged", dbname + "/" + name));
      }
    }
  }
  // Opening twice, because opening deletes tables that the repair has missed.
  void ExpectWholeForGood(const Options& options) {
    ExpectWholeForGood(options, Fast());
  }
  void ExpectWholeForGood(const Options& options, const std::string& dbname) {
    for (int i = 0; i < 2; i++) {
      ExpectWhole(options, dbname);
      ASSERT_OK(db_->EnableFileDeletions());
      Close();
    }
  }

  // The disk of the slow folder is not mounted.
  void Unmount() {
    Move(Slow(), Folder("away"));
    ASSERT_OK(env_->CreateDir(Slow()));
  }
  void Mount() {
    ASSERT_OK(DestroyDir(env_, Slow()));
    Move(Folder("away"), Slow());
  }

 protected:
  Env* const env_;
  FileSystem* const fs_;
  const std::string root_;
  DB* db_ = nullptr;
  std::vector<ColumnFamilyHandle*> handles_;
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Base class for tests of hotrap.slow_root and hotrap.fast_root: one DB, whose
// paths the library makes, and the ways to open it. Works in both flavours.

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/test_util/two_path_test_base.h"
#include "rocksdb/convenience.h"
#include "rocksdb/hotrap.h"

namespace ROCKSDB_NAMESPACE {

class RootTestBase : public TwoPathTestBase {
 public:
  explicit RootTestBase(const std::string& name) : TwoPathTestBase(name) {
    EXPECT_OK(env_->CreateDir(Hdd()));
    EXPECT_OK(env_->CreateDir(Nvme()));
  }

  ~RootTestBase() override {
    Close();
    // Unlike DestroyDir(), it does not follow links.
    std::filesystem::remove_all(root_);
  }

  std::string Hdd() const { return Folder("hdd"); }
  std::string Nvme() const { return Folder("nvme"); }
  std::string Db() const { return Folder("db"); }
  // The DB's folder below a root.
  static std::string Below(const std::string& root, const std::string& dbname) {
    return root + std::filesystem::weakly_canonical(dbname).string();
  }
  std::string SlowOfDb() const { return Below(Hdd(), Db()); }

  // Options of one path with a string, as a program in any language gives it.
  Options WithString(const std::string& hotrap) {
    Options options = OptionsFor({});
    ColumnFamilyOptions family;
    EXPECT_OK(GetColumnFamilyOptionsFromString(ConfigOptions(), options,
                                               "hotrap=" + hotrap, &family));
    return Options(options, family);
  }
  Options Plain() { return OptionsFor({}); }
  Options SlowRoot() {
    return WithString("{enabled=true;slow_root=" + Hdd() +
                      ";fast_budget_bytes=1M;}");
  }
  Options FastRoot() {
    return WithString("{enabled=true;fast_root=" + Nvme() +
                      ";fast_budget_bytes=1M;}");
  }

  // Makes a DB with tables on both of its paths, and in the WAL.
  void MakeDB(const Options& options) {
    ASSERT_OK(Open(options, Db()));
    Fill();
    Close();
  }

  static std::vector<std::string> PathsOf(DB* db,
                                          ColumnFamilyHandle* cf = nullptr) {
    cf = cf == nullptr ? db->DefaultColumnFamily() : cf;
    std::vector<std::string> folders;
    for (const DbPath& path : db->GetOptions(cf).cf_paths) {
      folders.push_back(path.path);
    }
    return folders;
  }
  using Folders = std::vector<std::string>;

  std::string Stat(const std::string& name, ColumnFamilyHandle* cf = nullptr) {
    std::map<std::string, std::string> stats;
    EXPECT_TRUE(
        db_->GetMapProperty(cf == nullptr ? db_->DefaultColumnFamily() : cf,
                            kHotRapStatsProperty, &stats));
    return stats[name];
  }

  bool Exists(const std::string& file) { return env_->FileExists(file).ok(); }
  bool HasPathsFile() { return Exists(PathsFile::FileName(Db())); }

  // The open DB is whole, and stays so after compactions and a restart.
  void ExpectUsable(const Options& options) {
    EXPECT_EQ(kNumKeys, NumFound());
    ASSERT_OK(db_->Put(WriteOptions(), "later", "value"));
    ASSERT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
    EXPECT_EQ(kNumKeys, NumFound());
    ExpectWhole(options, Db());
  }

  void ExpectRefused(const Options& options,
                     const std::vector<std::string>& words) {
    const Status s = Open(options, Db());
    EXPECT_NOK(s);
    for (const std::string& word : words) {
      EXPECT_TRUE(Says(s, word)) << word << " is not in " << s.ToString();
    }
  }
};

}  // namespace ROCKSDB_NAMESPACE

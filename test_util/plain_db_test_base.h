//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Base class for tests with a DB in a folder of its own. RocksDB's DBTestBase
// does not compile with NDEBUG; this one does, and uses the same names.

#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "file/file_util.h"
#include "plugin/hotrap/test_util/open_by.h"
#include "rocksdb/db.h"
#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {

class PlainDBTestBase : public testing::Test {
 public:
  explicit PlainDBTestBase(const std::string& name)
      : env_(Env::Default()), dbname_(test::PerThreadDBPath(name)) {
    EXPECT_OK(DestroyDir(env_, dbname_));
    last_options_.create_if_missing = true;
  }
  ~PlainDBTestBase() override {
    Close();
    EXPECT_OK(DestroyDir(env_, dbname_));
  }

  // ---- The DB --------------------------------------------------------------

  Status TryReopen(const Options& options) {
    Close();
    last_options_ = options;
    last_options_.create_if_missing = true;
    return OpenBy(
        &db_, [&](auto* db) { return DB::Open(last_options_, dbname_, db); });
  }
  void Reopen(const Options& options) { ASSERT_OK(TryReopen(options)); }
  void DestroyAndReopen(const Options& options) {
    Destroy(last_options_);
    Reopen(options);
  }
  Status ReadOnlyReopen(const Options& options) {
    Close();
    last_options_ = options;
    return OpenBy(&db_, [&](auto* db) {
      return DB::OpenForReadOnly(options, dbname_, db);
    });
  }
  void Destroy(const Options& options) {
    Close();
    ASSERT_OK(DestroyDB(dbname_, options));
  }
  void Close() {
    for (ColumnFamilyHandle* handle : handles_) {
      EXPECT_OK(db_->DestroyColumnFamilyHandle(handle));
    }
    handles_.clear();
    delete db_;
    db_ = nullptr;
  }

  // Appends the new handles to handles_.
  void CreateColumnFamilies(const std::vector<std::string>& names,
                            const Options& options) {
    std::vector<ColumnFamilyHandle*> handles;
    ASSERT_OK(db_->CreateColumnFamilies(options, names, &handles));
    handles_.insert(handles_.end(), handles.begin(), handles.end());
  }
  // Sets handles_ in the order of `names`.
  void ReopenWithColumnFamilies(const std::vector<std::string>& names,
                                const Options& options) {
    Close();
    last_options_ = options;
    std::vector<ColumnFamilyDescriptor> descriptors;
    for (const auto& name : names) {
      descriptors.emplace_back(name, options);
    }
    ASSERT_OK(OpenBy(&db_, [&](auto* db) {
      return DB::Open(options, dbname_, descriptors, &handles_, db);
    }));
  }

  // ---- The default column family -------------------------------------------

  Status Put(const Slice& key, const Slice& value) {
    return db_->Put(WriteOptions(), key, value);
  }
  Status Delete(const Slice& key) { return db_->Delete(WriteOptions(), key); }
  Status SingleDelete(const Slice& key) {
    return db_->SingleDelete(WriteOptions(), key);
  }
  Status Flush() { return db_->Flush(FlushOptions()); }

  std::string Get(const Slice& key, const Snapshot* snapshot = nullptr) {
    ReadOptions options;
    options.snapshot = snapshot;
    std::string value;
    const Status s = db_->Get(options, key, &value);
    return ToText(s, value);
  }
  std::vector<std::string> MultiGet(const std::vector<std::string>& keys,
                                    const Snapshot* snapshot = nullptr,
                                    bool async_io = false) {
    ReadOptions options;
    options.snapshot = snapshot;
    options.async_io = async_io;
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<PinnableSlice> values(keys.size());
    std::vector<Status> statuses(keys.size());
    db_->MultiGet(options, db_->DefaultColumnFamily(), keys.size(),
                  slices.data(), values.data(), statuses.data());
    std::vector<std::string> texts;
    for (size_t i = 0; i < keys.size(); i++) {
      texts.push_back(ToText(statuses[i], values[i].ToString()));
    }
    return texts;
  }

 protected:
  Env* const env_;
  const std::string dbname_;
  DB* db_ = nullptr;
  std::vector<ColumnFamilyHandle*> handles_;

 private:
  static std::string ToText(const Status& s, const std::string& value) {
    if (s.IsNotFound()) {
      return "NOT_FOUND";
    }
    return s.ok() ? value : s.ToString();
  }

  Options last_options_;
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/tier/hotrap_warnings.h"

#include <unistd.h>

#include <cstdarg>
#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/test_util/hotrap_db_test_base.h"
#include "port/port.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

// Collects the warnings.
class CollectingLogger : public Logger {
 public:
  using Logger::Logv;
  void Logv(const char* format, va_list ap) override {
    char text[1024];
    vsnprintf(text, sizeof(text), format, ap);
    if (std::string(text).find("[WARN]") != std::string::npos) {
      MutexLock lock(&mutex_);
      warnings_.emplace_back(text);
    }
  }
  int Count(const std::string& part) const {
    MutexLock lock(&mutex_);
    int count = 0;
    for (const auto& warning : warnings_) {
      count += warning.find(part) != std::string::npos ? 1 : 0;
    }
    return count;
  }

 private:
  mutable port::Mutex mutex_;
  std::vector<std::string> warnings_;
};

class HotRapWarningsTest : public HotRapDBTestBase {
 public:
  HotRapWarningsTest() : HotRapDBTestBase("hotrap_warnings_test") {}
  ~HotRapWarningsTest() override { Close(); }

  // Options without warnings.
  Options GoodOptions() {
    Options options = HotRapOptionsForTest();
    log_ = std::make_shared<CollectingLogger>();
    options.info_log = log_;
    // Not one that is shared.
    options.hotrap.fast_budget_bytes = options.db_paths[0].target_size;
    return options;
  }

  // The same, with a budget that holds what its levels need.
  Options RoomyOptions() {
    Options options = GoodOptions();
    options.write_buffer_size = 64 << 10;
    options.target_file_size_base = 512 << 10;
    options.db_paths[0].target_size = 12 << 20;
    options.hotrap.fast_budget_bytes = options.db_paths[0].target_size;
    return options;
  }

  // Returns the number of HotRAP's warnings that contain `part`, once RALT is
  // open.
  int Warnings(const std::string& part) {
    WaitForRalt();
    for (ColumnFamilyHandle* handle : handles_) {
      if (Tier(handle) != nullptr) {
        WaitForRalt(handle);
      }
    }
    return log_->Count("HotRAP: ") == 0 ? 0 : log_->Count(part);
  }

  static constexpr char kSum[] = "add up to";
  static constexpr char kBlobs[] = "blob files";

  std::shared_ptr<CollectingLogger> log_;
};

TEST_F(HotRapWarningsTest, NoneWhereAllIsWell) {
  DestroyAndReopen(RoomyOptions());
  EXPECT_EQ(0, Warnings("HotRAP"));
}

TEST_F(HotRapWarningsTest, ABudgetThatIsTooSmallToWork) {
  Options options = RoomyOptions();
  options.write_buffer_size = 2 << 20;
  DestroyAndReopen(options);
  EXPECT_EQ(1, Warnings("counts as"));
  EXPECT_EQ(1, Warnings(std::to_string(options.db_paths[0].target_size)));
}

TEST_F(HotRapWarningsTest, BudgetsThatAddUpToMoreThanThePathHas) {
  Options options = GoodOptions();
  DestroyAndReopen(options);
  EXPECT_EQ(0, Warnings(kSum));
  CreateColumnFamilies({"other"}, options);
  EXPECT_EQ(1, Warnings(kSum));
  EXPECT_EQ(1, Warnings("2 column families"));
  // When the DB is opened, each knows the other.
  options = GoodOptions();
  ReopenWithColumnFamilies({"default", "other"}, options);
  EXPECT_EQ(2, Warnings(kSum));
}

TEST_F(HotRapWarningsTest, BudgetsThatFit) {
  Options options = GoodOptions();
  options.db_paths[0].target_size *= 2;
  options.hotrap.fast_budget_bytes = options.db_paths[0].target_size / 2;
  DestroyAndReopen(options);
  CreateColumnFamilies({"other"}, options);
  EXPECT_EQ(0, Warnings(kSum));
  // A third one is too much, unless it has a path of its own.
  ColumnFamilyOptions elsewhere = options;
  elsewhere.cf_paths = {{dbname_ + "/fast2", options.db_paths[0].target_size},
                        {SlowPath(), uint64_t{1} << 40}};
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(elsewhere, "elsewhere", &handle));
  handles_.push_back(handle);
  EXPECT_EQ(0, Warnings(kSum));
  CreateColumnFamilies({"third"}, options);
  EXPECT_EQ(1, Warnings(kSum));
}

// Without budgets of their own they share it.
TEST_F(HotRapWarningsTest, NoBudgetsToAddUp) {
  Options options = GoodOptions();
  options.hotrap.fast_budget_bytes = 0;
  DestroyAndReopen(options);
  CreateColumnFamilies({"other", "another"}, options);
  EXPECT_EQ(0, Warnings(kSum));
}

// One folder has several names.
TEST_F(HotRapWarningsTest, BudgetsOnAPathInSeveralSpellings) {
  const std::string link = dbname_ + "_link";
  unlink(link.c_str());
  ASSERT_EQ(0, symlink(dbname_.c_str(), link.c_str()));
  Options options = GoodOptions();
  DestroyAndReopen(options);
  ColumnFamilyOptions other = options;
  int warnings = 0;
  for (const std::string& fast :
       {dbname_ + "/fast/", dbname_ + "/./fast", link + "/fast"}) {
    other.cf_paths = {{fast, options.db_paths[0].target_size},
                      {SlowPath(), uint64_t{1} << 40}};
    ColumnFamilyHandle* handle = nullptr;
    ASSERT_OK(db_->CreateColumnFamily(other, "cf" + std::to_string(warnings),
                                      &handle));
    handles_.push_back(handle);
    EXPECT_EQ(++warnings, Warnings(kSum)) << fast;
  }
  EXPECT_EQ(1, Warnings("4 column families"));
  Close();
  EXPECT_EQ(0, unlink(link.c_str()));
}

// A column family with HotRAP off takes no budget.
TEST_F(HotRapWarningsTest, BudgetsOfThoseThatAreActive) {
  Options options = GoodOptions();
  DestroyAndReopen(options);
  options.hotrap.enabled = false;
  CreateColumnFamilies({"off"}, options);
  EXPECT_EQ(0, Warnings(kSum));
  ASSERT_OK(db_->SetOptions(
      handles_[0],
      {{"hotrap", "{enabled=true;fast_budget_bytes=" +
                      std::to_string(options.db_paths[0].target_size) +
                      ";}"}}));
  EXPECT_EQ(1, Warnings(kSum));
}

TEST_F(HotRapWarningsTest, BlobFilesOnTheFastPath) {
  Options options = GoodOptions();
  options.enable_blob_files = true;
  DestroyAndReopen(options);
  EXPECT_EQ(1, Warnings(kBlobs));
  ASSERT_OK(Put("a", "b"));
  ASSERT_OK(Flush());
  // Blob files remain when the option is off.
  options = GoodOptions();
  Reopen(options);
  EXPECT_EQ(1, Warnings(kBlobs));
}

}  // namespace ROCKSDB_NAMESPACE

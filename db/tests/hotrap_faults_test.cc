//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests with a disk that fails for a while: the fast one, the slow one, or
// RALT's part of the fast one. Answers are right or clear errors, acknowledged
// writes stay, and if only RALT's files fail, nobody but HotRAP notices.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "plugin/hotrap/test_util/hotrap_db_test_base.h"
#include "plugin/hotrap/test_util/path_faults.h"

namespace ROCKSDB_NAMESPACE {

namespace {

enum class Where { kFast, kSlow, kRalt };

PathFaults::Fault FaultOf(const std::string& name) {
  PathFaults::Fault fault;
  if (name == "WriteError") {
    fault.write = IOStatus::IOError("the disk fails");
  } else if (name == "NoSpace") {
    fault.write = IOStatus::NoSpace("the disk is full");
  } else if (name == "ReadError") {
    fault.read = IOStatus::IOError("the disk fails");
  } else if (name == "ReadOnly") {
    fault.create = IOStatus::IOError("the folder is read-only");
    fault.change = fault.create;
  } else if (name == "FolderNotSynced") {
    fault.sync_folder = IOStatus::IOError("the disk fails");
  } else {
    fault.delay = std::chrono::milliseconds(1);
  }
  return fault;
}

}  // namespace

class HotRapFaultsTest
    : public HotRapDBTestBase,
      public testing::WithParamInterface<std::tuple<Where, const char*>> {
 public:
  static constexpr int kKeys = 2000;
  static constexpr int kHotKeys = 100;
  static constexpr int kOperations = 4000;
  // In this case the folder itself is missing for a while.
  static constexpr char kMissing[] = "Missing";

  HotRapFaultsTest()
      : HotRapDBTestBase("hotrap_faults_test"),
        faults_(std::make_shared<PathFaults>(env_->GetFileSystem())),
        faults_env_(NewCompositeEnv(faults_)),
        rnd_(301) {}
  ~HotRapFaultsTest() override { Close(); }

  Where where() const { return std::get<0>(GetParam()); }
  std::string kind() const { return std::get<1>(GetParam()); }

  std::string Folder() const {
    return where() == Where::kSlow   ? SlowPath()
           : where() == Where::kFast ? FastPath()
                                     : FastPath() + "/hotrap.ralt.0";
  }
  std::string FolderElsewhere() const { return dbname_ + "/elsewhere"; }

  void BeginFault() {
    if (kind() == kMissing) {
      ASSERT_OK(env_->RenameFile(Folder(), FolderElsewhere()));
      return;
    }
    PathFaults::Fault fault = FaultOf(kind());
    fault.hits = [this](const std::string& name) { return Hits(name); };
    faults_->Begin(fault);
  }
  void EndFault() {
    if (kind() != kMissing) {
      faults_->End();
    } else if (where() == Where::kRalt && env_->FileExists(Folder()).ok()) {
      // RALT has created another folder.
      ASSERT_OK(DestroyDir(env_, FolderElsewhere()));
    } else {
      // Opening the DB created an empty folder.
      DestroyDir(env_, Folder()).PermitUncheckedError();
      ASSERT_OK(env_->RenameFile(FolderElsewhere(), Folder()));
    }
  }

  bool Hits(const std::string& name) const {
    const bool ralt = name.find("hotrap.ralt.") != std::string::npos;
    switch (where()) {
      case Where::kRalt:
        return ralt;
      case Where::kFast:
        return !ralt && Slice(name).starts_with(FastPath());
      default:
        return Slice(name).starts_with(SlowPath());
    }
  }

  void Write(const std::string& key, const std::string& value) {
    const Status s = value.empty() ? Delete(key) : Put(key, value);
    if (s.ok()) {
      model_[key] = {value};
    } else {
      // It is unknown whether the value was written.
      errors_++;
      model_[key].insert(value);
    }
  }

  void CheckAnswer(const std::string& key, const Status& s,
                   const std::string& value) {
    if (!s.ok() && !s.IsNotFound()) {
      errors_++;
      return;
    }
    EXPECT_EQ(1u, model_[key].count(s.ok() ? value : ""))
        << key << ": " << (s.ok() ? value.substr(0, 20) : s.ToString());
  }

  void CheckKey(const std::string& key) {
    std::string value;
    const Status s = db_->Get(ReadOptions(), key, &value);
    CheckAnswer(key, s, value);
  }

  void CheckKeys(const std::vector<std::string>& keys) {
    std::vector<std::string> values;
    const std::vector<Status> statuses =
        db_->MultiGet(ReadOptions(),
                      std::vector<ColumnFamilyHandle*>(
                          keys.size(), db_->DefaultColumnFamily()),
                      std::vector<Slice>(keys.begin(), keys.end()), &values);
    for (size_t i = 0; i < keys.size(); i++) {
      CheckAnswer(keys[i], statuses[i], values[i]);
    }
  }

  // Scans some keys from `from` on. What an iterator returns is right up to its
  // end or to an error.
  void CheckScan(const std::string& from) {
    constexpr int kLength = 20;
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    auto expected = model_.lower_bound(from);
    it->Seek(from);
    for (int i = 0; i < kLength && it->Valid(); i++, it->Next()) {
      const std::string key = it->key().ToString();
      for (; expected != model_.end() && expected->first < key; ++expected) {
        EXPECT_EQ(1u, expected->second.count("")) << expected->first;
      }
      ASSERT_TRUE(expected != model_.end() && expected->first == key) << key;
      EXPECT_EQ(1u, expected->second.count(it->value().ToString())) << key;
      ++expected;
    }
    errors_ += it->status().ok() ? 0 : 1;
  }

  void Work() {
    for (int i = 0; i < kOperations; i++) {
      const std::string key = Key(rnd_.Uniform(kKeys));
      switch (rnd_.Uniform(10)) {
        case 0:
        case 1:
          Write(key, std::to_string(i) + rnd_.RandomString(200));
          break;
        case 2:
          Write(key, "");
          break;
        case 3:
          CheckKey(key);
          break;
        case 4:
          CheckKeys({key, Key(rnd_.Uniform(kHotKeys)), Key(rnd_.Uniform(kKeys)),
                     Key(rnd_.Uniform(kHotKeys))});
          break;
        case 5:
          CheckScan(key);
          break;
        default:
          CheckKey(Key(rnd_.Uniform(kHotKeys)));
      }
    }
  }

  // Checks all keys; no operation may fail.
  void CheckAll() {
    errors_ = 0;
    for (int i = 0; i < kKeys; i++) {
      CheckKey(Key(i));
    }
    EXPECT_EQ(0, errors_);
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    std::map<std::string, std::string> found;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      EXPECT_TRUE(
          found.emplace(it->key().ToString(), it->value().ToString()).second);
    }
    EXPECT_OK(it->status());
    for (const auto& [key, values] : model_) {
      const auto entry = found.find(key);
      EXPECT_EQ(1u, values.count(entry == found.end() ? "" : entry->second))
          << key;
    }
  }

  // As in stock RocksDB, the user must resume after a hard error. Recent
  // failures may be reported late.
  void GoOn(const Options& options) {
    for (int round = 0; round < 10; round++) {
      if (db_->WaitForCompact(WaitForCompactOptions()).ok()) {
        return;
      }
      std::string flush_pending;
      ASSERT_TRUE(db_->GetProperty(DB::Properties::kMemTableFlushPending,
                                   &flush_pending));
      if (flush_pending != "0") {
        // RocksDB may have lost the error, and writes would wait for a resume
        // (docs/reliability.md).
        break;
      }
      db_->Resume().PermitUncheckedError();
    }
    Reopen(options);
  }

  // Loads until HotRAP moves records.
  void Load(const Options& options) {
    DestroyAndReopen(options);
    WaitForRalt();
    for (int i = 0; i < kKeys; i++) {
      Write(Key(i), rnd_.RandomString(200));
    }
    ASSERT_OK(Flush());
    ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
    CompactToSlowTier();
    for (int round = 0; Moved() == 0; round++) {
      ASSERT_LT(round, 100) << "HotRAP moves nothing";
      Work();
      ASSERT_EQ(0, errors_);
    }
  }

  uint64_t Moved() {
    return Property("promoted_records") +
           Property("compaction_promoted_records") +
           Property("retained_records");
  }

  uint64_t Property(const std::string& name) {
    std::map<std::string, std::string> values;
    EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &values));
    return std::stoull(values[name]);
  }

 protected:
  const std::shared_ptr<PathFaults> faults_;
  const std::unique_ptr<Env> faults_env_;
  Random rnd_;
  // The values that a key may have; "" means that it may be missing.
  std::map<std::string, std::set<std::string>> model_;
  int errors_ = 0;
};

TEST_P(HotRapFaultsTest, AnswersStayRight) {
  const Options options = TinyTiersOptions(faults_env_.get());
  ASSERT_NO_FATAL_FAILURE(Load(options));
  ASSERT_NO_FATAL_FAILURE(BeginFault());
  Work();
  const bool paused = Property("ralt_paused") != 0;
  ASSERT_NO_FATAL_FAILURE(EndFault());
  if (where() == Where::kRalt) {
    EXPECT_EQ(0, errors_) << "RALT is none of the user's business";
    if (kind() == kMissing) {
      EXPECT_GE(Property("ralt_resets"), 1u) << "it makes a folder at once";
    } else if (kind() != "Slow" && kind() != "FolderNotSynced") {
      EXPECT_TRUE(paused);
    }
  }

  ASSERT_NO_FATAL_FAILURE(GoOn(options));
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  Work();
  EXPECT_EQ(0, errors_);
  ASSERT_OK(Flush());
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  Reopen(options);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  WaitForRalt();
  Work();
  EXPECT_EQ(0, errors_);
  EXPECT_EQ(1u, Property("active"));
  EXPECT_EQ(0u, Property("ralt_paused"));
}

// The fault exists when the DB is opened. The DB opens or returns a clear
// error; if only RALT's folder is affected, it opens.
TEST_P(HotRapFaultsTest, OpensOrSaysWhyNot) {
  const Options options = TinyTiersOptions(faults_env_.get());
  ASSERT_NO_FATAL_FAILURE(Load(options));
  Close();
  ASSERT_NO_FATAL_FAILURE(BeginFault());
  const Status s = TryReopen(options);
  if (where() == Where::kRalt) {
    ASSERT_OK(s);
  }
  if (s.ok()) {
    Work();
    Close();
  } else {
    EXPECT_TRUE(s.IsIOError() || s.IsNoSpace() || s.IsCorruption())
        << s.ToString();
    EXPECT_NE("", std::string(s.getState() == nullptr ? "" : s.getState()));
  }
  if (where() == Where::kRalt) {
    EXPECT_EQ(0, errors_) << "RALT is none of the user's business";
  }
  ASSERT_NO_FATAL_FAILURE(EndFault());
  Reopen(options);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  WaitForRalt();
  Work();
  EXPECT_EQ(0, errors_);
  EXPECT_EQ(0u, Property("ralt_paused"));
}

INSTANTIATE_TEST_CASE_P(
    Faults, HotRapFaultsTest,
    testing::Combine(testing::Values(Where::kFast, Where::kSlow, Where::kRalt),
                     testing::Values("WriteError", "NoSpace", "ReadError",
                                     "ReadOnly", "Missing", "FolderNotSynced",
                                     "Slow")),
    [](const auto& param) {
      const Where where = std::get<0>(param.param);
      return std::string(where == Where::kFast   ? "Fast"
                         : where == Where::kSlow ? "Slow"
                                                 : "Ralt") +
             std::get<1>(param.param);
    });

}  // namespace ROCKSDB_NAMESPACE

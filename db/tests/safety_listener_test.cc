//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// A listener of a compaction that promotes may change the slow tier at once, on
// the compaction's thread. If the change waited for the compaction, these tests
// would hang.

#include <atomic>
#include <memory>

#include "plugin/hotrap/test_util/hotrap_pathway_test_base.h"
#include "rocksdb/convenience.h"
#include "rocksdb/experimental.h"
#include "rocksdb/listener.h"

namespace ROCKSDB_NAMESPACE {

namespace {

enum class When { kItBegins, kTableIsThere, kItHasEnded, kErrorIsThere };

class Listener : public EventListener {
 public:
  explicit Listener(When when) : when_(when) {}

  void OnSubcompactionBegin(const SubcompactionJobInfo& /*info*/) override {
    Delete(When::kItBegins);
  }
  void OnTableFileCreated(const TableFileCreationInfo& info) override {
    if (info.reason == TableFileCreationReason::kCompaction) {
      Delete(When::kTableIsThere);
    }
  }
  void OnCompactionCompleted(DB* /*db*/,
                             const CompactionJobInfo& info) override {
    if (armed) {
      compaction_status = info.status;
    }
    Delete(When::kItHasEnded);
  }
  void OnBackgroundError(BackgroundErrorReason /*reason*/,
                         Status* /*error*/) override {
    Delete(When::kErrorIsThere);
  }

  // Set before arming.
  DB* db = nullptr;
  std::atomic<bool> armed{false};
  // Results of the compaction and of the deletion.
  Status compaction_status;
  Status status = Status::Incomplete();

 private:
  void Delete(When when) {
    if (when == when_ && armed.exchange(false)) {
      const Slice begin = "user";
      const Slice end = "user";
      status = DeleteFilesInRange(db, db->DefaultColumnFamily(), &begin, &end);
    }
  }

  const When when_;
};

}  // namespace

class SafetyListenerTest : public HotRapPathwayTestBase {
 public:
  SafetyListenerTest() : HotRapPathwayTestBase("safety_listener_test") {}

  // Runs an automatic compaction that promotes, and fails with `error`.
  void Run(When when, const IOStatus& error) {
    listener_ = std::make_shared<Listener>(when);
    Options options = CrossingOptions();
    options.disable_auto_compactions = false;
    options.listeners.push_back(listener_);
    DestroyAndReopen(options);
    ASSERT_NO_FATAL_FAILURE(LoadToOverlap());
    ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
    listener_->db = db_;
    {
      FileGate table(fs_.get(), FileOp::kCreate, kFastTable);
      listener_->armed = when == When::kItBegins;
      ASSERT_OK(experimental::SuggestCompactRange(db_, nullptr, nullptr));
      ASSERT_TRUE(table.WaitCaught());
      listener_->armed = when != When::kItBegins;
      table.Fail(error);
    }
    while (listener_->armed) {
      env_->SleepForMicroseconds(1000);
    }
    if (!error.ok()) {
      // The listener hears of an error before it is in force.
      uint64_t errors = 0;
      while (errors == 0) {
        env_->SleepForMicroseconds(1000);
        ASSERT_TRUE(
            db_->GetIntProperty(DB::Properties::kBackgroundErrors, &errors));
      }
      ASSERT_OK(db_->Resume());
      // It does nothing where RocksDB recovers by itself, as from a full disk.
      while (db_->WaitForCompact(WaitForCompactOptions()).IsNoSpace()) {
        env_->SleepForMicroseconds(1000);
      }
    }
    WaitForRest();
    ASSERT_OK(listener_->status);
    ExpectCovered();
  }

 protected:
  std::shared_ptr<Listener> listener_;
};

TEST_P(SafetyListenerTest, DeleteFilesBeforeItRuns) {
  Run(When::kItBegins, IOStatus::OK());
  EXPECT_GT(Counter(HotRapCounter::kCompactionPromotedRecords), 0);
}

TEST_P(SafetyListenerTest, DeleteFilesWhenItIsDone) {
  Run(When::kItHasEnded, IOStatus::OK());
  ASSERT_OK(listener_->compaction_status);
  EXPECT_GT(Counter(HotRapCounter::kCompactionPromotedRecords), 0);
}

TEST_P(SafetyListenerTest, DeleteFilesWhileItRuns) {
  Run(When::kTableIsThere, IOStatus::OK());
  EXPECT_GT(Counter(HotRapCounter::kCompactionPromotedRecords), 0);
}

TEST_P(SafetyListenerTest, DeleteFilesWhenItHasFailed) {
  Run(When::kItHasEnded, IOStatus::NoSpace("gate"));
  EXPECT_TRUE(listener_->compaction_status.IsNoSpace());
}

TEST_P(SafetyListenerTest, DeleteFilesAtItsError) {
  Run(When::kErrorIsThere, IOStatus::NoSpace("gate"));
  EXPECT_TRUE(listener_->compaction_status.IsNoSpace());
}

INSTANTIATE_PATHWAYS(SafetyListenerTest);

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests that nobody waits for the relocation of a table: it would take minutes,
// and gives the table back to a compaction that needs it.

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "env/composite_env_wrapper.h"
#include "plugin/hotrap/test_util/gated_file_system.h"
#include "plugin/hotrap/test_util/hotrap_relocation_test_base.h"

namespace ROCKSDB_NAMESPACE {

class HotRapRelocationWaitsTest : public HotRapRelocationTestBase {
 public:
  HotRapRelocationWaitsTest()
      : HotRapRelocationTestBase("hotrap_relocation_waits_test") {}
  ~HotRapRelocationWaitsTest() override { Close(); }

  // Loads one large table into L1 or L2 with the slow path alone, and starts to
  // move it, at 20 bytes per second.
  void BeginToMoveOneTable(int level, Env* env = Env::Default()) {
    Options options = RelocationOptions();
    options.env = env;
    options.hotrap.relocation_bytes_per_sec = 20;
    options.db_paths[0].target_size = kLargeBudget;
    Options before = options;
    before.hotrap.enabled = false;
    before.db_paths = {{SlowPath(), 1ull << 40}};
    before.disable_auto_compactions = true;
    DestroyAndReopen(before);
    for (int i = 0; i < 200; i++) {
      ASSERT_OK(Put(Key(i * 10), ValueOf(i * 10)));
    }
    ASSERT_OK(Flush());
    ASSERT_OK(db_->CompactFiles(CompactionOptions(), db_->DefaultColumnFamily(),
                                AllFiles(db_, db_->DefaultColumnFamily()),
                                level));
    Reopen(options);
    ASSERT_EQ(1, NumTableFilesAtLevel(level));
    ASSERT_GT(Stat("first_slow_level"), level);
    WaitForACopy();
  }
  // Flushes as many tables into L0 as start a compaction, and expects it to run
  // although a table that it needs is being moved.
  void ExpectL0IsCompacted() {
    const int trigger = db_->GetOptions().level0_file_num_compaction_trigger;
    for (int i = 0; i < trigger; i++) {
      ASSERT_OK(Put(Key(0), ValueOf(0)));
      ASSERT_OK(Put(Key(kKeys - 1), ValueOf(kKeys - 1)));
      ASSERT_OK(Flush());
    }
    EXPECT_TRUE(Soon([&] { return NumTableFilesAtLevel(0) < trigger; }));
    GoOnFast();
  }
  bool Soon(const std::function<bool()>& condition) {
    for (int i = 0; i < 15000 && !condition(); i++) {
      env_->SleepForMicroseconds(1000);
    }
    return condition();
  }
};

TEST_F(HotRapRelocationWaitsTest, ATableOfL0IsCompactedBesideIt) {
  ASSERT_NO_FATAL_FAILURE(BeginToMoveL0());
  ASSERT_NO_FATAL_FAILURE(ExpectL0IsCompacted());
}

TEST_F(HotRapRelocationWaitsTest, ATableOfL1IsCompactedBesideIt) {
  ASSERT_NO_FATAL_FAILURE(BeginToMoveOneTable(1));
  ASSERT_NO_FATAL_FAILURE(ExpectL0IsCompacted());
}

// Compactions may wait for the table, so whoever waits for the end must not be
// told of it before.
TEST_F(HotRapRelocationWaitsTest, BytesAreLeftUntilTheVersionIsInForce) {
  const auto fs = std::make_shared<GatedFileSystem>(env_->GetFileSystem());
  const std::unique_ptr<Env> gated_env =
      std::make_unique<CompositeEnvWrapper>(env_, fs);
  ASSERT_NO_FATAL_FAILURE(BeginToMoveOneTable(2, gated_env.get()));
  FileGate install(fs.get(), FileOp::kAppend, "MANIFEST");
  ASSERT_OK(Set("relocation_bytes_per_sec=1000000000;"));
  install.WaitCaught();
  EXPECT_EQ(0, Stat("relocation_tables_moved"));
  EXPECT_LT(0, Stat("relocation_bytes_left"));
  install.Open();
  EXPECT_TRUE(Soon([&] { return Stat("relocation_bytes_left") == 0; }));
  EXPECT_EQ(1, Stat("relocation_tables_moved"));
  Close();
}

TEST_F(HotRapRelocationWaitsTest, ARangeIsCompactedBesideIt) {
  ASSERT_NO_FATAL_FAILURE(BeginToMoveOneTable(2));
  std::atomic<bool> done{false};
  std::thread compaction([&] {
    CompactRangeOptions options;
    options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    EXPECT_OK(db_->CompactRange(options, nullptr, nullptr));
    done = true;
  });
  EXPECT_TRUE(Soon([&] { return done.load(); }));
  GoOnFast();
  compaction.join();
  ExpectNoOrphans();
}

// Writes are slowed down until a compaction has run that needs the table.
TEST_F(HotRapRelocationWaitsTest, WritesAreNotHeldUpByIt) {
  ASSERT_NO_FATAL_FAILURE(BeginToMoveOneTable(2));
  const auto pending_bytes = [&] {
    uint64_t bytes = 0;
    EXPECT_TRUE(db_->GetIntProperty(
        DB::Properties::kEstimatePendingCompactionBytes, &bytes));
    return bytes;
  };
  // Fills L1 beyond its target; each of its tables overlaps the one in L2. No
  // write waits for a flush, since Flush() does.
  const std::string value(1000, 'v');
  for (int i = 0; i < kKeys; i++) {
    ASSERT_OK(Put(Key(i), value));
    if (i % 200 == 199) {
      ASSERT_OK(Flush());
    }
  }
  const int trigger = db_->GetOptions().level0_file_num_compaction_trigger;
  ASSERT_TRUE(Soon([&] { return NumTableFilesAtLevel(0) < trigger; }));
  ASSERT_GT(pending_bytes(), 0);
  ASSERT_TRUE(CopyIsThere());
  ASSERT_OK(db_->SetOptions({{"soft_pending_compaction_bytes_limit", "1"}}));
  EXPECT_TRUE(Soon([&] { return pending_bytes() == 0; }));
  GoOnFast();
}

}  // namespace ROCKSDB_NAMESPACE

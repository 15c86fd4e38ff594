//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Base class for tests of checkpoints and backups: a DB over two paths, of
// which a copy is made, and what is the same in both. Works in both flavours.

#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "plugin/hotrap/db/state/ralt_folders.h"
#include "plugin/hotrap/db/state/tier_state.h"
#include "plugin/hotrap/test_util/root_test_base.h"
#include "rocksdb/utilities/checkpoint.h"

namespace ROCKSDB_NAMESPACE {

class CopiedDBTestBase : public RootTestBase {
 public:
  static constexpr int kNumHot = 100;

  using RootTestBase::RootTestBase;

  std::string Copy() const { return Folder("copy"); }
  std::string SlowOfCopy() const { return Below(Hdd(), Copy()); }

  static Status TakeCheckpoint(DB* db, const std::string& folder,
                               uint64_t log_size_for_flush = 0) {
    Checkpoint* made = nullptr;
    Status s = Checkpoint::Create(db, &made);
    const std::unique_ptr<Checkpoint> checkpoint(made);
    return s.ok() ? checkpoint->CreateCheckpoint(folder, log_size_for_flush)
                  : s;
  }
  Status TakeCheckpoint() { return TakeCheckpoint(db_, Copy()); }

  static TierState* Tier(DB* db) {
    return static_cast<ColumnFamilyHandleImpl*>(db->DefaultColumnFamily())
        ->cfd()
        ->hotrap.state();
  }
  Ralt* OpenRalt() {
    while (Tier(db_)->ralt() == nullptr) {
      env_->SleepForMicroseconds(1000);
    }
    return Tier(db_)->ralt();
  }
  // Makes every third key hot, without reads.
  void MakeHot() {
    Ralt* const ralt = OpenRalt();
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < kNumHot; i++) {
        ralt->RecordAccess(Key(3 * i), Value(3 * i).size());
      }
      ASSERT_OK(ralt->Flush());
    }
  }
  int NumHot() {
    Ralt* const ralt = OpenRalt();
    EXPECT_OK(ralt->WaitForIdle());
    int hot = 0;
    for (int i = 0; i < kNumHot; i++) {
      hot += ralt->IsHot(Key(3 * i)) ? 1 : 0;
    }
    return hot;
  }
  // A DB whose hot keys are on both paths.
  void MakeHotDB(const Options& options) {
    ASSERT_OK(Open(options, Db()));
    Fill();
    MakeHot();
    ASSERT_EQ(kNumHot, NumHot());
  }

  // Reads each hot key once. Returns which share was not read from the slow
  // path, in percent.
  double ReadHot() {
    const auto slow_hits = [&] { return std::stod(Stat("get_hits_slow")); };
    const double before = slow_hits();
    std::string value;
    for (int i = 0; i < kNumHot; i++) {
      EXPECT_OK(db_->Get(ReadOptions(), Key(3 * i), &value));
    }
    const double slow = slow_hits() - before;
    while (Tier(db_)->jobs().busy()) {
      env_->SleepForMicroseconds(1000);
    }
    return 100.0 * (kNumHot - slow) / kNumHot;
  }

  // A DB that flushes and compacts all the time under load.
  Options SlowRootForLoad() {
    Options options = SlowRoot();
    options.disable_auto_compactions = false;
    options.write_buffer_size = 64 << 10;
    options.target_file_size_base = 64 << 10;
    return options;
  }
  // Writes records in order, in a thread of its own, while copies are made.
  class WriterBeside {
   public:
    explicit WriterBeside(DB* db)
        : thread_([this, db] {
            for (int i = 0; !done_; i++) {
              ASSERT_OK(db->Put(WriteOptions(), KeyOf(i), Value(i)));
              written_ = i + 1;
            }
          }) {}
    int written() const { return written_; }
    void Stop() {
      done_ = true;
      thread_.join();
    }
    // Expects that a copy has the first `at_least` records or more, and none
    // after a gap. Call after Stop().
    void ExpectBeginning(DB* copy, int at_least) const {
      int found = 0;
      std::string value;
      while (found < written_ &&
             copy->Get(ReadOptions(), KeyOf(found), &value).ok()) {
        ASSERT_EQ(Value(found), value);
        found++;
      }
      EXPECT_GE(found, at_least);
      for (int i = found; i < written_; i++) {
        ASSERT_TRUE(copy->Get(ReadOptions(), KeyOf(i), &value).IsNotFound())
            << i;
      }
    }

   private:
    static std::string KeyOf(int i) { return "n" + Key(i); }

    std::atomic<int> written_{0};
    std::atomic<bool> done_{false};
    std::thread thread_;
  };

  bool HasRalt(const std::string& folder) {
    return Exists(RaltFolders::In(folder, 0));
  }
  // Of files that are there for the time of copying only.
  int NumLinkFolders(const std::string& folder) {
    int found = 0;
    for (const std::string& name : Names(folder)) {
      found += name.find("links") != std::string::npos ? 1 : 0;
    }
    return found;
  }
  int NumTemporary(const std::string& folder) {
    int found = 0;
    for (const std::string& name : Names(folder)) {
      found += Slice(name).ends_with(".dbtmp") ? 1 : 0;
    }
    return found;
  }
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Base class for tests of checkpoints and backups: a DB over two paths, of
// which a copy is made, and what is the same in both. Works in both flavours.

#pragma once

#include <memory>
#include <string>
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

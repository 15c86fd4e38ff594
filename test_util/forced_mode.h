//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Forced mode (hotrap_force.h). It is linked into libraries with asserts, and
// is the preload object of release libraries (forced_preload.cc), which cannot
// call the library: only what is inline or virtual is used here.
//
// These environment variables are read once:
//
// HOTRAP_FORCE         A file. Each time HotRAP moves something, a line
//                      "TICKER N" is appended, which survives if the process is
//                      killed.
// HOTRAP_FORCE_HOT     1: everything is worth promoting. 0: only what is hot.
//                      If it is not set, each process chooses at random.
// HOTRAP_FORCE_SLOW    The slow tier is a folder of its own, named after the
//                      path plus this suffix; "/slow" is below the DB's folder,
//                      and goes where that goes. If it is not set, both tiers
//                      are the one folder that the program knows, so that
//                      whatever it does with its files stays correct.
// HOTRAP_FORCE_BUDGET  The fast budget, as a multiple of
//                      max_bytes_for_level_base. Default: 2.5
// HOTRAP_FORCE_BRAKE   Holds the fast path to the budget, which slows writes
// and
//                      stops them; each change is noted as "writes:PATH N".
// HOTRAP_FORCE_SWITCH  N: about one in N new SuperVersions of a column family
//                      is followed by a SetOptions() that switches HotRAP off
//                      or on or changes another of its options; this is noted
//                      as "switches 1". Default: 0, never
// HOTRAP_FORCE_SETTLE  Milliseconds: a thread for each DB flushes, compacts
//                      down and reads with pauses of this length (settler.h).
//                      Default: 0, never
// HOTRAP_FORCE_OFF     The column families get a slow tier, but not HotRAP.
//
// Thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/hotrap/test_util/hotrap_force.h"
#include "plugin/hotrap/test_util/settler.h"

namespace ROCKSDB_NAMESPACE {

class ForcedMode final : public HotRapForce {
 public:
  // Lives until the process ends. REQUIRES: HOTRAP_FORCE is set.
  static ForcedMode* Instance();

  bool HoldsBudget() override { return brakes_; }
  void SetOptions(FileSystem* fs, bool read_only,
                  ColumnFamilyOptions* options) override;
  void SetBudget(uint64_t max_bytes_for_level_base,
                 uint64_t* budget_bytes) override;
  void SetRaltOptions(RaltOptions* options) override;
  std::vector<DbPath> WithSlowPath(const std::string& dbname,
                                   std::vector<DbPath> paths) override;
  bool SwitchIsDue() override;
  void Switch(DB* db, ColumnFamilyHandle* handle) override;
  void Note(uint32_t ticker, uint64_t n) override;
  void NoteWrites(const std::string& path, int state) override;
  void OnSuperVersion(DB* db, uint32_t cf_id, const Library& library) override;
  void BeforeClose(DB* db) override;
  void Detach(DB* db) override;

 private:
  ForcedMode();

  void NoteLine(const std::string& name, uint64_t n);

  const std::string note_file_;
  const std::string slow_suffix_;
  // Constant within a process, which must find its own options again.
  const bool everything_is_hot_;
  const bool off_;
  const double budget_times_base_;
  const bool brakes_;
  const uint32_t switch_one_in_;
  Settler settler_;
};

}  // namespace ROCKSDB_NAMESPACE

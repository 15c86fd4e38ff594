//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Forces HotRAP on for tests, in every column family where it can work,
// whatever the program asks for. This way programs that know nothing of HotRAP
// exercise it: RocksDB's own tests, db_stress, the suites of clients.
//
// This class is the seam in the library; forced_mode.h is what is behind it. In
// builds with asserts that is linked in. A release library holds nothing of it,
// and asks once, at the first DB, whether the process has preloaded
// libhotrap_forced.so (`make forced`) of the same build. In both cases forced
// mode is on only if the environment variable HOTRAP_FORCE names a file, and
// never in a set-uid program.
//
// An implementation in a preloaded object cannot link to the library, which may
// be inside of another one that was opened later (RocksJava's). So all
// arguments are classes of which it needs only what is inline or virtual, and
// Library has the rest.
//
// After a change of this class, count up HotRapForceBuild::kVersion.
//
// Thread-safe, except where a lock is required.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyHandle;
class DB;
class FileSystem;
struct ColumnFamilyOptions;
struct DbPath;
struct RaltOptions;

class HotRapForce {
 public:
  // What of the library an implementation calls. REQUIRES, for both: DB mutex
  // not held, and the DB is not closed meanwhile.
  struct Library {
    // Whether DB::Open() is over.
    bool (*is_open)(DB* db);
    // nullptr if the column family was dropped.
    std::unique_ptr<ColumnFamilyHandle> (*handle)(DB* db, uint32_t cf_id);
  };

  // Returns nullptr unless forced mode is on.
  static HotRapForce* Get();

  // Whether the fast path is held to its budget, which changes the order of
  // compactions and slows writes: RocksDB's tests count on their own.
  static bool BudgetHolds() {
    HotRapForce* const force = Get();
    return force == nullptr || force->HoldsBudget();
  }
  virtual bool HoldsBudget() = 0;

  // Gives a leveled column family with one path and without timestamps a slow
  // tier, and HotRAP with thresholds so small that each read of the slow tier
  // counts. Levels keep their targets, because tests depend on them.
  virtual void SetOptions(FileSystem* fs, bool read_only,
                          ColumnFamilyOptions* options) = 0;

  // Adapts the budget to max_bytes_for_level_base, changes of which would be
  // refused otherwise.
  virtual void SetBudget(uint64_t max_bytes_for_level_base,
                         uint64_t* budget_bytes) = 0;

  // Makes RALT write after a few accesses.
  virtual void SetRaltOptions(RaltOptions* options) = 0;

  // Returns `paths` plus the slow tier that SetOptions() adds to a DB at
  // `dbname`. For db_stress, which asserts that it knows every folder.
  virtual std::vector<DbPath> WithSlowPath(const std::string& dbname,
                                           std::vector<DbPath> paths) = 0;

  // Returns whether to call Switch() now.
  virtual bool SwitchIsDue() = 0;

  // Calls SetOptions() with what a user might set at any time. REQUIRES: DB
  // mutex not held.
  virtual void Switch(DB* db, ColumnFamilyHandle* handle) = 0;

  // Notes that HotRAP moved something.
  virtual void Note(uint32_t ticker, uint64_t n) = 0;

  // Notes that a full fast path lets writes go from now on (0), slows (1) or
  // stops them (2).
  virtual void NoteWrites(const std::string& path, int state) = 0;

  // The column family of a writable DB got a new SuperVersion. REQUIRES: DB
  // mutex held.
  virtual void OnSuperVersion(DB* db, uint32_t cf_id,
                              const Library& library) = 0;

  // The DB is about to close, but can still be used. REQUIRES: DB mutex not
  // held.
  virtual void BeforeClose(DB* db) = 0;

  // The DB closes, and its background work is being cancelled: leaves it alone
  // from now on. REQUIRES: DB mutex not held.
  virtual void Detach(DB* db) = 0;

 protected:
  ~HotRapForce() = default;
};

}  // namespace ROCKSDB_NAMESPACE

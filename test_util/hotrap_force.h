//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Forces HotRAP on for tests, in every column family where it can work,
// whatever the program asks for. This way programs that know nothing of HotRAP
// exercise it: RocksDB's own tests, db_stress. It exists in builds with asserts
// only, and is on if the environment variable HOTRAP_FORCE names a file. Each
// time HotRAP moves something, a line "TICKER N" is appended to that file,
// which survives if the process is killed. If HOTRAP_FORCE_HOT is 1, everything
// is worth promoting; if it is 0, only what is hot; if it is not set, each
// process chooses at random.
//
// Both tiers are the one folder that the program knows, so that whatever it
// does with its files stays correct. With HOTRAP_FORCE_SLOW=SUFFIX the slow
// tier is a separate folder, named after the path plus SUFFIX. The fast budget
// is HOTRAP_FORCE_BUDGET times max_bytes_for_level_base; the default factor is
// 2.5. With HOTRAP_FORCE_SWITCH=N, about one in N new SuperVersions of a column
// family is followed by a SetOptions() that switches HotRAP off or on or
// changes another of its options; this is noted as "switches 1". With
// HOTRAP_FORCE_OFF the column families get a slow tier, but not HotRAP.
//
// Thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class DBImpl;
struct ColumnFamilyOptions;
struct DbPath;
struct ImmutableDBOptions;
struct RaltOptions;

class HotRapForce {
 public:
  // Gives a leveled column family with one path and without timestamps a slow
  // tier, and HotRAP with thresholds so small that each read of the slow tier
  // counts. Levels keep their targets, because tests depend on them.
  static void Apply(const ImmutableDBOptions& db_options, bool read_only,
                    ColumnFamilyOptions* options);

  // Adapts the budget to max_bytes_for_level_base, changes of which would be
  // refused otherwise.
  static void Apply(uint64_t max_bytes_for_level_base, uint64_t* budget_bytes);

  // Makes RALT write after a few accesses.
  static void Apply(RaltOptions* options);

  // Returns `paths` plus the slow tier that Apply() adds to a DB at `dbname`.
  // For db_stress, which asserts that it knows every folder.
  static std::vector<DbPath> WithSlowPath(const std::string& dbname,
                                          std::vector<DbPath> paths);

  // Returns whether to call Switch() now.
  static bool SwitchIsDue();

  // Calls SetOptions() with what a user might set at any time. REQUIRES: DB
  // mutex not held; the caller keeps the column family alive.
  static void Switch(DBImpl* db, ColumnFamilyData* cfd);

  // Appends a line to the file.
  static void Note(uint32_t ticker, uint64_t n);
};

}  // namespace ROCKSDB_NAMESPACE

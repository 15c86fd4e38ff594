//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A switch for tests: HotRAP in every column family where it can work,
// whatever the program asks for, so that programs that know nothing of HotRAP
// (RocksDB's own tests, db_stress) exercise it. It is there in asserting builds
// only, and on if the environment variable HOTRAP_FORCE names a file. What
// HotRAP then moves is noted there, a line "TICKER N" for each event, which
// outlives a process that is killed. Everything is worth promoting if
// HOTRAP_FORCE_HOT is 1, nothing that is not hot if it is 0, and by chance for
// each process if it is not set.
//
// Both tiers lie in the one folder that the program knows: whatever it does
// with its files stays right. With HOTRAP_FORCE_SLOW=SUFFIX the slow tier is a
// folder of its own beside it, the path and SUFFIX. The fast budget is
// HOTRAP_FORCE_BUDGET times max_bytes_for_level_base, 2.5 if that is not set.
// With HOTRAP_FORCE_SWITCH=N about one in N new SuperVersions of a column
// family is followed by a SetOptions() that switches HotRAP off or on or
// changes another of its options; it is noted as "switches 1". With
// HOTRAP_FORCE_OFF the column families get their slow tier, but not HotRAP.
//
// Thread safety: everything is safe for concurrent use.

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
  // Gives a column family of one path, leveled and without timestamps, a slow
  // tier and HotRAP with thresholds so small that each read of the slow tier
  // counts. The levels keep their targets, as tests speak of them.
  static void Apply(const ImmutableDBOptions& db_options, bool read_only,
                    ColumnFamilyOptions* options);

  // The budget follows changes of max_bytes_for_level_base, which would be
  // refused otherwise.
  static void Apply(uint64_t max_bytes_for_level_base, uint64_t* budget_bytes);

  // RALT writes after a few accesses.
  static void Apply(RaltOptions* options);

  // `paths`, and the slow tier that Apply() adds to a DB at `dbname`: for
  // db_stress, which asserts that it knows every folder.
  static std::vector<DbPath> WithSlowPath(const std::string& dbname,
                                          std::vector<DbPath> paths);

  // Whether Switch() is to be called.
  static bool SwitchIsDue();

  // What a user might do at any time. REQUIRES: DB mutex not held; the caller
  // keeps the column family alive.
  static void Switch(DBImpl* db, ColumnFamilyData* cfd);

  // Notes what has happened.
  static void Note(uint32_t ticker, uint64_t n);
};

}  // namespace ROCKSDB_NAMESPACE

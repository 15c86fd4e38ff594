//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What lies on one fast path, of all column families of a DB, and which
// compactions within the tier may write to it now.
//
// Tables are those of current versions, and those that have left them but still
// exist: a reader holds an old version, deletions are disabled or slow, or the
// file is about to be deleted.
//
// A compaction keeps its inputs until it is installed, so it needs room for its
// output. One at a time always gets it, or a full tier could not work itself
// free; another one only if both fit. What is written counts as output until a
// version has it: until the next measurement of its column family.
//
// Any compaction, also one of slow levels, holds the version that it was picked
// from, and with that each table that leaves before it ends: these are `kept`.
// A crossing of seconds may keep the inputs of several others. So one that
// begins while no other one is within the tier also waits where what others
// keep that run has filled the path. What it keeps itself goes only if it runs.
// And while one within the tier waits or runs, no other one is picked that
// would not fit (PickGate).
//
// So, as long as WriteBrake keeps what is held, what is kept and what crossings
// write at the limit, the path has its limit and one compaction's output, and
// beside that:
//
// - tables that have left and that a reader keeps;
// - what compactions within the tier keep that wait all the same, since a user
//   has called for them or two column families were fast;
// - a compaction that has waited for so long that it began `regardless`;
// - what a promotion or a relocation writes, one table each, until it is
//   installed;
// - where compactions of one column family end at the same time, outputs of
//   those that are not yet installed when the first one is measured.
//
// Thread safety: any thread. Under the lock, DropDeleted() calls `exists`,
// which may take one that is a leaf; otherwise the only one taken is that of
// drain().

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "plugin/hotrap/db/budget/drain_speed.h"
#include "port/port.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

struct FastTable {
  uint64_t number = 0;
  uint64_t bytes = 0;
  // The first version that had it when it was measured: SetTables() sets it.
  uint64_t since_version = 0;
};

class FastLedger {
 public:
  struct Use {
    uint64_t tables = 0;
    // Tables of no current version: those that a compaction keeps, and others.
    uint64_t kept = 0;
    uint64_t leaving = 0;
    uint64_t ralt = 0;
    uint64_t memtables = 0;
    // What compactions may be writing: crossings, and those within the tier.
    uint64_t crossing = 0;
    uint64_t within = 0;

    uint64_t outputs() const { return crossing + within; }
    // What the limit is about, with what crossings write.
    uint64_t held() const { return tables + ralt + memtables; }
    // What a disk has, if all outputs are complete.
    uint64_t on_disk() const {
      return tables + kept + leaving + ralt + outputs();
    }
  };

  // What a compaction takes and writes.
  enum class Kind {
    kWithin,   // from the tier to the tier
    kCrosses,  // from the tier
    kBelow,    // nothing from the tier
  };
  struct Job {
    Kind kind = Kind::kWithin;
    // What it may write to the path.
    uint64_t output_bytes = 0;
    uint32_t cf_id = 0;
    // The one that it was picked from. It holds it until its reservation goes.
    uint64_t version = 0;
  };

  // A compaction's right to write to the path.
  class Reservation {
   public:
    // The compaction waits.
    Reservation(std::shared_ptr<FastLedger> ledger, const Job& job);
    ~Reservation();
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

    // Reserves the output and returns true if the compaction may begin now, or
    // is to do so `regardless`. Only one within the tier may have to wait: all
    // others make room, or need none.
    bool TryBegin(bool regardless = false);

    // The compaction takes nothing from the tier any more, and its result is
    // about to be installed. It counts as an output until the column family's
    // tables are measured again, or this object goes: there may be no new
    // version, since the column family was dropped or the MANIFEST cannot be
    // written.
    void Finish();

   private:
    friend class FastLedger;
    enum class State { kWaits, kRuns, kFinished };

    const std::shared_ptr<FastLedger> ledger_;
    const Job job_;
    // Protected by the ledger's mutex.
    State state_ = State::kWaits;
    // The last one that was measured before; none if nobody counts.
    std::optional<uint64_t> version_;
  };

  // ---- Measuring ---------------------------------------------------------

  // Whether the tables of this version are known.
  bool HasVersion(uint32_t cf_id, uint64_t version) const;
  // The column family's tables on the path are these, ordered by number. In a
  // new version are the outputs of what is finished.
  void SetTables(uint32_t cf_id, uint64_t version,
                 std::vector<FastTable> tables);
  void SetMemory(uint32_t cf_id, uint64_t ralt_bytes, uint64_t memtable_bytes);
  // Column families that are not among these, which are ordered, are gone.
  void KeepOnly(const std::vector<uint32_t>& cf_ids);
  // Forgets tables that have left and do not exist any more. Asks about some of
  // them at a time.
  void DropDeleted(const std::function<bool(uint64_t number)>& exists);

  Use use() const;
  // Of one column family.
  uint64_t TableBytes(uint32_t cf_id) const;

  // Until it is set there is none.
  void SetLimit(uint64_t bytes);
  uint64_t limit() const;

  // ---- Picking -------------------------------------------------------------

  // Whether the path has room for this output, too.
  bool Fits(uint64_t output_bytes) const;
  // Whether a compaction within the tier waits, runs, or is not yet installed.
  bool HasWithin() const;

  DrainSpeed& drain() { return drain_; }

 private:
  struct Outputs {
    uint64_t crossing_bytes = 0;
    uint64_t within_bytes = 0;
    int within = 0;  // compactions

    void Add(const Job& job);
    void Remove(const Job& job);
  };
  struct Family {
    uint64_t version = 0;
    std::vector<FastTable> tables;
    uint64_t table_bytes = 0;
    uint64_t ralt_bytes = 0;
    uint64_t memtable_bytes = 0;
    Outputs finished;
  };

  // A table that has left.
  struct Left {
    uint64_t bytes = 0;
    uint32_t cf_id = 0;
    // The versions between these had it.
    uint64_t since_version = 0;
    uint64_t until_version = 0;
  };

  Use UseLocked() const;
  bool FitsLocked(uint64_t output_bytes) const;
  // Whether a compaction within the tier runs, or is not yet installed.
  bool HasTurnLocked() const;
  bool MayBeginLocked(const Reservation& compaction) const;
  void EndDrain(const Job& job);
  void LeaveLocked(const FastTable& table, uint32_t cf_id, uint64_t version);
  bool KeepsLocked(const Reservation& compaction, const Left& table) const;
  // Whether compactions keep anything that run, other than this one.
  bool OthersKeepLocked(const Reservation& compaction) const;

  mutable port::Mutex mutex_;
  std::map<uint32_t, Family> families_;
  // By number.
  std::map<uint64_t, Left> left_;
  std::set<const Reservation*> compactions_;
  static constexpr size_t kMostChecks = 256;
  uint64_t next_check_ = 0;
  Outputs running_;
  uint64_t limit_ = std::numeric_limits<uint64_t>::max();
  DrainSpeed drain_;
};

}  // namespace ROCKSDB_NAMESPACE

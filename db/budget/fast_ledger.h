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
// version has it: until the next measurement of its column family. So, as long
// as WriteBrake keeps what is held and what crossings write at the limit, the
// path has its limit and one compaction's output, and beside that:
//
// - tables that have left, where no other compaction waited for them to go;
// - a compaction that has waited for so long that it began `regardless`;
// - what a promotion or a relocation writes, one table each, until it is
//   installed;
// - where compactions of one column family end at the same time, outputs of
//   those that are not yet installed when the first one is measured.
//
// Thread safety: any thread. Under the lock, DropDeleted() calls `exists`,
// which may take one that is a leaf; otherwise the lock is a leaf itself.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "plugin/hotrap/db/budget/drain_speed.h"
#include "port/port.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

struct FastTable {
  uint64_t number = 0;
  uint64_t bytes = 0;
};

class FastLedger {
 public:
  struct Use {
    uint64_t tables = 0;
    uint64_t leaving = 0;  // tables of no current version
    uint64_t ralt = 0;
    uint64_t memtables = 0;
    // What compactions may be writing: crossings, and those within the tier.
    uint64_t crossing = 0;
    uint64_t within = 0;

    uint64_t outputs() const { return crossing + within; }
    // What the limit is about, with what crossings write.
    uint64_t held() const { return tables + ralt + memtables; }
    // What a disk has, if all outputs are complete.
    uint64_t on_disk() const { return tables + leaving + ralt + outputs(); }
  };

  // A compaction's right to write to the path.
  class Reservation {
   public:
    Reservation(std::shared_ptr<FastLedger> ledger, uint64_t bytes,
                bool crosses);
    ~Reservation();
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

    // The compaction takes nothing from the tier any more, and its result is
    // about to be installed. It counts as an output until the column family's
    // tables are measured again, or this object goes: there may be no new
    // version, since the column family was dropped or the MANIFEST cannot be
    // written.
    void Finish(uint32_t cf_id);

   private:
    const std::shared_ptr<FastLedger> ledger_;
    const uint64_t bytes_;
    const bool crosses_;
    bool finished_ = false;
    uint32_t cf_id_ = 0;
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

  // ---- Compactions -------------------------------------------------------

  // Reserves the output of a compaction within the tier if it may begin now, or
  // is to do so `regardless`; else returns nullptr.
  static std::unique_ptr<Reservation> TryCompact(
      const std::shared_ptr<FastLedger>& ledger, uint64_t output_bytes,
      bool regardless = false);
  // A crossing always may: it makes room.
  static std::unique_ptr<Reservation> Cross(
      const std::shared_ptr<FastLedger>& ledger, uint64_t kept_bytes);

  DrainSpeed& drain() { return drain_; }

 private:
  struct Outputs {
    uint64_t crossing_bytes = 0;
    uint64_t within_bytes = 0;
    int within = 0;  // compactions

    void Add(uint64_t bytes, bool crosses);
    void Remove(uint64_t bytes, bool crosses);
  };
  struct Family {
    uint64_t version = 0;
    std::vector<FastTable> tables;
    uint64_t table_bytes = 0;
    uint64_t ralt_bytes = 0;
    uint64_t memtable_bytes = 0;
    Outputs finished;
  };

  Use UseLocked() const;
  // Whether a compaction within the tier runs, or is not yet installed.
  bool HasTurnLocked() const;
  void Leave(const FastTable& table);
  void Release(uint64_t bytes, bool crosses);
  // Returns the version that is known.
  std::optional<uint64_t> Finish(uint32_t cf_id, uint64_t bytes, bool crosses);
  void Forget(uint32_t cf_id, uint64_t version, uint64_t bytes, bool crosses);

  mutable port::Mutex mutex_;
  std::map<uint32_t, Family> families_;
  // By number, with the bytes.
  std::map<uint64_t, uint64_t> leaving_;
  static constexpr size_t kMostChecks = 256;
  uint64_t next_check_ = 0;
  Outputs running_;
  uint64_t limit_ = std::numeric_limits<uint64_t>::max();
  DrainSpeed drain_;
};

}  // namespace ROCKSDB_NAMESPACE

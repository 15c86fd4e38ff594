//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Holds a fast path to its budget: measures what the column families of a DB
// have on it (FastLedger), gives each its share, says when promotions stop and
// how much crossings keep, and slows writes (WriteBrake). The tiers of one DB
// with the same first path share an object of this class.
//
// It decides anew with each SuperVersion; and while writes are slowed, or
// tables that are being deleted matter, some fifty times a second, in a job:
// tables are deleted after the version that no longer has them is there, and a
// write that waits makes no version.
//
// Column families that have no budget of their own share the path's
// target_size. What one without HotRAP has on the path is taken off that. One
// with disable_auto_compactions is left alone: nothing would empty its tier.
//
// Thread safety: every method requires the DB mutex, unless a comment says
// otherwise.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/db/budget/budget_limit.h"
#include "plugin/hotrap/db/budget/fast_ledger.h"
#include "plugin/hotrap/db/budget/write_brake.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class DBImpl;
class Figures;
class TierJobs;
class TierState;
class WriteControllerToken;

class FastBudget : public std::enable_shared_from_this<FastBudget> {
 public:
  // For the column families of the DB with this first path.
  FastBudget(DBImpl* db, std::string path);
  ~FastBudget();
  FastBudget(const FastBudget&) = delete;
  FastBudget& operator=(const FastBudget&) = delete;

  // Any thread, with or without the mutex.
  const std::shared_ptr<FastLedger>& ledger() const { return ledger_; }
  const std::string& path() const { return path_; }

  // A tier with this first path comes and goes. Its `jobs` may be used. The
  // latter needs no mutex where the DB closes.
  void Join(const TierState* state, TierJobs* jobs);
  void Leave(const TierState* state);

  // Measures and decides.
  void Update();
  // The DB closes: lets writes go.
  void Close();

  // Adds the statistics property's figures.
  void AddTo(Figures* figures) const;

 private:
  // A column family on this path in which HotRAP is active.
  struct Member {
    TierState* state = nullptr;
    uint64_t budget_bytes = 0;    // of its own; 0 if it shares
    uint64_t memtable_bytes = 0;  // now
    uint64_t most_memtable_bytes = 0;
    uint64_t total_bytes = 0;  // on all paths
    // What L0's compaction writes.
    uint64_t next_bytes = 0;
    bool automatic = true;  // compactions
  };

  void Measure();
  void MeasureTables(ColumnFamilyData* cfd);
  static Member MemberOf(ColumnFamilyData* cfd, uint64_t memtable_bytes);
  // Shares what the path has among members without a budget of their own.
  void Share();
  // Returns what the members without a budget of their own have together.
  uint64_t SharedBytes() const;
  WriteBrake::Input Fullness();
  void Apply(const WriteBrake::Decision& decision, const WriteBrake::Input& in);
  void SetRate(uint64_t bytes_per_sec);
  // Whether RocksDB slows writes for reasons of its own.
  bool RocksDBDelays() const;
  void Tell(WriteBrake::State before, const WriteBrake::Input& in);
  void TickSoon();

  DBImpl* const db_;
  const std::string path_;
  const std::shared_ptr<FastLedger> ledger_;
  BudgetLimit limit_;

  std::map<const TierState*, TierJobs*> jobs_;

  // From the last measurement.
  std::vector<Member> members_;
  // What column families without HotRAP have on the path, and with those that
  // nobody limits, and tables of slow levels, which relocation takes away.
  uint64_t others_bytes_ = 0;
  uint64_t unlimited_bytes_ = 0;
  // By column family: tables of slow levels.
  std::map<uint32_t, uint64_t> misplaced_bytes_;
  uint64_t target_size_ = 0;
  // The member that takes most beyond its targets.
  TierState* largest_ = nullptr;

  // Accesses so far, and those of late, of members that share.
  struct Accesses {
    uint64_t before = 0;
    double recent = 0;
  };
  std::map<const TierState*, Accesses> accesses_;
  uint64_t shared_micros_ = 0;

  WriteBrake::State state_ = WriteBrake::State::kFree;
  std::unique_ptr<WriteControllerToken> token_;
  // All compaction threads may work.
  std::unique_ptr<WriteControllerToken> pressure_;
  // The rate that was set last, and what RocksDB would have.
  uint64_t rate_ = 0;
  uint64_t rocksdb_rate_ = 0;
  uint64_t braked_micros_ = 0;
  bool ticks_ = false;
  bool closed_ = false;
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/budget/fast_ledger.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

FastLedger::Reservation::Reservation(std::shared_ptr<FastLedger> ledger,
                                     const Job& job)
    : ledger_(std::move(ledger)), job_(job) {
  MutexLock lock(&ledger_->mutex_);
  ledger_->compactions_.insert(this);
}

FastLedger::Reservation::~Reservation() {
  MutexLock lock(&ledger_->mutex_);
  ledger_->compactions_.erase(this);
  if (state_ == State::kRuns) {
    ledger_->running_.Remove(job_);
    ledger_->EndDrain(job_);
  } else if (version_.has_value()) {
    const auto it = ledger_->families_.find(job_.cf_id);
    // A newer version has taken it off.
    if (it != ledger_->families_.end() && it->second.version == *version_) {
      it->second.finished.Remove(job_);
    }
  }
}

bool FastLedger::Reservation::TryBegin(bool regardless) {
  MutexLock lock(&ledger_->mutex_);
  assert(state_ == State::kWaits);
  if (job_.kind == Kind::kWithin && !regardless &&
      !ledger_->MayBeginLocked(*this)) {
    return false;
  }
  state_ = State::kRuns;
  ledger_->running_.Add(job_);
  if (job_.kind != Kind::kBelow) {
    ledger_->drain_.Begin(job_.kind == Kind::kCrosses);
  }
  return true;
}

void FastLedger::Reservation::Finish() {
  MutexLock lock(&ledger_->mutex_);
  assert(state_ == State::kRuns);
  state_ = State::kFinished;
  ledger_->running_.Remove(job_);
  ledger_->EndDrain(job_);
  const auto it = ledger_->families_.find(job_.cf_id);
  if (it != ledger_->families_.end()) {
    it->second.finished.Add(job_);
    version_ = it->second.version;
  }
}

void FastLedger::EndDrain(const Job& job) {
  if (job.kind != Kind::kBelow) {
    drain_.End(job.kind == Kind::kCrosses);
  }
}

bool FastLedger::MayBeginLocked(const Reservation& compaction) const {
  if (HasTurnLocked()) {
    return FitsLocked(compaction.job_.output_bytes);
  }
  // Its output may come on top of a full path, not of one that others overfill.
  const bool others_keep = OthersKeepLocked(compaction);
  const Use use = UseLocked();
  return !others_keep || use.held() + use.kept + use.outputs() <= limit_;
}

bool FastLedger::FitsLocked(uint64_t output_bytes) const {
  const Use use = UseLocked();
  return use.held() + use.kept + use.leaving + use.outputs() + output_bytes <=
         limit_;
}

bool FastLedger::Fits(uint64_t output_bytes) const {
  MutexLock lock(&mutex_);
  return FitsLocked(output_bytes);
}

bool FastLedger::HasWithin() const {
  MutexLock lock(&mutex_);
  return HasTurnLocked() ||
         std::any_of(compactions_.begin(), compactions_.end(),
                     [](const Reservation* compaction) {
                       return compaction->job_.kind == Kind::kWithin &&
                              compaction->state_ == Reservation::State::kWaits;
                     });
}

void FastLedger::Outputs::Add(const Job& job) {
  (job.kind == Kind::kWithin ? within_bytes : crossing_bytes) +=
      job.output_bytes;
  within += job.kind == Kind::kWithin ? 1 : 0;
}

void FastLedger::Outputs::Remove(const Job& job) {
  (job.kind == Kind::kWithin ? within_bytes : crossing_bytes) -=
      job.output_bytes;
  within -= job.kind == Kind::kWithin ? 1 : 0;
}

bool FastLedger::HasVersion(uint32_t cf_id, uint64_t version) const {
  MutexLock lock(&mutex_);
  const auto it = families_.find(cf_id);
  return it != families_.end() && it->second.version == version;
}

void FastLedger::SetTables(uint32_t cf_id, uint64_t version,
                           std::vector<FastTable> tables) {
  MutexLock lock(&mutex_);
  Family& family = families_[cf_id];
  for (FastTable& table : tables) {
    table.since_version = version;
  }
  auto next = tables.begin();
  for (const FastTable& before : family.tables) {
    while (next != tables.end() && next->number < before.number) {
      ++next;
    }
    if (next != tables.end() && next->number == before.number) {
      next->since_version = before.since_version;
    } else {
      LeaveLocked(before, cf_id, version);
    }
  }
  if (family.version != version) {
    family.finished = Outputs();
  }
  family.version = version;
  family.tables = std::move(tables);
  family.table_bytes = 0;
  for (const FastTable& table : family.tables) {
    family.table_bytes += table.bytes;
  }
}

void FastLedger::LeaveLocked(const FastTable& table, uint32_t cf_id,
                             uint64_t version) {
  left_[table.number] = {table.bytes, cf_id, table.since_version, version};
}

bool FastLedger::KeepsLocked(const Reservation& compaction,
                             const Left& table) const {
  const Job& job = compaction.job_;
  return job.cf_id == table.cf_id && job.version >= table.since_version &&
         job.version < table.until_version;
}

bool FastLedger::OthersKeepLocked(const Reservation& compaction) const {
  // Once its result is there, only its listeners are waited for.
  const auto runs = [&](const Reservation& other) {
    if (other.state_ != Reservation::State::kFinished) {
      return other.state_ == Reservation::State::kRuns;
    }
    const auto it = families_.find(other.job_.cf_id);
    return it != families_.end() && it->second.version == other.version_;
  };
  return std::any_of(left_.begin(), left_.end(), [&](const auto& entry) {
    return std::any_of(compactions_.begin(), compactions_.end(),
                       [&](const Reservation* other) {
                         return other != &compaction && runs(*other) &&
                                KeepsLocked(*other, entry.second);
                       });
  });
}

void FastLedger::SetMemory(uint32_t cf_id, uint64_t ralt_bytes,
                           uint64_t memtable_bytes) {
  MutexLock lock(&mutex_);
  Family& family = families_[cf_id];
  family.ralt_bytes = ralt_bytes;
  family.memtable_bytes = memtable_bytes;
}

void FastLedger::KeepOnly(const std::vector<uint32_t>& cf_ids) {
  MutexLock lock(&mutex_);
  for (auto it = families_.begin(); it != families_.end();) {
    if (std::binary_search(cf_ids.begin(), cf_ids.end(), it->first)) {
      ++it;
      continue;
    }
    for (const FastTable& table : it->second.tables) {
      LeaveLocked(table, it->first, std::numeric_limits<uint64_t>::max());
    }
    it = families_.erase(it);
  }
}

void FastLedger::DropDeleted(
    const std::function<bool(uint64_t number)>& exists) {
  MutexLock lock(&mutex_);
  // Not all at once: the DB mutex is held, and a reader may keep thousands.
  auto it = left_.lower_bound(next_check_);
  for (size_t left = std::min(left_.size(), kMostChecks); left > 0; left--) {
    if (it == left_.end()) {
      it = left_.begin();
    }
    it = exists(it->first) ? std::next(it) : left_.erase(it);
  }
  next_check_ = it != left_.end() ? it->first : 0;
}

FastLedger::Use FastLedger::UseLocked() const {
  Use use;
  for (const auto& [id, family] : families_) {
    use.tables += family.table_bytes;
    use.ralt += family.ralt_bytes;
    use.memtables += family.memtable_bytes;
    use.crossing += family.finished.crossing_bytes;
    use.within += family.finished.within_bytes;
  }
  for (const auto& [number, table] : left_) {
    const bool kept = std::any_of(compactions_.begin(), compactions_.end(),
                                  [&](const Reservation* compaction) {
                                    return KeepsLocked(*compaction, table);
                                  });
    (kept ? use.kept : use.leaving) += table.bytes;
  }
  use.crossing += running_.crossing_bytes;
  use.within += running_.within_bytes;
  return use;
}

bool FastLedger::HasTurnLocked() const {
  return running_.within > 0 ||
         std::any_of(families_.begin(), families_.end(), [](const auto& entry) {
           return entry.second.finished.within > 0;
         });
}

FastLedger::Use FastLedger::use() const {
  MutexLock lock(&mutex_);
  return UseLocked();
}

uint64_t FastLedger::TableBytes(uint32_t cf_id) const {
  MutexLock lock(&mutex_);
  const auto it = families_.find(cf_id);
  return it != families_.end() ? it->second.table_bytes : 0;
}

void FastLedger::SetLimit(uint64_t bytes) {
  MutexLock lock(&mutex_);
  limit_ = bytes;
}

uint64_t FastLedger::limit() const {
  MutexLock lock(&mutex_);
  return limit_;
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/budget/fast_ledger.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

FastLedger::Reservation::Reservation(std::shared_ptr<FastLedger> ledger,
                                     uint64_t bytes, bool crosses)
    : ledger_(std::move(ledger)), bytes_(bytes), crosses_(crosses) {
  ledger_->drain().Begin(crosses);
}

FastLedger::Reservation::~Reservation() {
  if (!finished_) {
    ledger_->Release(bytes_, crosses_);
    ledger_->drain().End(crosses_);
  } else if (version_.has_value()) {
    ledger_->Forget(cf_id_, *version_, bytes_, crosses_);
  }
}

void FastLedger::Reservation::Finish(uint32_t cf_id) {
  assert(!finished_);
  finished_ = true;
  cf_id_ = cf_id;
  version_ = ledger_->Finish(cf_id, bytes_, crosses_);
  ledger_->drain().End(crosses_);
}

void FastLedger::Outputs::Add(uint64_t bytes, bool crosses) {
  (crosses ? crossing_bytes : within_bytes) += bytes;
  within += crosses ? 0 : 1;
}

void FastLedger::Outputs::Remove(uint64_t bytes, bool crosses) {
  (crosses ? crossing_bytes : within_bytes) -= bytes;
  within -= crosses ? 0 : 1;
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
  auto next = tables.begin();
  for (const FastTable& before : family.tables) {
    while (next != tables.end() && next->number < before.number) {
      ++next;
    }
    if (next == tables.end() || next->number != before.number) {
      Leave(before);
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

void FastLedger::Leave(const FastTable& table) {
  leaving_[table.number] = table.bytes;
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
      Leave(table);
    }
    it = families_.erase(it);
  }
}

void FastLedger::DropDeleted(
    const std::function<bool(uint64_t number)>& exists) {
  MutexLock lock(&mutex_);
  // Not all at once: the DB mutex is held, and a reader may keep thousands.
  auto it = leaving_.lower_bound(next_check_);
  for (size_t left = std::min(leaving_.size(), kMostChecks); left > 0; left--) {
    if (it == leaving_.end()) {
      it = leaving_.begin();
    }
    it = exists(it->first) ? std::next(it) : leaving_.erase(it);
  }
  next_check_ = it != leaving_.end() ? it->first : 0;
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
  for (const auto& [number, bytes] : leaving_) {
    use.leaving += bytes;
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

std::unique_ptr<FastLedger::Reservation> FastLedger::TryCompact(
    const std::shared_ptr<FastLedger>& ledger, uint64_t output_bytes,
    bool regardless) {
  {
    MutexLock lock(&ledger->mutex_);
    const Use use = ledger->UseLocked();
    if (!regardless && ledger->HasTurnLocked() &&
        use.held() + use.leaving + use.outputs() + output_bytes >
            ledger->limit_) {
      return nullptr;
    }
    ledger->running_.Add(output_bytes, /*crosses=*/false);
  }
  return std::make_unique<Reservation>(ledger, output_bytes,
                                       /*crosses=*/false);
}

std::unique_ptr<FastLedger::Reservation> FastLedger::Cross(
    const std::shared_ptr<FastLedger>& ledger, uint64_t kept_bytes) {
  {
    MutexLock lock(&ledger->mutex_);
    ledger->running_.Add(kept_bytes, /*crosses=*/true);
  }
  return std::make_unique<Reservation>(ledger, kept_bytes, /*crosses=*/true);
}

void FastLedger::Release(uint64_t bytes, bool crosses) {
  MutexLock lock(&mutex_);
  running_.Remove(bytes, crosses);
}

std::optional<uint64_t> FastLedger::Finish(uint32_t cf_id, uint64_t bytes,
                                           bool crosses) {
  MutexLock lock(&mutex_);
  running_.Remove(bytes, crosses);
  const auto it = families_.find(cf_id);
  if (it == families_.end()) {
    return std::nullopt;
  }
  it->second.finished.Add(bytes, crosses);
  return it->second.version;
}

void FastLedger::Forget(uint32_t cf_id, uint64_t version, uint64_t bytes,
                        bool crosses) {
  MutexLock lock(&mutex_);
  const auto it = families_.find(cf_id);
  // A newer version has taken it off.
  if (it != families_.end() && it->second.version == version) {
    it->second.finished.Remove(bytes, crosses);
  }
}

}  // namespace ROCKSDB_NAMESPACE

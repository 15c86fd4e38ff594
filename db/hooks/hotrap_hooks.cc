//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/hooks/hotrap_hooks.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "db/compaction/compaction.h"
#include "db/version_edit.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/copies/compaction_copies.h"
#include "plugin/hotrap/db/state/ralt_folders.h"
#include "plugin/hotrap/db/state/ralt_orphan.h"
#include "plugin/hotrap/db/tier/hotrap_tier.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// About a second: whoever installed the version needs the mutex once more.
constexpr int kMaxSuperVersionPolls = 10000;
constexpr int kSuperVersionPollMicros = 100;
// Ranges per edit: the ring remembers a few hundred.
constexpr size_t kMaxHulls = 16;

// A range of user keys, both ends inclusive.
struct Hull {
  bool empty = true;
  Slice smallest;
  Slice largest;

  void Add(const FileMetaData& file, const Comparator* ucmp) {
    if (empty || ucmp->Compare(file.smallest.user_key(), smallest) < 0) {
      smallest = file.smallest.user_key();
    }
    if (empty || ucmp->Compare(file.largest.user_key(), largest) > 0) {
      largest = file.largest.user_key();
    }
    empty = false;
  }
};

// What one edit changes in the tiers.
struct TierChange {
  bool slow = false;  // adds or deletes a file at a level >= FS
  bool fast = false;  // ... at a level < FS
  bool added = false;
  bool slow_added = false;
  bool slow_deleted = false;
  bool fast_deleted = false;
  uint64_t newest_added_epoch = 0;
  uint64_t newest_deleted_epoch = 0;
  Hull all;
  std::vector<Hull> files;  // one per file; incomplete if there are too many
  Hull deleted_fast;

  void Add(const FileMetaData& file, const Comparator* ucmp) {
    all.Add(file, ucmp);
    if (files.size() <= kMaxHulls) {
      files.emplace_back();
      files.back().Add(file, ucmp);
    }
  }

  // Returns whether the added files consist of the deleted ones: a compaction,
  // or files that change their level. Not so for ingestion, import and files
  // deleted by range.
  bool Rewrites() const {
    return added && (slow_deleted || fast_deleted) &&
           newest_added_epoch <= newest_deleted_epoch;
  }
};

TierChange Examine(const VersionEdit& edit, const VersionStorageInfo& current,
                   int first_slow_level, const Comparator* ucmp) {
  TierChange change;
  for (const auto& [level, file] : edit.GetNewFiles()) {
    const bool slow = level >= first_slow_level;
    (slow ? change.slow : change.fast) = true;
    change.added = true;
    change.slow_added |= slow;
    change.newest_added_epoch =
        std::max(change.newest_added_epoch, file.epoch_number);
    change.Add(file, ucmp);
  }
  for (const auto& [level, number] : edit.GetDeletedFiles()) {
    const FileMetaData* file = current.GetFileMetaDataByNumber(number);
    if (file == nullptr) {
      continue;
    }
    const bool slow = level >= first_slow_level;
    (slow ? change.slow : change.fast) = true;
    (slow ? change.slow_deleted : change.fast_deleted) = true;
    change.newest_deleted_epoch =
        std::max(change.newest_deleted_epoch, file->epoch_number);
    change.Add(*file, ucmp);
    if (!slow) {
      change.deleted_fast.Add(*file, ucmp);
    }
  }
  return change;
}

// Forgets tables that leave the version, unless they only change their level.
void EraseCopyMarks(const autovector<VersionEdit*>& edits,
                    ColumnFamilyData* cfd) {
  for (const VersionEdit* edit : edits) {
    if (edit->GetColumnFamily() != cfd->GetID() ||
        cfd->hotrap.copy_marks().total() == 0) {
      continue;
    }
    for (const auto& [level, number] : edit->GetDeletedFiles()) {
      const auto& added = edit->GetNewFiles();
      if (std::none_of(added.begin(), added.end(),
                       [number = number](const auto& file) {
                         return file.second.fd.GetNumber() == number;
                       })) {
        cfd->hotrap.copy_marks().Erase(number);
      }
    }
  }
}

}  // namespace

// The tiers of a DB, kept alive while the mutex is released. REQUIRES: DB mutex
// held, in constructor and destructor.
class HotRapHooks::PinnedTiers {
 public:
  explicit PinnedTiers(DBImpl* db) {
    for (auto* cfd : *DbAccess(db).versions()->GetColumnFamilySet()) {
      if (cfd->hotrap.tier() != nullptr) {
        tiers_.push_back(cfd->hotrap.tier());
        cfd->Ref();
      }
    }
  }
  ~PinnedTiers() {
    for (HotRapTier* tier : tiers_) {
      tier->state().cfd()->UnrefAndTryDelete();
    }
  }
  PinnedTiers(const PinnedTiers&) = delete;
  PinnedTiers& operator=(const PinnedTiers&) = delete;
  const autovector<HotRapTier*>& get() const { return tiers_; }

 private:
  autovector<HotRapTier*> tiers_;
};

void HotRapHooks::OnSuperVersionInstalled(DBImpl* db, ColumnFamilyData* cfd) {
  db->mutex()->AssertHeld();
  const MutableCFOptions& options = cfd->GetLatestMutableCFOptions();
  HotRapSlot& slot = cfd->hotrap;
  slot.copy_marks().Recount(*cfd->current()->storage_info());
  if (slot.tier() == nullptr) {
    if (!options.hotrap.enabled || cfd->IsDropped()) {
      return;
    }
    slot.set_tier(std::make_unique<HotRapTier>(db, cfd));
  }
  slot.SetActive(slot.tier()->Configure(options));
  slot.tier()->SwitchIfForced();
}

void HotRapHooks::BeforeVersionInstall(const autovector<VersionEdit*>& edits,
                                       Version* next) {
  ColumnFamilyData* const cfd = next->cfd();
  EraseCopyMarks(edits, cfd);
  HotRapTier* const tier = cfd->hotrap.active();
  if (tier == nullptr) {
    return;
  }
  const Comparator* const ucmp = cfd->user_comparator();
  for (const VersionEdit* edit : edits) {
    if (edit->GetColumnFamily() != cfd->GetID() ||
        edit == tier->state().fences().promotion_edit()) {
      continue;
    }
    const TierChange change = Examine(*edit, *cfd->current()->storage_info(),
                                      tier->state().first_slow_level(), ucmp);
    InvalidationRing::Kind kind = InvalidationRing::kSlowTierChanged;
    // Files that are only added or only removed do not affect the keys between
    // them.
    std::vector<Hull> hulls = {change.all};
    if (!change.Rewrites() && change.files.size() <= kMaxHulls) {
      hulls = change.files;
    }
    if (change.slow) {
      if (change.Rewrites() && !change.fast) {
        // A slow-to-slow rewrite: its outputs are no newer than its inputs.
        continue;
      }
      if (change.Rewrites() && change.fast_deleted) {
        // Other records that it takes from the slow tier return there, or are
        // moved up.
        hulls = {change.deleted_fast};
      }
    } else if (change.fast && edit->GetDeletedFiles().empty() &&
               !edit->HasLogNumber()) {
      // Neither a compaction nor a flush.
      kind = InvalidationRing::kFastTierAdded;
    } else {
      continue;
    }
    for (const Hull& hull : hulls) {
      tier->state().stats().Count(
          HotRapCounter::kInvalidated,
          tier->state().cache().Invalidate({next->GetVersionNumber(), kind,
                                            hull.smallest.ToString(),
                                            hull.largest.ToString()}));
    }
  }
}

void HotRapHooks::WaitForInstalls(DBImpl* db) {
  db->mutex()->AssertHeld();
  for (auto* cfd : DbAccess(db).versions()->GetRefedColumnFamilySet()) {
    HotRapTier* const tier = cfd->hotrap.tier();
    while (tier != nullptr &&
           (tier->state().fences().promotion_edit() != nullptr ||
            tier->relocator().installing())) {
      DbAccess(db).AwaitBackgroundWork();
    }
  }
}

void HotRapHooks::WaitForIngestions(DBImpl* db, ColumnFamilyData* cfd) {
  db->mutex()->AssertHeld();
  if (cfd->hotrap.tier() != nullptr) {
    cfd->hotrap.tier()->relocator().Interrupt();
  }
  // Ingestions that have chosen a level are registered as compactions. Do not
  // wait for others: one may be waiting for a flush, and that for a listener
  // that is the caller of this function.
  const auto ingests = [&] {
    const auto* const running =
        cfd->compaction_picker()->compactions_in_progress();
    return std::any_of(running->begin(), running->end(), [](Compaction* c) {
      return c->compaction_reason() == CompactionReason::kExternalSstIngestion;
    });
  };
  while (cfd->hotrap.active() != nullptr && ingests() &&
         !DbAccess(db).shutting_down()) {
    DbAccess(db).AwaitBackgroundWork();
  }
}

void HotRapHooks::WaitForSuperVersions(DBImpl* db) {
  db->mutex()->AssertHeld();
  const auto lags = [](ColumnFamilyData* cfd) {
    const SuperVersion* const sv = cfd->GetSuperVersion();
    return cfd->hotrap.tier() != nullptr && !cfd->IsDropped() &&
           sv != nullptr && sv->current != cfd->current();
  };
  const auto any_lags = [&] {
    bool any = false;
    for (auto* cfd : DbAccess(db).versions()->GetRefedColumnFamilySet()) {
      any |= lags(cfd);
    }
    return any;
  };
  for (int polls = 0; polls < kMaxSuperVersionPolls && any_lags(); polls++) {
    db->mutex()->Unlock();
    DbAccess(db).immutable_options().clock->SleepForMicroseconds(
        kSuperVersionPollMicros);
    db->mutex()->Lock();
  }
  // Nobody is about to install one: after an error of the MANIFEST from which
  // it recovered by itself, RocksDB leaves the SuperVersion behind.
  std::vector<SuperVersionContext> contexts;
  for (auto* cfd : DbAccess(db).versions()->GetRefedColumnFamilySet()) {
    if (lags(cfd)) {
      contexts.emplace_back(/*create_superversion=*/true);
      DbAccess(db).InstallSuperVersion(cfd, &contexts.back());
    }
  }
  if (!contexts.empty()) {
    db->mutex()->Unlock();
    for (SuperVersionContext& context : contexts) {
      context.Clean();
    }
    db->mutex()->Lock();
  }
}

void HotRapHooks::StopJobs(DBImpl* db) {
  db->mutex()->AssertHeld();
  const PinnedTiers tiers(db);
  for (HotRapTier* tier : tiers.get()) {
    tier->Stop();
  }
  for (HotRapTier* tier : tiers.get()) {
    while (tier->busy()) {
      DbAccess(db).AwaitBackgroundWork();
    }
  }
}

void HotRapHooks::CloseRalt(DBImpl* db) {
  db->mutex()->AssertHeld();
  // There is no default column family if recovery failed.
  if (DbAccess(db).has_default_column_family() && DbAccess(db).orphans() > 0) {
    db->mutex()->Unlock();
    RaltOrphan::TearDownNow(db);
    db->mutex()->Lock();
    while (DbAccess(db).orphans() > 0) {
      DbAccess(db).AwaitBackgroundWork();
    }
  }
  const PinnedTiers tiers(db);
  if (tiers.get().empty()) {
    return;
  }
  db->mutex()->Unlock();
  for (HotRapTier* tier : tiers.get()) {
    tier->CloseRalt();
  }
  db->mutex()->Lock();
}

namespace {
const Compaction* RealCompaction(
    const CompactionIterator::CompactionProxy* compaction) {
  return compaction != nullptr ? compaction->real_compaction() : nullptr;
}
}  // namespace

bool HotRapHooks::MayBePromotedCopy(
    const CompactionIterator::CompactionProxy* compaction,
    const Slice& user_key, SequenceNumber seq) {
  const Compaction* const c = RealCompaction(compaction);
  return c != nullptr && c->hotrap_copies != nullptr &&
         c->hotrap_copies->MayBeCopy(user_key, seq);
}

bool HotRapHooks::HidesFromFilter(
    const CompactionIterator::CompactionProxy* compaction,
    const ParsedInternalKey& ikey, std::vector<size_t>* level_ptrs) {
  const Compaction* const c = RealCompaction(compaction);
  if (c == nullptr || c->hotrap_copies == nullptr) {
    return false;
  }
  return (c->hotrap_copies->MayBeCopy(ikey.user_key, ikey.sequence) &&
          !c->KeyNotExistsBeyondOutputLevel(ikey.user_key, level_ptrs)) ||
         c->hotrap_copies->MayHaveCopyAbove(ikey.user_key, ikey.sequence);
}

bool HotRapHooks::HidesRangeFromFilter(
    const CompactionIterator::CompactionProxy* compaction, const Slice& start,
    const Slice& end) {
  const Compaction* const c = RealCompaction(compaction);
  return c != nullptr && c->hotrap_copies != nullptr &&
         c->hotrap_copies->AnyMayBeIn(start, end);
}

HotRapHooks::NoPromotionByCompaction::NoPromotionByCompaction(
    DBImpl* db, ColumnFamilyData* cfd)
    : tier_(cfd->hotrap.tier()) {
  db->mutex()->AssertHeld();
  if (tier_ != nullptr) {
    tier_->relocator().Interrupt();
    tier_->state().fences().BeginSlowTierChange();
  }
}

HotRapHooks::NoPromotionByCompaction::~NoPromotionByCompaction() {
  if (tier_ != nullptr) {
    tier_->state().fences().EndSlowTierChange();
    DbAccess(tier_->state().db()).SignalBackgroundWork();
  }
}

HotRapHooks::NoRetention::NoRetention(DBImpl* db, ColumnFamilyData* cfd,
                                      bool changes_level) {
  if (changes_level) {
    InstrumentedMutexLock lock(db->mutex());
    tier_ = cfd->hotrap.tier();
    if (tier_ != nullptr) {
      tier_->state().fences().BeginLevelChange();
      tier_->relocator().Interrupt();
      while (tier_->state().fences().promotion_edit() != nullptr) {
        DbAccess(db).AwaitBackgroundWork();
      }
    }
  }
}

HotRapHooks::NoRetention::~NoRetention() {
  if (tier_ != nullptr) {
    InstrumentedMutexLock lock(tier_->state().db()->mutex());
    tier_->state().fences().EndLevelChange();
  }
}

void HotRapHooks::DestroyFolders(const std::string& path, FileSystem* fs) {
  RaltFolders::DestroyAll(path, fs);
}

}  // namespace ROCKSDB_NAMESPACE

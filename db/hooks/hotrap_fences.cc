//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/hooks/hotrap_fences.h"

#include <algorithm>
#include <vector>

#include "db/column_family.h"
#include "db/compaction/compaction.h"
#include "db/db_impl/db_impl.h"
#include "db/version_set.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/copies/copy_marks.h"
#include "plugin/hotrap/db/tier/hotrap_tier.h"
#include "rocksdb/options.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// About a second: whoever installed the version needs the mutex once more.
constexpr int kMaxSuperVersionPolls = 10000;
constexpr int kSuperVersionPollMicros = 100;

}  // namespace

void HotRapFences::WaitForInstalls(DBImpl* db) {
  db->mutex()->AssertHeld();
  for (auto* cfd : DbAccess(db).versions()->GetRefedColumnFamilySet()) {
    HotRapTier* const tier = cfd->hotrap.tier();
    while (tier != nullptr &&
           (tier->state().fences().promotion_edit() != nullptr ||
            tier->relocator().installing())) {
      DbAccess(db).work().AwaitBackgroundWork();
    }
  }
}

void HotRapFences::BeginIngestion(DBImpl* db) {
  db->mutex()->AssertHeld();
  for (auto* cfd : DbAccess(db).versions()->GetRefedColumnFamilySet()) {
    HotRapTier* const tier = cfd->hotrap.tier();
    if (tier != nullptr && cfd->hotrap.replacements()) {
      tier->relocator().Interrupt();
    }
  }
  WaitForInstalls(db);
}

void HotRapFences::WaitForIngestions(DBImpl* db, ColumnFamilyData* cfd) {
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
         !DbAccess(db).work().shutting_down()) {
    DbAccess(db).work().AwaitBackgroundWork();
  }
}

void HotRapFences::WaitForSuperVersions(DBImpl* db) {
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
      DbAccess(db).files().InstallSuperVersion(cfd, &contexts.back());
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

HotRapFences::NoPromotionByCompaction::NoPromotionByCompaction(
    DBImpl* db, ColumnFamilyData* cfd)
    : tier_(cfd->hotrap.tier()) {
  db->mutex()->AssertHeld();
  if (tier_ != nullptr) {
    tier_->relocator().Interrupt();
    tier_->state().fences().BeginSlowTierChange();
  }
}

HotRapFences::NoPromotionByCompaction::~NoPromotionByCompaction() {
  if (tier_ != nullptr) {
    tier_->state().fences().EndSlowTierChange();
    DbAccess(tier_->state().db()).work().SignalBackgroundWork();
  }
}

HotRapFences::NoRetention::NoRetention(DBImpl* db, ColumnFamilyData* cfd,
                                       bool changes_level) {
  if (changes_level) {
    InstrumentedMutexLock lock(db->mutex());
    tier_ = cfd->hotrap.tier();
    if (tier_ != nullptr) {
      tier_->state().fences().BeginLevelChange();
      tier_->relocator().Interrupt();
      while (tier_->state().fences().promotion_edit() != nullptr) {
        DbAccess(db).work().AwaitBackgroundWork();
      }
    }
  }
}

HotRapFences::NoRetention::~NoRetention() {
  if (tier_ != nullptr) {
    InstrumentedMutexLock lock(tier_->state().db()->mutex());
    tier_->state().fences().EndLevelChange();
  }
}

HotRapFences::NoRelocation::NoRelocation(DBImpl* db, ColumnFamilyData* cfd,
                                         const CompactRangeOptions& options) {
  if (options.bottommost_level_compaction ==
          BottommostLevelCompaction::kForceOptimized ||
      (options.bottommost_level_compaction ==
           BottommostLevelCompaction::kIfHaveCompactionFilter &&
       HasFilter(cfd->ioptions()))) {
    InstrumentedMutexLock lock(db->mutex());
    tier_ = cfd->hotrap.tier();
    if (tier_ != nullptr) {
      tier_->relocator().Hold();
    }
  }
}

HotRapFences::NoRelocation::~NoRelocation() {
  if (tier_ != nullptr) {
    InstrumentedMutexLock lock(tier_->state().db()->mutex());
    tier_->relocator().EndHold();
  }
}

}  // namespace ROCKSDB_NAMESPACE

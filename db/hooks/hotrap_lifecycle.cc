//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/hooks/hotrap_lifecycle.h"

#include <memory>
#include <string>
#include <vector>

#include "db/column_family.h"
#include "db/db_impl/db_impl.h"
#include "db/version_set.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/paths/path_owner.h"
#include "plugin/hotrap/db/state/ralt_folders.h"
#include "plugin/hotrap/db/state/ralt_orphan.h"
#include "plugin/hotrap/db/tier/fast_budget.h"
#include "plugin/hotrap/db/tier/hotrap_tier.h"
#include "plugin/hotrap/test_util/hotrap_force.h"
#include "rocksdb/file_system.h"
#include "util/autovector.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// The tiers of a DB, kept alive while the mutex is released. REQUIRES: DB mutex
// held, in constructor and destructor.
class PinnedTiers {
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

// For forced mode.
constexpr HotRapForce::Library kLibrary = {
    [](DB* db) {
      auto* const impl = static_cast<DBImpl*>(db);
      const InstrumentedMutexLock lock(impl->mutex());
      return DbAccess(impl).is_open();
    },
    [](DB* db, uint32_t cf_id) {
      return static_cast<DBImpl*>(db)->GetColumnFamilyHandleUnlocked(cf_id);
    }};

}  // namespace

void HotRapLifecycle::OnSuperVersionInstalled(DBImpl* db,
                                              ColumnFamilyData* cfd) {
  db->mutex()->AssertHeld();
  HotRapForce* const force = HotRapForce::Get();
  // Not after StopJobs().
  if (force != nullptr && !DbAccess(db).work().shutting_down()) {
    force->OnSuperVersion(db, cfd->GetID(), kLibrary);
  }
  if (!DbAccess(db).is_open()) {
    DbAccess(db).work().ResumeWithRoom(cfd);
  }
  const MutableCFOptions& options = cfd->GetLatestMutableCFOptions();
  HotRapSlot& slot = cfd->hotrap;
  if (slot.tier() == nullptr) {
    if (!options.hotrap.enabled || cfd->IsDropped()) {
      return;
    }
    slot.set_tier(std::make_unique<HotRapTier>(db, cfd));
  }
  slot.SetActive(slot.tier()->Configure(options));
  slot.tier()->budget()->Update();
  slot.tier()->SwitchIfForced();
}

void HotRapLifecycle::BeforeClose(DBImpl* db) {
  if (HotRapForce* const force = HotRapForce::Get()) {
    force->BeforeClose(db);
  }
}

void HotRapLifecycle::StopJobs(DBImpl* db) {
  db->mutex()->AssertHeld();
  if (HotRapForce* const force = HotRapForce::Get()) {
    db->mutex()->Unlock();
    force->Detach(db);
    db->mutex()->Lock();
  }
  const PinnedTiers tiers(db);
  for (HotRapTier* tier : tiers.get()) {
    tier->Stop();
  }
  for (HotRapTier* tier : tiers.get()) {
    while (tier->busy()) {
      DbAccess(db).work().AwaitBackgroundWork();
    }
  }
}

void HotRapLifecycle::CloseRalt(DBImpl* db) {
  db->mutex()->AssertHeld();
  // There is no default column family if recovery failed.
  if (DbAccess(db).has_default_column_family() &&
      DbAccess(db).work().orphans() > 0) {
    db->mutex()->Unlock();
    RaltOrphan::TearDownNow(db);
    db->mutex()->Lock();
    while (DbAccess(db).work().orphans() > 0) {
      DbAccess(db).work().AwaitBackgroundWork();
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

void HotRapLifecycle::DestroyFolders(const std::string& path, FileSystem* fs) {
  RaltFolders::DestroyAll(path, fs);
  PathOwner::Forget(fs, path);
}

}  // namespace ROCKSDB_NAMESPACE

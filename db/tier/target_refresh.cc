//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/tier/target_refresh.h"

#include "db/job_context.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/state/tier_state.h"

namespace ROCKSDB_NAMESPACE {

void RefreshTargets(TierState* state) {
  DBImpl* const db = state->db();
  ColumnFamilyData* const cfd = state->cfd();
  const DbAccess access(db);
  SuperVersionContext sv_context(/*create_superversion=*/true);
  {
    InstrumentedMutexLock lock(db->mutex());
    const DbAccess::Work work = access.work();
    if (state->jobs().stopped() || work.shutting_down() || work.paused() ||
        work.background_work_stopped() || cfd->IsDropped()) {
      return;
    }
    VersionEdit edit;
    edit.SetColumnFamily(cfd->GetID());
    const Status s = access.versions()->LogAndApply(
        cfd, ReadOptions(), WriteOptions(), &edit, db->mutex(), access.DbDir());
    if (s.ok()) {
      access.files().InstallSuperVersion(cfd, &sv_context);
    } else if (!access.versions()->io_status().ok()) {
      work.SetManifestError();
    }
  }
  sv_context.Clean();
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/ralt_orphan.h"

#include <utility>

#include "logging/logging.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/state/ralt_folders.h"
#include "plugin/hotrap/ralt/ralt.h"
#include "plugin/hotrap/ralt/ralt_thread.h"

namespace ROCKSDB_NAMESPACE {

RaltOrphan::RaltOrphan(DBImpl* db, const ColumnFamilyData& cfd,
                       std::unique_ptr<Ralt> ralt)
    : db_(db),
      ralt_(std::move(ralt)),
      folders_(RaltFolders::InAny(cfd.ioptions().cf_paths, cfd.GetID())),
      cf_name_(cfd.GetName()),
      fs_(cfd.ioptions().fs),
      info_log_(cfd.ioptions().logger) {}

RaltOrphan::~RaltOrphan() = default;

void RaltOrphan::TearDown() {
  ralt_.reset();
  for (const std::string& folder : folders_) {
    const Status s = Ralt::Destroy(folder, fs_.get());
    if (!s.ok()) {
      ROCKS_LOG_WARN(info_log_,
                     "[%s] HotRAP: cannot remove the RALT of a dropped "
                     "column family: %s",
                     cf_name_.c_str(), s.ToString().c_str());
    }
  }
}

void RaltOrphan::TearDownLater(std::unique_ptr<RaltOrphan> orphan) {
  DBImpl* const db = orphan->db_;
  DbAccess(db).work().AddOrphan();
  RaltThread()->Schedule(&RaltOrphan::Run, orphan.release(), /*tag=*/db,
                         &RaltOrphan::Run);
}

void RaltOrphan::TearDownNow(DBImpl* db) { RaltThread()->UnSchedule(db); }

void RaltOrphan::Run(void* arg) {
  const std::unique_ptr<RaltOrphan> orphan(static_cast<RaltOrphan*>(arg));
  orphan->TearDown();
  InstrumentedMutexLock lock(orphan->db_->mutex());
  DbAccess(orphan->db_).work().RemoveOrphan();
  DbAccess(orphan->db_).work().SignalBackgroundWork();
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/ralt_holder.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "logging/logging.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/placement/hotrap_level_shape.h"
#include "plugin/hotrap/db/state/figures.h"
#include "plugin/hotrap/db/state/ralt_folders.h"
#include "plugin/hotrap/db/state/ralt_orphan.h"
#include "plugin/hotrap/db/state/tier_jobs.h"
#include "plugin/hotrap/db/state/tracked_ralt_space.h"
#include "plugin/hotrap/test_util/hotrap_force.h"

namespace ROCKSDB_NAMESPACE {

RaltHolder::RaltHolder(DBImpl* db, ColumnFamilyData* cfd, const TierJobs* jobs)
    : db_(db), cfd_(cfd), jobs_(jobs) {}

RaltHolder::~RaltHolder() {
  assert(!jobs_->busy());
  if (!cfd_->IsDropped() || opening_is_due_.load()) {
    return;
  }
  auto orphan = std::make_unique<RaltOrphan>(db_, *cfd_, std::move(owned_));
  if (jobs_->stopped()) {
    // The DB closes.
    orphan->TearDown();
    return;
  }
  // The DB mutex is held, so do not touch the disk here.
  RaltOrphan::TearDownLater(std::move(orphan));
}

bool RaltHolder::TakeOpening() {
  db_->mutex()->AssertHeld();
  return opening_is_due_.exchange(false);
}

void RaltHolder::Open(const HotRapOptions& options, uint64_t spare_bytes,
                      uint64_t share_bytes) {
  const ImmutableOptions& ioptions = cfd_->ioptions();
  RaltOptions ralt_options;
  {
    InstrumentedMutexLock lock(db_->mutex());
    ralt_options.db_id = DbAccess(db_).db_id();
  }
  ralt_options.path = RaltFolders::In(ioptions.cf_paths[0].path, cfd_->GetID());
  ralt_options.env = ioptions.env;
  ralt_options.fs = ioptions.fs;
  ralt_options.clock = ioptions.clock;
  ralt_options.info_log = ioptions.logger;
  ralt_options.rate_limiter = ioptions.rate_limiter;
  ralt_options.space = std::make_shared<TrackedRaltSpace>(
      ioptions.fs, ioptions.cf_paths[0].path, ioptions.sst_file_manager,
      spare_bytes);
  ralt_options.use_direct_reads = ioptions.use_direct_reads;
  ralt_options.use_direct_io_for_writes =
      ioptions.use_direct_io_for_flush_and_compaction;
  ralt_options.comparator = ioptions.user_comparator;
  ralt_options.cf_id = cfd_->GetID();
  ralt_options.cf_name = cfd_->GetName();
  const RaltCaps caps = CapsOf(options, share_bytes);
  ralt_options.fast_budget_bytes = caps.fast_budget_bytes;
  ralt_options.buffer_bytes = caps.buffer_bytes;
  ralt_options.auto_tune = caps.auto_tune;
  if (HotRapForce* const force = HotRapForce::Get()) {
    force->SetRaltOptions(&ralt_options);
  }
  RemoveFoldersLeftBehind();
  const Status s = Ralt::Open(ralt_options, &owned_);
  if (s.ok()) {
    InstrumentedMutexLock lock(db_->mutex());
    caps_ = caps;
    ralt_.store(owned_.get(), std::memory_order_release);
    // The options may have changed since.
    Configure(cfd_->GetLatestMutableCFOptions().hotrap, share_bytes);
  } else {
    ROCKS_LOG_WARN(ioptions.logger,
                   "[%s] HotRAP: RALT did not open, nothing is tracked or "
                   "promoted: %s",
                   cfd_->GetName().c_str(), s.ToString().c_str());
  }
}

RaltCaps RaltHolder::CapsOf(const HotRapOptions& options,
                            uint64_t share_bytes) const {
  RaltCaps caps;
  caps.fast_budget_bytes = std::min(
      share_bytes,
      FastBudgetBytes(cfd_->ioptions().cf_paths[0].target_size, options));
  caps.buffer_bytes = options.access_buffer_bytes;
  caps.auto_tune = options.auto_tune;
  return caps;
}

void RaltHolder::Configure(const HotRapOptions& options, uint64_t share_bytes) {
  db_->mutex()->AssertHeld();
  const RaltCaps caps = CapsOf(options, share_bytes);
  if (!caps_.has_value() || *caps_ == caps || !options.enabled ||
      caps.fast_budget_bytes == 0) {
    return;
  }
  // Close() does not hold the DB mutex.
  ReadLock lock(&pins_);
  if (Ralt* const ralt = get()) {
    caps_ = caps;
    ralt->SetCaps(caps);
  }
}

void RaltHolder::RemoveFoldersLeftBehind() {
  const ImmutableOptions& ioptions = cfd_->ioptions();
  RaltFolders::RemoveLinksBefore(ioptions.cf_paths[0].path,
                                 DbAccess(db_).db_session_id(),
                                 ioptions.fs.get());
  const auto folders = RaltFolders::List(ioptions.cf_paths, ioptions.fs.get());
  // List these after the folders, so that the folder of a column family created
  // meanwhile is not removed.
  const auto in_use = DbAccess(db_).files().ColumnFamiliesInUse();
  for (const auto& [folder, id] : folders) {
    if (in_use.count(id) == 0) {
      ROCKS_LOG_INFO(ioptions.logger,
                     "HotRAP: removing %s of a dropped column family",
                     folder.c_str());
      Ralt::Destroy(folder, ioptions.fs.get()).PermitUncheckedError();
    }
  }
}

void RaltHolder::Close() {
  assert(jobs_->stopped() && !jobs_->busy());
  {
    WriteLock no_pins(&pins_);
    ralt_.store(nullptr, std::memory_order_release);
  }
  owned_.reset();
}

Status RaltHolder::CopyTo(const std::string& to,
                          std::vector<std::string>* names) const {
  ReadLock no_close(&pins_);
  if (Ralt* const ralt = get()) {
    // While RALT pauses, what it had flushed before is as good.
    ralt->Flush().PermitUncheckedError();
  }
  const ImmutableOptions& ioptions = cfd_->ioptions();
  return Ralt::Copy(RaltFolders::In(ioptions.cf_paths[0].path, cfd_->GetID()),
                    ioptions.fs.get(), to, names);
}

void RaltHolder::AddTo(Figures* figures) const {
  Ralt* const ralt = get();
  figures->Add("ralt_open", [&] { return ralt != nullptr; });
  if (ralt == nullptr || !figures->Wants("ralt_")) {
    return;
  }
  ralt->GetStats().ForEach([&](const char* name, auto value) {
    figures->Add(std::string("ralt_") + name, [&] { return value; });
  });
}

}  // namespace ROCKSDB_NAMESPACE

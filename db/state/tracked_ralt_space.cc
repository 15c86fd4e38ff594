//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/tracked_ralt_space.h"

#include "file/sst_file_manager_impl.h"
#include "plugin/hotrap/db/state/space_reservation.h"

namespace ROCKSDB_NAMESPACE {

TrackedRaltSpace::~TrackedRaltSpace() {
  for (const std::string& name : names_) {
    static_cast<SstFileManagerImpl*>(files_.get())
        ->OnUntrackFile(name)
        .PermitUncheckedError();
  }
}

void TrackedRaltSpace::OnFileAdded(const std::string& name, uint64_t bytes) {
  if (files_ != nullptr && names_.insert(name).second) {
    static_cast<SstFileManagerImpl*>(files_.get())
        ->OnAddFile(name, bytes)
        .PermitUncheckedError();
  }
}

void TrackedRaltSpace::OnFileDeleted(const std::string& name) {
  if (names_.erase(name) > 0) {
    static_cast<SstFileManagerImpl*>(files_.get())
        ->OnDeleteFile(name)
        .PermitUncheckedError();
  }
}

bool TrackedRaltSpace::HasRoom(uint64_t bytes) {
  return SpaceReservation::HasRoom(fs_.get(), path_, files_.get(), bytes,
                                   spare_bytes_);
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/access/free_space_of_paths.h"

#include <algorithm>

#include "file/sst_file_manager_impl.h"
#include "plugin/hotrap/db/access/expose.h"

namespace ROCKSDB_NAMESPACE {

HOTRAP_EXPOSE(SstFileManagerImpl, ManagersFileSystem,
              std::shared_ptr<FileSystem>, fs_)
HOTRAP_EXPOSE(SstFileManagerImpl, ManagersError, Status, bg_err_)

FreeSpaceOfPaths* FreeSpaceOfPaths::Of(SstFileManagerImpl* manager) {
  std::shared_ptr<FileSystem>& fs = manager->*MemberOf(ManagersFileSystem());
  auto* found = fs->CheckedCast<FreeSpaceOfPaths>();
  if (found == nullptr) {
    found = new FreeSpaceOfPaths(fs, manager);
    fs.reset(found);
  }
  return found;
}

IOStatus FreeSpaceOfPaths::GetFreeSpace(const std::string& /*path*/,
                                        const IOOptions& options,
                                        uint64_t* free_bytes,
                                        IODebugContext* dbg) {
  const Status& error = manager_->*MemberOf(ManagersError());
  const bool writes_go_on = error.severity() == Status::Severity::kSoftError;
  const std::set<std::string>& folders = writes_go_on ? slow_ : written_;
  bool is_first = true;
  for (const std::string& folder : folders) {
    uint64_t bytes = 0;
    const IOStatus s = target()->GetFreeSpace(folder, options, &bytes, dbg);
    if (!s.ok()) {
      return s;
    }
    *free_bytes = is_first       ? bytes
                  : writes_go_on ? std::max(*free_bytes, bytes)
                                 : std::min(*free_bytes, bytes);
    is_first = false;
  }
  return IOStatus::OK();
}

}  // namespace ROCKSDB_NAMESPACE

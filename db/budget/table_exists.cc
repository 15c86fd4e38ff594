//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/budget/table_exists.h"

#include <unordered_map>

#include "file/delete_scheduler.h"
#include "file/filename.h"
#include "file/sst_file_manager_impl.h"
#include "port/port.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// GetTrackedFiles() copies them all. An explicit instantiation may name private
// members; it fails to compile if they change.
using Tracked = std::unordered_map<std::string, uint64_t>;
template <typename Tag, typename Tag::Type kMember>
struct ExposeFiles {
  friend typename Tag::Type MemberOf(Tag) { return kMember; }
};
struct TrackedMutex {
  using Type = port::Mutex SstFileManagerImpl::*;
  friend Type MemberOf(TrackedMutex);
};
struct TrackedFiles {
  using Type = Tracked SstFileManagerImpl::*;
  friend Type MemberOf(TrackedFiles);
};
template struct ExposeFiles<TrackedMutex, &SstFileManagerImpl::mu_>;
template struct ExposeFiles<TrackedFiles, &SstFileManagerImpl::tracked_files_>;

}  // namespace

bool TableExists(SstFileManager* files, const std::string& path,
                 uint64_t number) {
  if (files == nullptr) {
    return false;
  }
  auto* const impl = static_cast<SstFileManagerImpl*>(files);
  const std::string name = MakeTableFileName(path, number);
  MutexLock lock(&(impl->*MemberOf(TrackedMutex())));
  const Tracked& tracked = impl->*MemberOf(TrackedFiles());
  // What is deleted slowly is renamed first.
  return tracked.count(name) > 0 ||
         tracked.count(name + DeleteScheduler::kTrashExtension) > 0;
}

}  // namespace ROCKSDB_NAMESPACE

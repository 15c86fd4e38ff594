//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/copies/copy_marks.h"

#include <algorithm>

#include "db/version_edit.h"
#include "db/version_set.h"
#include "plugin/hotrap/db/copies/promoted_copies.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

bool HasTablesBelow(const VersionStorageInfo& storage, int level,
                    const FileMetaData& file) {
  const Slice smallest = file.smallest.user_key();
  const Slice largest = file.largest.user_key();
  for (int below = level + 1; below < storage.num_non_empty_levels(); below++) {
    // OverlapInLevel() modifies nothing, but is not const.
    if (const_cast<VersionStorageInfo&>(storage).OverlapInLevel(
            below, &smallest, &largest)) {
      return true;
    }
  }
  return false;
}

void CopyMarks::Note(uint64_t file_number, const TableProperties& properties) {
  const uint64_t count = PromotedCopies::In(properties).count();
  if (count == 0) {
    return;
  }
  MutexLock lock(&mutex_);
  if (copies_.emplace(file_number, count).second) {
    total_.fetch_add(count, std::memory_order_relaxed);
  }
}

void CopyMarks::EraseDeleted(const VersionEdit& edit) {
  if (total() == 0) {
    return;
  }
  for (const auto& [level, number] : edit.GetDeletedFiles()) {
    const auto& added = edit.GetNewFiles();
    if (std::none_of(added.begin(), added.end(),
                     [number = number](const auto& file) {
                       return file.second.fd.GetNumber() == number;
                     })) {
      Erase(number);
    }
  }
}

void CopyMarks::Erase(uint64_t file_number) {
  MutexLock lock(&mutex_);
  const auto found = copies_.find(file_number);
  if (found != copies_.end()) {
    total_.fetch_sub(found->second, std::memory_order_relaxed);
    copies_.erase(found);
  }
}

void CopyMarks::Recount(const VersionStorageInfo& storage) {
  if (total() == 0) {
    with_originals_.store(0, std::memory_order_relaxed);
    return;
  }
  uint64_t copies = 0;
  MutexLock lock(&mutex_);
  for (const auto& [number, count] : copies_) {
    const auto location = storage.GetFileLocation(number);
    if (location.IsValid() &&
        HasTablesBelow(storage, location.GetLevel(),
                       *storage.GetFileMetaDataByNumber(number))) {
      copies += count;
    }
  }
  with_originals_.store(copies, std::memory_order_relaxed);
}

}  // namespace ROCKSDB_NAMESPACE

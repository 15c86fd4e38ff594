//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/copies/copy_marks.h"

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

bool HasFilter(const ImmutableOptions& ioptions) {
  return ioptions.compaction_filter != nullptr ||
         ioptions.compaction_filter_factory != nullptr;
}

void CopyMarks::Note(const TableProperties& properties,
                     const FileMetaData& file) {
  const uint64_t count = PromotedCopies::In(properties).count();
  if (count == 0) {
    return;
  }
  MutexLock lock(&mutex_);
  if (copies_.emplace(file.fd.GetNumber(), count).second) {
    total_.fetch_add(count, std::memory_order_relaxed);
  }
}

void CopyMarks::OnVersion(const VersionStorageInfo& storage) {
  if (total() == 0) {
    with_originals_.store(0, std::memory_order_relaxed);
    return;
  }
  uint64_t all = 0;
  uint64_t with_originals = 0;
  MutexLock lock(&mutex_);
  for (auto mark = copies_.begin(); mark != copies_.end();) {
    const auto [number, count] = *mark;
    const auto location = storage.GetFileLocation(number);
    if (!location.IsValid()) {
      mark = copies_.erase(mark);
      continue;
    }
    all += count;
    if (HasTablesBelow(storage, location.GetLevel(),
                       *storage.GetFileMetaDataByNumber(number))) {
      with_originals += count;
    }
    ++mark;
  }
  total_.store(all, std::memory_order_relaxed);
  with_originals_.store(with_originals, std::memory_order_relaxed);
}

}  // namespace ROCKSDB_NAMESPACE

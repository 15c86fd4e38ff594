//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/copy_marks.h"

#include "plugin/hotrap/db/promoted_copies.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

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

void CopyMarks::Erase(uint64_t file_number) {
  if (total() == 0) {
    return;
  }
  MutexLock lock(&mutex_);
  const auto found = copies_.find(file_number);
  if (found != copies_.end()) {
    total_.fetch_sub(found->second, std::memory_order_relaxed);
    copies_.erase(found);
  }
}

}  // namespace ROCKSDB_NAMESPACE

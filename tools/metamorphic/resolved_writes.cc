//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/resolved_writes.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

ResolvedTable::ResolvedTable(int cf, const std::vector<Operation>& writes,
                             bool delete_range_by_keys) {
  for (const Operation& write : writes) {
    if (write.cf != cf) {
      continue;
    }
    if (write.verb != Verb::kDeleteRange) {
      points_.emplace(write.key, write);
    } else if (write.key < write.end) {
      ranges_.push_back(write);
    }
  }
  if (!delete_range_by_keys) {
    return;
  }
  for (Operation one : ranges_) {
    one.verb = Verb::kDelete;
    for (; one.key < one.end; one.key++) {
      Operation* const point = &points_.emplace(one.key, one).first->second;
      // The operand's base is deleted.
      if (point->verb == Verb::kMerge) {
        point->verb = Verb::kPut;
      }
    }
  }
  ranges_.clear();
}

Status ResolvedTable::WriteTo(SstFileWriter* writer) const {
  Status s;
  for (auto it = ranges_.begin(); it != ranges_.end() && s.ok(); ++it) {
    s = writer->DeleteRange(KeyOf(it->key), KeyOf(it->end));
  }
  for (auto it = points_.begin(); it != points_.end() && s.ok(); ++it) {
    const Operation& write = it->second;
    const std::string key = KeyOf(it->first);
    switch (write.verb) {
      case Verb::kPutEntity: {
        const Columns columns = EntityOf(write.value, write.bytes);
        s = writer->PutEntity(key, AsWideColumns(columns));
        break;
      }
      case Verb::kMerge:
        s = writer->Merge(key, ValueOf(write.value, write.bytes));
        break;
      case Verb::kDelete:
        s = writer->Delete(key);
        break;
      default:
        s = writer->Put(key, ValueOf(write.value, write.bytes));
    }
  }
  return s;
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

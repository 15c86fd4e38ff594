//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Applies writes to RocksDB's classes: to a batch, a transaction, or a table
// that will be ingested.

#pragma once

#include <map>
#include <type_traits>
#include <vector>

#include "plugin/hotrap/tools/metamorphic/answer.h"
#include "plugin/hotrap/tools/metamorphic/operation.h"
#include "rocksdb/db.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/write_batch.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

// Applies a write to a WriteBatch or a Transaction. A Transaction does not
// support range tombstones.
template <typename Target>
Status ApplyWrite(const Operation& write,
                  const std::vector<ColumnFamilyHandle*>& handles,
                  Target* target) {
  ColumnFamilyHandle* const handle = handles[write.cf];
  const std::string key = KeyOf(write.key);
  switch (write.verb) {
    case Verb::kPut:
      return target->Put(handle, key, ValueOf(write.value, write.bytes));
    case Verb::kPutEntity: {
      const Columns columns = EntityOf(write.value, write.bytes);
      return target->PutEntity(handle, key, AsWideColumns(columns));
    }
    case Verb::kMerge:
      return target->Merge(handle, key, ValueOf(write.value, write.bytes));
    case Verb::kDelete:
      return target->Delete(handle, key);
    case Verb::kSingleDelete:
      return target->SingleDelete(handle, key);
    case Verb::kDeleteRange:
      if constexpr (std::is_same_v<Target, WriteBatch>) {
        return target->DeleteRange(handle, key, KeyOf(write.end));
      }
      return Status::NotSupported();
    default:
      return Status::InvalidArgument("not resolved");
  }
}

// The writes to one column family, in table order. Of several writes to a key,
// it holds the first. Its range tombstones do not cover its own keys.
class ResolvedTable {
 public:
  ResolvedTable(int cf, const std::vector<Operation>& writes,
                bool delete_range_by_keys);

  bool empty() const { return points_.empty() && ranges_.empty(); }
  Status WriteTo(SstFileWriter* writer) const;

 private:
  std::map<int, Operation> points_;  // by key
  std::vector<Operation> ranges_;
};

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

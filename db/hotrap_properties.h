//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The properties of HotRAP, and what it changes in RocksDB's own.
//
// Thread safety: any thread. REQUIRES: DB mutex not held, unless said
// otherwise.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class ColumnFamilyHandle;
class DBImpl;

class HotRapProperties {
 public:
  // The property as DB::GetProperty() and the like return it. False where it is
  // none of ours.
  static bool Get(DBImpl* db, ColumnFamilyHandle* column_family,
                  const Slice& property, std::string* value);
  static bool GetMap(DBImpl* db, ColumnFamilyHandle* column_family,
                     const Slice& property,
                     std::map<std::string, std::string>* value);
  static bool GetInt(DBImpl* db, ColumnFamilyHandle* column_family,
                     const Slice& property, uint64_t* value);

  // "rocksdb.estimate-num-keys" counts a promoted record twice: takes the
  // copies out. Leaves other properties alone. With or without the DB mutex.
  static void Correct(const ColumnFamilyData& cfd, const Slice& property,
                      uint64_t* value);
};

}  // namespace ROCKSDB_NAMESPACE

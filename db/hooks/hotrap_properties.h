//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// HotRAP's properties, and its corrections to RocksDB's own properties.
//
// Thread safety: every method may be called from any thread. REQUIRES, unless a
// comment says otherwise: DB mutex not held.

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
  // Get the property for DB::GetProperty() and its variants. Return false if it
  // is not one of HotRAP's.
  static bool Get(DBImpl* db, ColumnFamilyHandle* column_family,
                  const Slice& property, std::string* value);
  static bool GetMap(DBImpl* db, ColumnFamilyHandle* column_family,
                     const Slice& property,
                     std::map<std::string, std::string>* value);
  static bool GetInt(DBImpl* db, ColumnFamilyHandle* column_family,
                     const Slice& property, uint64_t* value);

  // Gets the sum over all column families for DB::GetAggregatedIntProperty().
  // Returns false if the property is not a number of HotRAP's.
  static bool GetAggregatedInt(DBImpl* db, const Slice& property,
                               uint64_t* value);

  // Subtracts promoted copies from "rocksdb.estimate-num-keys", which counts a
  // promoted record twice. Leaves other properties alone. The DB mutex may be
  // held or not.
  static void Correct(const ColumnFamilyData& cfd, const Slice& property,
                      uint64_t* value);
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Chooses the path of a table that is about to be ingested. The table is copied
// or linked before the DB chooses its level, because that happens under a lock
// under which nothing can be copied. So the level is predicted here. After a
// wrong prediction the table is on the wrong tier and is relocated later.
// Thread-safe.

#pragma once

#include <cstdint>

#include "rocksdb/options.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
struct FileOptions;
struct IngestedFileInfo;
struct SuperVersion;

class IngestionPath {
 public:
  // Returns the path; 0 if stock RocksDB decides. `replaces_range`: existing
  // data in the range is removed. Reads blocks of tables. REQUIRES: DB mutex
  // not held.
  static uint32_t Choose(ColumnFamilyData& cfd, SuperVersion* sv,
                         const FileOptions& file_options,
                         const IngestExternalFileOptions& options,
                         bool replaces_range, const IngestedFileInfo& file);

 private:
  static int ForetellLevel(ColumnFamilyData& cfd, SuperVersion* sv,
                           const FileOptions& file_options,
                           const IngestExternalFileOptions& options,
                           bool replaces_range, const IngestedFileInfo& file);
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The path of a table that is about to be ingested. It is copied or linked
// before the DB chooses its level, under a lock under which nothing can be
// copied; so the level is foretold here. What is foretold wrongly ends on the
// other tier, from where it is relocated. Thread safe.

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
  // 0 where stock RocksDB decides. `replaces_range`: what is in the range goes.
  // REQUIRES: DB mutex not held; reads blocks of tables.
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

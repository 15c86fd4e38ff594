//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// For ExternalSstFileIngestionJob: the path of a table that will be ingested.

#pragma once

#include "db/column_family.h"
#include "plugin/hotrap/db/placement/ingestion_path.h"

namespace ROCKSDB_NAMESPACE {

class HotRapIngestion {
 public:
  // Called before the file is copied or linked. See IngestionPath::Choose().
  // REQUIRES: DB mutex not held.
  static uint32_t PathId(ColumnFamilyData& cfd, SuperVersion* sv,
                         const FileOptions& file_options,
                         const IngestExternalFileOptions& options,
                         bool replaces_range, const IngestedFileInfo& file) {
    if (replaces_range) {
      cfd.hotrap.NoteReplacement();
    }
    return IngestionPath::Choose(cfd, sv, file_options, options, replaces_range,
                                 file);
  }
};

}  // namespace ROCKSDB_NAMESPACE

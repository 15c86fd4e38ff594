//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What the releases of RocksDB that we build on do not have in common.

#pragma once

#include "rocksdb/version.h"

#if ROCKSDB_MAJOR >= 11
// Of VersionStorageInfo::ComputeCompactionScore(), behind the options.
#define HOTRAP_SCORE_ARGS(cfd) , (cfd)->GetFullHistoryTsLow()
// Of FileMetaData(), behind user_defined_timestamps_persisted.
#define HOTRAP_META_ARGS(file) , (file)->min_timestamp, (file)->max_timestamp
// Of Compaction(), behind the snapshot checker.
#define HOTRAP_COMPACTION_ARGS(reason, trim_ts, score, l0_files_overlap) \
  reason, trim_ts, score, l0_files_overlap
// The function of CompactionFilter that covers all types of records, and its
// arguments behind skip_until.
#define HOTRAP_FILTER FilterV4
#define HOTRAP_FILTER_ARGS , /*blob_resolver=*/nullptr
// Of WideColumnSerialization::Deserialize(), behind the columns.
#define HOTRAP_DESERIALIZE_ARGS , /*blob_columns=*/nullptr
// Of Version::AddIteratorsForLevel(), behind allow_unprepared_value.
#define HOTRAP_LEVEL_ITERATOR_ARGS , /*read_seq=*/kMaxSequenceNumber
// FileOptions of a table whose checksum is not known.
#define HOTRAP_NO_SUM(o) o.file_checksum_func_name = kNoFileChecksumFuncName
#else
#define HOTRAP_NO_SUM(o)
#define HOTRAP_LEVEL_ITERATOR_ARGS
#define HOTRAP_FILTER FilterV3
#define HOTRAP_FILTER_ARGS
#define HOTRAP_DESERIALIZE_ARGS
#define HOTRAP_SCORE_ARGS(cfd)
#define HOTRAP_META_ARGS(file)
#define HOTRAP_COMPACTION_ARGS(reason, trim_ts, score, l0_files_overlap)      \
  /*manual_compaction=*/false, trim_ts, score, /*deletion_compaction=*/false, \
      l0_files_overlap, reason
#endif

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Decides which file of the last fast level is compacted into the slow tier
// next (paper section 3.5). Hot records of the file are retained, so the
// benefit of compacting it is its cold part, and the cost is the whole file
// plus what it overlaps. Files are ordered by benefit / cost:
//
//   (FileSize - HotSize) / (FileSize + OverlappingBytes), the largest first
//
// HotSize comes from RALT's prefix sums, in memory, and is an overestimate.
// Files that seem to have nothing cold come last, ordered by file number,
// oldest first. (Not by epoch: retained records keep theirs, and the same file
// would be picked again and again.)
//
// Two of RocksDB's preferences remain: files marked for compaction come first,
// and deletions count for more bytes than they have. With kRoundRobin the order
// is RocksDB's, because its cursor depends on it.
//
// Thread safety: any thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "db/dbformat.h"

namespace ROCKSDB_NAMESPACE {

class Ralt;
struct FileMetaData;

// Returns RALT's estimate of the key and value bytes of hot records in the
// file, at most what the file holds. 0 if `ralt` is nullptr. If `error` is
// given, it receives the bytes by which the estimate may be wrong.
uint64_t EstimateHotBytes(const FileMetaData& file, const Ralt* ralt,
                          uint64_t* error = nullptr);

// Returns HotSize: the estimate scaled to the file's size, so that compression
// does not matter. The whole size if the estimate is too imprecise.
uint64_t EstimateHotSize(const FileMetaData& file, const Ralt* ralt);

// The number of files whose hotness is queried in one ordering, starting with
// those that would be best if nothing were hot. A query takes 1 to 2
// microseconds.
constexpr size_t kMaxHotSizesInOrdering = 1000;

// Returns the order in which to compact `files`, as indexes into it. Both
// levels are sorted by key, and files within a level do not overlap. Files
// beyond kMaxHotSizesInOrdering follow those with a cold part.
std::vector<int> OrderForCrossing(
    const InternalKeyComparator& icmp, const std::vector<FileMetaData*>& files,
    const std::vector<FileMetaData*>& next_level_files,
    const std::function<uint64_t(const FileMetaData&)>& hot_size);

}  // namespace ROCKSDB_NAMESPACE

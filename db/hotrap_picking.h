//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Which file of the last fast level is compacted into the slow tier next (paper
// section 3.5). What is hot of it comes back, so that the gain of compacting a
// file is what is cold of it, at the cost of all of it and what it overlaps:
//
//   (FileSize - HotSize) / (FileSize + OverlappingBytes), the largest first
//
// HotSize comes from RALT's prefix sums, in memory. It is an overestimate: a
// file that seems to have nothing cold comes last, the one written first
// before the others. (Not by epoch: what is retained keeps it, and the same
// file would be picked again and again.)
//
// RocksDB's preferences that stay: files marked for compaction go first, and
// deletions count as more bytes than they are. With kRoundRobin the order is
// RocksDB's, whose cursor is part of it.
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

// Key and value bytes of the hot records in the file, as RALT estimates them;
// at most what the file holds. 0 if `ralt` is nullptr. *error, if asked for, is
// what that may be wrong by.
uint64_t EstimateHotBytes(const FileMetaData& file, const Ralt* ralt,
                          uint64_t* error = nullptr);

// HotSize: the same as a part of the file's size, compression or not. All of it
// where the estimate is not good enough to tell.
uint64_t EstimateHotSize(const FileMetaData& file, const Ralt* ralt);

// Files whose hotness is asked for in one ordering: those of the largest gain
// if nothing were hot. It takes a microsecond or two each.
constexpr size_t kMaxHotSizesInOrdering = 1000;

// The order in which to compact `files`, as indexes into it. Both levels are
// sorted by key and have no overlap. Files beyond kMaxHotSizesInOrdering follow
// those that have something cold.
std::vector<int> OrderForCrossing(
    const InternalKeyComparator& icmp, const std::vector<FileMetaData*>& files,
    const std::vector<FileMetaData*>& next_level_files,
    const std::function<uint64_t(const FileMetaData&)>& hot_size);

}  // namespace ROCKSDB_NAMESPACE

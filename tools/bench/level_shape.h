//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Level targets for a fast budget.

#pragma once

#include <cstdint>
#include <vector>

#include "rocksdb/options.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// Sets the level targets of `options` for a fast tier of `fast_bytes`, and the
// sizes of memtables and files that go with them.
//
// Without HotRAP, the levels on the fast tier fill it (the paper's
// RocksDB-fat). RocksDB puts a level on the first path if the targets of all
// levels up to it fit there, and assumes that L0 is as large as L1. With ratio
// 10, base b and the levels L0..Ln on the fast tier:
//
//   L0 + L1 + L2 + ... + Ln  =  b + b + 10 b + ... + 10^(n-1) b
//
// n is the largest value for which b is at least 32 MiB, but at least 2: with a
// single level between the memtables and the boundary, each flush would cross
// it. Example, n = 2: 410 MB = 12 b, b = 34 MB: L0 34, L1 34, L2 342 MB fast.
//
// HotRAP fills the fast tier by itself, and gives Ln what L0, the other levels,
// RALT and one compaction leave. So with HotRAP, b is 3/4 of the above, and a
// file of L1 is an eighth of L1. Ln then is most of the fast tier, but at most
// about ten times the level above it. Example, n = 2: 410 MB, b = 26 MB: L0 26,
// L1 26, L2 245 MB, and up to 53 MB that RALT does not use. File sizes double
// from level to level, because RocksDB walks over all files at each flush and
// compaction, and most files are on the slow levels.
//
// L0 has the size of 4 memtables when its compaction starts, so a memtable is a
// quarter of the first b, with and without HotRAP. The first slow level is 20
// times as large as the last fast one, so that it holds ten times the fast
// budget without another level below it.
//
// By default RocksDB delays writes when compactions have 64 GiB left to write.
// In a store of a few GB, the last fast level could grow to many times its
// target before that. So these limits are scaled down with the data.
//
// REQUIRES: fast_bytes > 0
void FitLevelsToFastTier(uint64_t fast_bytes, bool hotrap,
                         ColumnFamilyOptions* options);

// Returns the first level that RocksDB's rule above does not put on the first
// path. For runs without HotRAP, which has its own rule.
int FirstSlowLevel(const ColumnFamilyOptions& options,
                   uint64_t fast_path_target_bytes);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

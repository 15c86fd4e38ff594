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
// Without HotRAP: so that the levels on the fast tier fill it (the paper's
// RocksDB-fat). RocksDB puts a level on the first path when the targets of all
// levels up to it fit there, where it takes L0 to be as large as L1. With ratio
// 10, base b and the levels L0..Ln on the fast tier:
//
//   L0 + L1 + L2 + ... + Ln  =  b + b + 10 b + ... + 10^(n-1) b
//
// The largest n is taken that leaves b at least 32 MiB, but at least 2: one
// level between the memtables and the boundary would make each flush cross it.
// Example, n = 2: 410 MB = 12 b, b = 34 MB: L0 34, L1 34, L2 342 MB fast.
//
// With HotRAP, which fills the fast tier itself and gives Ln what L0, the other
// levels, RALT and one compaction leave: b is 3/4 of that, and a file of L1 is
// an eighth of L1, so that Ln is most of it and yet no more than some ten times
// the level above it. Example, n = 2: 410 MB, b = 26 MB: L0 26, L1 26, L2
// 245 MB, and up to 53 MB that RALT does not use. Files double from level to
// level: RocksDB goes over all of them with each flush and compaction, and most
// lie on the slow levels.
//
// L0 is 4 memtables large when its compaction starts, hence memtables of a
// quarter of the first b: they are equal with and without HotRAP. The first
// slow level is made 20 times the last fast one: it holds data of ten times the
// fast budget without a further level below it.
//
// RocksDB delays writes when compactions are so far behind, by default, that 64
// GiB are to be written. In a store of a few GB they could fall behind until
// the last fast level is many times its target; the limits are scaled down with
// the data.
//
// REQUIRES: fast_bytes > 0
void FitLevelsToFastTier(uint64_t fast_bytes, bool hotrap,
                         ColumnFamilyOptions* options);

// The first level that RocksDB's rule above does not put on the first path: for
// runs without HotRAP, which has a rule of its own.
int FirstSlowLevel(const ColumnFamilyOptions& options,
                   uint64_t fast_path_target_bytes);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <memory>

#include "plugin/hotrap/db/budget/fast_ledger.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class Compaction;

// Reserves room on the fast path for what a compaction will write there, which
// is about to run. One within the tier waits while it does not fit beside
// others that run (FastLedger), but for a minute at most: what waits has files
// that others may need, and what runs may wait for it, on a listener's thread.
// It does not wait if it is to end: the DB closes, the column family was
// dropped, background work pauses, it is manual and was cancelled. Returns
// nullptr if HotRAP is not active. REQUIRES: DB mutex not held.
std::unique_ptr<FastLedger::Reservation> ReserveOutputs(
    const Compaction& compaction);

}  // namespace ROCKSDB_NAMESPACE

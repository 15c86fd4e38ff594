//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class TierState;

// Installs a version without changes, so that the column family's level targets
// are computed anew: by its share of the fast budget, although nobody writes to
// it. Does nothing if the DB closes or background work is paused: the next
// version will do. For a job. REQUIRES: DB mutex not held.
void RefreshTargets(TierState* state);

}  // namespace ROCKSDB_NAMESPACE

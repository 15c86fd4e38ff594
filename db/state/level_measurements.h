//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include "plugin/hotrap/db/placement/hotrap_level_shape.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class TierState;

// Returns what the targets of a column family's levels follow from now. Any
// thread, with or without the DB mutex.
LevelFeedback MeasureLevels(TierState* state);

}  // namespace ROCKSDB_NAMESPACE

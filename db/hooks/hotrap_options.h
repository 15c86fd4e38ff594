//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Parses, writes, validates and sanitizes the option group "hotrap={...}".
// option_fields.h has the fields.

#pragma once

#include "rocksdb/hotrap.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/options_type.h"

namespace ROCKSDB_NAMESPACE {

struct ImmutableDBOptions;

// Returns the type info for a HotRapOptions at `offset` of the column family
// options. It writes nothing while HotRAP is off, because stock RocksDB rejects
// OPTIONS files with unknown options.
OptionTypeInfo HotRapOptionTypeInfo(int offset);

// Returns InvalidArgument if a value is out of range, if the fast budget is too
// small for L0 and L1, or if RocksDB is to send tables down that are read
// (read_triggered_compaction_threshold). OK if HotRAP will merely be inactive.
Status ValidateHotRapOptions(const DBOptions& db_options,
                             const ColumnFamilyOptions& cf_options);

// Returns InvalidArgument if SetOptions() is to change a root: it would have no
// effect on an open DB.
Status ValidateHotRapChange(const HotRapOptions& before,
                            const HotRapOptions& after);

// Called for a column family that is about to be opened or created. Changes
// nothing, except in the forced mode of tests (HotRapForce).
void SanitizeHotRapOptions(const ImmutableDBOptions& db_options, bool read_only,
                           ColumnFamilyOptions* cf_options);

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The option group "hotrap={...}": how it is parsed, written and checked.

#pragma once

#include <cstdint>
#include <vector>

#include "rocksdb/hotrap.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/options_type.h"

namespace ROCKSDB_NAMESPACE {

struct ImmutableOptions;
struct MutableCFOptions;

// The entry of the column family options for a HotRapOptions at `offset`. It
// writes nothing while HotRAP is off, so that stock RocksDB, which rejects
// options it does not know, opens the OPTIONS file.
OptionTypeInfo HotRapOptionTypeInfo(int offset);

// Level FS, the first whose files go to a path other than paths[0], by the
// same rule that LevelCompactionBuilder::GetPathId() places files with.
// num_levels when no level does.
int FirstSlowLevel(const std::vector<DbPath>& paths, int num_levels,
                   uint64_t max_bytes_for_level_base,
                   double max_bytes_for_level_multiplier,
                   const std::vector<int>& multiplier_additional);
int FirstSlowLevel(const ImmutableOptions& ioptions,
                   const MutableCFOptions& options);

// InvalidArgument where the user's wish can't be meant.
Status ValidateHotRapOptions(const DBOptions& db_options,
                             const ColumnFamilyOptions& cf_options);

}  // namespace ROCKSDB_NAMESPACE

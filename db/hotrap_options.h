//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The option group "hotrap={...}": how it is parsed, written and checked.

#pragma once

#include "rocksdb/hotrap.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/options_type.h"

namespace ROCKSDB_NAMESPACE {

// The entry of the column family options for a HotRapOptions at `offset`. It
// writes nothing while HotRAP is off, so that stock RocksDB, which rejects
// options it does not know, opens the OPTIONS file.
OptionTypeInfo HotRapOptionTypeInfo(int offset);

// InvalidArgument where the user's wish can't be meant.
Status ValidateHotRapOptions(const DBOptions& db_options,
                             const ColumnFamilyOptions& cf_options);

}  // namespace ROCKSDB_NAMESPACE

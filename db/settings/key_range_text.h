//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Lists of key ranges as text:
//
//   {prefix=user/}:{begin=0x00ff;end=b}
//
// Keys are read as they are or, after 0x, as hexadecimal digits. They are
// written as the latter, which needs no escaping in an option string or an
// OPTIONS file.
//
// Thread safety: any thread.

#pragma once

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/utilities/options_type.h"

namespace ROCKSDB_NAMESPACE {

// The type info of a std::vector<HotRapKeyRange> at `offset`. Parsing returns
// InvalidArgument, and says what would be right.
OptionTypeInfo KeyRangesTypeInfo(int offset);

}  // namespace ROCKSDB_NAMESPACE

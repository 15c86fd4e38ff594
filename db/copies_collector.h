//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Writes the property of PromotedCopies into the tables that a promotion or a
// compaction builds.
//
// Thread safety: factories are used by many threads at once, and so is the
// function that they are given; each collector belongs to one table.

#pragma once

#include <functional>

#include "db/dbformat.h"
#include "db/table_properties_collector.h"

namespace ROCKSDB_NAMESPACE {

// Whether a record that goes into a table is a promoted copy. Made once a
// table, and asked in key order.
using IsCopy = std::function<bool(const ParsedInternalKey&)>;
using IsCopyFactory = std::function<IsCopy()>;

// `others`, which must outlive the result, and a factory of collectors that
// note the copies. A table without one gets no property.
InternalTblPropCollFactories WithCopiesCollector(
    const InternalTblPropCollFactories& others, IsCopyFactory make_is_copy);

}  // namespace ROCKSDB_NAMESPACE

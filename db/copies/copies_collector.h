//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Writes the PromotedCopies property into tables built by a promotion or a
// compaction.
//
// Thread safety: factories, and the functions given to them, are used by many
// threads at once. A collector belongs to one table.

#pragma once

#include <functional>

#include "db/dbformat.h"
#include "db/table_properties_collector.h"

namespace ROCKSDB_NAMESPACE {

// Returns whether a record that goes into a table is a promoted copy. Created
// once per table and called in key order.
using IsCopy = std::function<bool(const ParsedInternalKey&)>;
using IsCopyFactory = std::function<IsCopy()>;
// Returns whether a table with this copy is to be compacted further down. Any
// thread.
using Sinks = std::function<bool(const ParsedInternalKey&)>;

struct CopiesCollectorOptions {
  // The size of the keys' timestamps, which are not part of a mark: they may
  // have come after the copy, if they are not persisted.
  size_t timestamp_size = 0;
  // May be empty: then none.
  Sinks sinks;
};

// Returns `others`, which must outlive the result, plus a factory of collectors
// that note the copies. A table without copies gets no property.
InternalTblPropCollFactories WithCopiesCollector(
    const InternalTblPropCollFactories& others,
    const CopiesCollectorOptions& options, IsCopyFactory make_is_copy);

}  // namespace ROCKSDB_NAMESPACE

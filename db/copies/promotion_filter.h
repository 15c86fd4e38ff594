//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Asks the column family's compaction filter, before a record is promoted,
// whether it would keep the record as it is. Promoting anything else is a
// waste: the next compaction that meets the copy sends it down again.
//
// Not thread-safe: one object for each promotion, as each compaction has a
// filter of its own. Records are asked about in key order.

#pragma once

#include <memory>

#include "plugin/hotrap/promotion/promotion_record.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/comparator.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class Compaction;

class PromotionFilter {
 public:
  // For a promotion by flush. A factory is asked for a filter as if for a
  // compaction that is neither full nor manual, of an unknown start level; the
  // filter, about records of level 0. `cfd` must outlive this object.
  explicit PromotionFilter(const ColumnFamilyData& cfd);
  // For the records that a compaction takes from the promotion cache. The
  // filter is one that the compaction itself could have. `compaction` must
  // outlive this object.
  explicit PromotionFilter(const Compaction& compaction);

  // Returns whether the filter keeps the record as it is, or there is none.
  bool Keeps(const PromotionRecord& record) const;

 private:
  const Comparator* const ucmp_;
  const int level_;
  std::unique_ptr<CompactionFilter> from_factory_;
  const CompactionFilter* filter_ = nullptr;
};

}  // namespace ROCKSDB_NAMESPACE

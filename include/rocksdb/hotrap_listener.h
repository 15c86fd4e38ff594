//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// An EventListener that hears of HotRAP, too.

#pragma once

#include <cstdint>
#include <string>

#include "rocksdb/listener.h"

namespace ROCKSDB_NAMESPACE {

// Records of the slow tier were copied to the fast one: a promotion by flush.
struct HotRapPromotionInfo {
  uint32_t cf_id = 0;
  std::string cf_name;
  uint64_t records = 0;
  // Key and value bytes of these records.
  uint64_t bytes = 0;
  // Number of the new table in L0.
  uint64_t file_number = 0;
};

// A compaction has moved records from the fast to the slow tier.
struct HotRapCrossingInfo {
  uint32_t cf_id = 0;
  std::string cf_name;
  // Key and value bytes of the records that it took from the fast tier.
  uint64_t fast_input_bytes = 0;
  // Hot records that it left on the fast tier, or moved up to it.
  uint64_t retained_records = 0;
  uint64_t retained_bytes = 0;
  // Records that it took from the promotion cache to the fast tier.
  uint64_t promoted_records = 0;
  uint64_t promoted_bytes = 0;
};

// Writes began to be slowed or stopped, or go at full speed again, because of
// what the fast path of a column family holds. Concerns all writes to the DB.
struct HotRapWriteStallInfo {
  // The column family that takes most beyond its targets.
  uint32_t cf_id = 0;
  std::string cf_name;
  WriteStallCondition condition = WriteStallCondition::kNormal;
  WriteStallCondition before = WriteStallCondition::kNormal;
  // While writes are delayed: what they get.
  uint64_t bytes_per_sec = 0;
  // On the fast path, of all column families: tables, RALT and memtables, and
  // what may be there.
  uint64_t fast_bytes = 0;
  uint64_t limit_bytes = 0;
};

// Among DBOptions::listeners, like any other:
//
//   class Mine : public HotRapListener {
//     void OnHotRapPromotion(DB* db, const HotRapPromotionInfo& info) override;
//   };
//   options.listeners.push_back(std::make_shared<Mine>());
//
// It hears RocksDB's events as well. HotRAP's come a little after the fact, in
// the order in which they happened within a column family, on a thread of the
// LOW pool and without locks, so that a slow listener holds up compactions, as
// with RocksDB's events. Those that wait when the DB closes are lost. What must
// not be called from OnCompactionCompleted() must not be called here either. A
// listener without this base costs nothing.
class HotRapListener : public EventListener {
 public:
  static const char* kClassName() { return "HotRapListener"; }
  const char* Name() const override { return kClassName(); }
  // True for this base's name, whatever Name() is.
  bool IsInstanceOf(const std::string& name) const override {
    return name == kClassName() || EventListener::IsInstanceOf(name);
  }

  virtual void OnHotRapPromotion(DB* /*db*/,
                                 const HotRapPromotionInfo& /*info*/) {}
  virtual void OnHotRapCrossing(DB* /*db*/,
                                const HotRapCrossingInfo& /*info*/) {}
  // RocksDB's OnStallConditionsChanged() tells only of its own reasons.
  virtual void OnHotRapWriteStall(DB* /*db*/,
                                  const HotRapWriteStallInfo& /*info*/) {}
};

}  // namespace ROCKSDB_NAMESPACE

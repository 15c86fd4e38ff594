//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// TiKV's compaction filters.
//
// Thread safety: the factories and GcQueue may be used from any thread; a
// filter is used by one compaction.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "rocksdb/compaction_filter.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

// What compaction filters leave to the GC worker (GcTask).
class GcQueue {
 public:
  // Data keys of which the newest version is a deletion below the safe point,
  // and nothing is below it.
  void AddKeys(const std::vector<std::string>& keys);
  // Keys of the default column family that could not be deleted at once.
  void AddOrphans(const std::vector<std::string>& keys);
  void Take(std::vector<std::string>* keys, std::vector<std::string>* orphans);

 private:
  std::mutex mutex_;
  // Protected by mutex_.
  std::vector<std::string> keys_;
  std::vector<std::string> orphans_;
};

// WriteCompactionFilter: drops versions that no read at or above the safe point
// can see, and deletes their values from the default column family.
class MvccFilterFactory : public CompactionFilterFactory {
 public:
  MvccFilterFactory(const std::atomic<uint64_t>* safe_point, GcQueue* queue)
      : safe_point_(safe_point), queue_(queue) {}

  // After the DB was opened, and with nullptr before it is closed.
  void SetDB(DB* db, ColumnFamilyHandle* default_family);
  // Deletes what is in `keys` from the default column family, or leaves it to
  // the GC worker.
  void DeleteValues(std::vector<std::string>* keys);
  GcQueue* queue() const { return queue_; }

  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context& context) override;
  const char* Name() const override {
    return "write_compaction_filter_factory";
  }

 private:
  const std::atomic<uint64_t>* const safe_point_;
  GcQueue* const queue_;

  std::mutex mutex_;
  // Protected by mutex_.
  DB* db_ = nullptr;
  ColumnFamilyHandle* default_family_ = nullptr;
};

// TTLCompactionFilter: drops raw values that have expired. Others are kept, as
// where transactional and raw keys are in one cluster.
class RawTtlFilterFactory : public CompactionFilterFactory {
 public:
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context& context) override;
  const char* Name() const override { return "ttl_compaction_filter_factory"; }
};

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE

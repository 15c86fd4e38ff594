//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What an engine program reports: operations, invariants checked, and by
// column family hits by tier, what was promoted and retained, and bytes by
// tier. Figures of HotRAP start anew when a DB is opened, so they are collected
// before each close and added up.
//
// Thread-safe.

#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

class TierReport {
 public:
  explicit TierReport(const std::string& fast_path) : fast_path_(fast_path) {}

  // Reads the figures of an open DB. `db_name` tells two DBs apart.
  void Read(const std::string& db_name, DB* db,
            const std::vector<ColumnFamilyHandle*>& handles);
  // The DB is about to be closed: what was read last counts.
  void Closed(const std::string& db_name);

  // One line on what was done since the start.
  std::string ProgressLine(double secs) const;
  // Everything, for people: some lines.
  std::string Text() const;
  // Everything, as JSON. Replaces the file as a whole.
  void WriteJson(const std::string& file, double secs, bool finished) const;

  uint64_t promoted_records() const;

 private:
  struct Figures {
    // Names are those of the property "rocksdb.hotrap.stats".
    std::map<std::string, uint64_t> counters;
    std::string inactive_reason;
    uint64_t fast_bytes = 0;
    uint64_t slow_bytes = 0;
  };

  static uint64_t Of(const Figures& figures, const std::string& counter);
  // REQUIRES: mutex_ held.
  std::map<std::string, Figures> Sums() const;

  const std::string fast_path_;

  mutable std::mutex mutex_;
  // Protected by mutex_. By "DB/column family".
  std::map<std::string, Figures> closed_;
  std::map<std::string, Figures> open_;
};

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Options that the process has set for DBs by the pattern of their folder:
// rocksdb/hotrap_defaults.h.
//
// Thread safety: thread-safe.

#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rocksdb/hotrap.h"

namespace ROCKSDB_NAMESPACE {

class DefaultOptions {
 public:
  static DefaultOptions& OfTheProcess();

  uint64_t Add(const std::string& db_pattern, const std::string& cf_pattern,
               const HotRapOptions& options);
  void Remove(uint64_t id);

  // Returns the options that were added last of those that fit one of the DB's
  // names and the column family's.
  std::optional<HotRapOptions> Find(const std::vector<std::string>& db_folders,
                                    const std::string& cf_name) const;

 private:
  struct Entry {
    std::string db_pattern;
    std::string cf_pattern;
    HotRapOptions options;
  };

  mutable std::mutex mutex_;
  uint64_t last_id_ = 0;
  // By id: the last one was added last.
  std::map<uint64_t, Entry> entries_;
};

}  // namespace ROCKSDB_NAMESPACE

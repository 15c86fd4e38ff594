//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/settings/default_options.h"

#include <fnmatch.h>

#include <algorithm>

#include "rocksdb/hotrap_defaults.h"

namespace ROCKSDB_NAMESPACE {

namespace {

bool Fits(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

}  // namespace

DefaultOptions& DefaultOptions::OfTheProcess() {
  // Never destroyed: DBs may be opened by threads that outlive main().
  static DefaultOptions* const options = new DefaultOptions();
  return *options;
}

uint64_t DefaultOptions::Add(const std::string& db_pattern,
                             const std::string& cf_pattern,
                             const HotRapOptions& options) {
  std::lock_guard<std::mutex> lock(mutex_);
  last_id_++;
  entries_[last_id_] = {db_pattern, cf_pattern, options};
  return last_id_;
}

void DefaultOptions::Remove(uint64_t id) {
  std::lock_guard<std::mutex> lock(mutex_);
  entries_.erase(id);
}

std::optional<HotRapOptions> DefaultOptions::Find(
    const std::vector<std::string>& db_folders,
    const std::string& cf_name) const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = entries_.rbegin(); it != entries_.rend(); ++it) {
    const Entry& entry = it->second;
    if (Fits(entry.cf_pattern, cf_name) &&
        std::any_of(db_folders.begin(), db_folders.end(),
                    [&](const std::string& folder) {
                      return Fits(entry.db_pattern, folder);
                    })) {
      return entry.options;
    }
  }
  return std::nullopt;
}

uint64_t AddHotRapDefaults(const std::string& db_pattern,
                           const std::string& cf_pattern,
                           const HotRapOptions& options) {
  return DefaultOptions::OfTheProcess().Add(db_pattern, cf_pattern, options);
}

void RemoveHotRapDefaults(uint64_t id) {
  DefaultOptions::OfTheProcess().Remove(id);
}

}  // namespace ROCKSDB_NAMESPACE

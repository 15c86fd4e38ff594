//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Finds out on which of a column family's paths a table lies. The listings of
// the paths decide; the number that the MANIFEST gives is a hint, which wins
// wherever it can be true: paths may be moved, given in another order, or
// joined, while the MANIFEST stays as it was.
//
// Thread safety: external synchronization.

#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rocksdb/file_system.h"
#include "rocksdb/options.h"

namespace ROCKSDB_NAMESPACE {

class TableLocator {
 public:
  enum class Source {
    // Each folder is listed once, when it is first asked for.
    kListings,
    // Somebody else adds and removes tables all the time: each is looked for.
    kProbes,
  };

  struct Place {
    // Always one of the paths.
    uint32_t path = 0;
    // False only if it is known that no path has the table.
    bool found = true;
  };

  TableLocator(FileSystem* fs, Source source) : fs_(fs), source_(source) {}
  TableLocator(const TableLocator&) = delete;
  TableLocator& operator=(const TableLocator&) = delete;

  // REQUIRES: paths not empty
  Place Find(const std::vector<DbPath>& paths, uint64_t number, uint32_t hint);

  // Whether the table is there now.
  bool Exists(const std::string& path, uint64_t number);

  // False if the folder cannot be listed.
  bool HoldsNoTables(const std::string& path);

  // Whether the paths are more than one folder, written in the same way or not.
  static bool AreSeveral(const std::vector<DbPath>& paths);

 private:
  struct Listing {
    std::unordered_set<uint64_t> numbers;
    // Otherwise nothing is known of the folder.
    bool complete = false;
  };

  const Listing& Of(const std::string& path);
  Place Probe(const std::vector<DbPath>& paths, uint64_t number, uint32_t path);

  FileSystem* const fs_;
  const Source source_;
  std::unordered_map<std::string, Listing> listings_;
  uint64_t newest_listed_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Finds the path on which a table of a column family lies. The listings of the
// paths decide. The path number in the MANIFEST is a hint, which wins whenever
// it can be true: paths may be moved, reordered or merged while the MANIFEST
// stays unchanged.
//
// Thread safety: needs external synchronization.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "table/unique_id_impl.h"

namespace ROCKSDB_NAMESPACE {

class TableLocator {
 public:
  enum class Source {
    // Each folder is listed once, when it is first needed.
    kListings,
    // Another process adds and removes tables all the time, so each table is
    // probed.
    kProbes,
  };

  struct Place {
    // Always one of the paths.
    uint32_t path = 0;
    // False only if the table is known to be on none of the paths.
    bool found = true;
  };

  TableLocator(FileSystem* fs, Source source) : fs_(fs), source_(source) {}
  TableLocator(const TableLocator&) = delete;
  TableLocator& operator=(const TableLocator&) = delete;

  // If several paths have a file of that number, one with `size` bytes wins
  // over others, of these one that can be read, and of these the one with `id`:
  // a copy that was cut short has less, one for which space was reserved has no
  // content yet, and what an older state of the DB has left has another id. 0
  // and kNullUniqueId64x2: unknown. REQUIRES: paths not empty
  Place Find(const std::vector<DbPath>& paths, uint64_t number, uint32_t hint,
             uint64_t size = 0, const UniqueId64x2& id = kNullUniqueId64x2);

  // Returns the path of a blob file that is not on the first path, where
  // RocksDB looks for it, but on another one; else "".
  std::string StrayBlobFile(const std::vector<DbPath>& paths, uint64_t number);

  // Returns whether the table is there now.
  bool Exists(const std::string& path, uint64_t number);

  // Returns whether the folder holds no tables; false if it cannot be listed.
  bool HoldsNoTables(const std::string& path);

  // Returns whether the paths name more than one folder; different spellings of
  // a folder count as one.
  static bool AreSeveral(const std::vector<DbPath>& paths);

 private:
  struct Listing {
    std::unordered_set<uint64_t> numbers;
    std::unordered_set<uint64_t> blob_files;
    // If false, nothing is known about the folder.
    bool complete = false;
  };

  const Listing& Of(const std::string& path);
  Place Probe(const std::vector<DbPath>& paths, uint64_t number, uint32_t path);
  bool HasBlobFile(const std::string& path, uint64_t number);
  bool HasSize(const std::string& path, uint64_t number, uint64_t size);
  // Of the paths `found`, the best one; none if nothing speaks for any.
  std::optional<uint32_t> Choose(const std::vector<DbPath>& paths,
                                 uint64_t number,
                                 const std::vector<uint32_t>& found,
                                 uint64_t size, const UniqueId64x2& id);

  FileSystem* const fs_;
  const Source source_;
  std::unordered_map<std::string, Listing> listings_;
  uint64_t newest_listed_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE

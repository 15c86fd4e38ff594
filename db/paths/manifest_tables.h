//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The tables at the end of a DB's MANIFEST, as far as that can be read, for
// operations on a DB that is not open: RepairDB and DestroyDB.
//
// Thread safety: a plain value.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "rocksdb/file_system.h"

namespace ROCKSDB_NAMESPACE {

// A path number has two bits in the MANIFEST.
constexpr size_t kMaxPaths = 4;

struct ManifestTables {
  struct Table {
    uint32_t path;
    uint64_t size;
  };
  struct Family {
    std::string name;
    std::map<uint64_t, Table> tables;  // by number
  };

  // By id.
  std::map<uint32_t, Family> families;
  bool has_blob_files = false;
  // The MANIFEST was read, and no damage was met.
  bool is_whole = false;

  // Reads the current MANIFEST or, if CURRENT is lost, the one with the highest
  // number.
  static ManifestTables Read(FileSystem* fs, const std::string& dbname);

  // The sizes of all tables, by number.
  std::map<uint64_t, uint64_t> Sizes() const;
};

}  // namespace ROCKSDB_NAMESPACE

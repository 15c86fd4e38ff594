//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A DB opened by its OPTIONS file and its paths, with all column families.
// ldb's own way to open one sets a merge operator where there is none, which a
// command that compacts must not do.
//
// Thread safety: none.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/ldb/tool_paths.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {

// Switches HotRAP off, also where the environment would switch it on.
void SwitchHotRapOff(ColumnFamilyOptions* options);

class TieredDB {
 public:
  enum class Mode {
    kReadOnly,
    // For writing, with HotRAP as in the OPTIONS file.
    kAsConfigured,
    // For writing, with HotRAP off. The new OPTIONS file does not name it, not
    // even a root: a stock RocksDB reads the file.
    kHotRapOff,
  };

  // Without an OPTIONS file, opens with default options, but not for writing.
  static Status Open(const std::string& name, const ConfigOptions& config,
                     const ToolPaths& paths, Mode mode,
                     std::unique_ptr<TieredDB>* opened);

  ~TieredDB();
  TieredDB(const TieredDB&) = delete;
  TieredDB& operator=(const TieredDB&) = delete;

  DB* db() { return db_.get(); }
  const std::vector<ColumnFamilyHandle*>& families() const { return families_; }

  // Returns whether HotRAP is on, or has left something: a folder of RALT, or
  // promoted copies.
  bool KnowsHotRap();

  // Upper bound on a column family's promoted copies. Reads the properties of
  // its tables.
  uint64_t PromotedCopies(ColumnFamilyHandle* family);

  // Returns the folder of a column family's RALT, or nothing.
  std::string RaltFolder(ColumnFamilyHandle* family);

 private:
  TieredDB() = default;

  std::unique_ptr<DB> db_;
  std::vector<ColumnFamilyHandle*> families_;
};

}  // namespace ROCKSDB_NAMESPACE

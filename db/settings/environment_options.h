//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The environment variable ROCKSDB_HOTRAP: options for programs that know
// nothing of HotRAP. rocksdb/hotrap.h has its format.
//
// Thread safety: a plain value. Reading the environment is safe unless the
// program changes it at the same time.

#pragma once

#include <string>
#include <vector>

#include "rocksdb/hotrap.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class EnvironmentOptions {
 public:
  // Reads the variable, and the file that it names. Finds nothing if it is not
  // set, or empty, or if the program runs with the rights of another user
  // (set-uid), whose folders the caller must not choose.
  static Status Read(EnvironmentOptions* result);

  // The same from a value, for tests.
  static Status Parse(const std::string& value, EnvironmentOptions* result);

  // Returns whether the variable is set. Reads no file.
  static bool IsSet();

  bool empty() const { return sections_.empty(); }

  // Returns the options for a column family, or nullptr: those of the first
  // section that fits one of the DB's names and the column family's. Their
  // `source` says which one it was.
  const HotRapOptions* Find(const std::vector<std::string>& db_folders,
                            const std::string& cf_name) const;

 private:
  struct Section {
    std::string db_pattern = "*";
    std::string cf_pattern = "*";
    HotRapOptions options;
  };

  Status ParseFile(const std::string& file, const std::string& text);

  std::vector<Section> sections_;
};

}  // namespace ROCKSDB_NAMESPACE

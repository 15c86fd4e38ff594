//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Finds options that are valid but probably not what the user wants. They are
// reported in the LOG when HotRAP becomes active in a column family. A pure
// function of the options.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "options/cf_options.h"

namespace ROCKSDB_NAMESPACE {

// The share that another column family of the DB takes of a fast path.
struct FastPathShare {
  std::string path;
  uint64_t target_size = 0;
  uint64_t budget_bytes = 0;  // of its own; 0 if it shares the path's
};

// The budget of the fast path, and the least that what lies there needs.
struct FastPathBudget {
  uint64_t bytes = 0;
  uint64_t least_bytes = 0;
};

// Returns the warnings for a column family with these options. `others` are the
// other column families of the DB in which HotRAP is active. `has_blob_files`:
// the column family has blob files already. Asks the file system whether paths
// are links.
std::vector<std::string> HotRapWarnings(
    const ImmutableOptions& ioptions, const MutableCFOptions& options,
    const std::vector<FastPathShare>& others, const FastPathBudget& budget,
    bool has_blob_files);

}  // namespace ROCKSDB_NAMESPACE

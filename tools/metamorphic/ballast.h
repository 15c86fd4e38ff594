//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Fills a fast tier that all column families share, beside what a list writes
// there, which is too little: with each operation, random records go to column
// families of its own. Nothing reads them. Not thread-safe.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

class Ballast {
 public:
  static constexpr size_t kFamilies = 2;

  static std::string FamilyName(size_t i) {
    return "ballast" + std::to_string(i);
  }

  explicit Ballast(uint64_t seed) : rnd_(static_cast<uint32_t>(seed)) {}

  // Writes to the families from `first` on. Must end, however full the tier is.
  Status Step(const WriteOptions& options, DB* db,
              ColumnFamilyHandle* const* first);

 private:
  Random rnd_;
};

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

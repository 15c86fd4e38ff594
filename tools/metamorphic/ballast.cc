//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/ballast.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {

// So few that what compactions write beside is little.
constexpr int kKeys = 300;
constexpr int kValueBytes = 1000;
// At each step, of one column family.
constexpr int kPuts = 4;

}  // namespace

Status Ballast::Step(const WriteOptions& options, DB* db,
                     ColumnFamilyHandle* const* first) {
  Status s;
  for (size_t i = 0; i < kFamilies; i++) {
    for (int j = 0; j < kPuts && s.ok(); j++) {
      s = db->Put(options, first[i], std::to_string(rnd_.Uniform(kKeys)),
                  rnd_.RandomString(kValueBytes));
    }
  }
  return s;
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/ralt_stats.h"

#include <sstream>

namespace ROCKSDB_NAMESPACE {

std::string RaltStats::ToString() const {
  std::ostringstream out;
  ForEach([&out](const char* name, auto value) {
    out << name << ": " << value << "\n";
  });
  return out.str();
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/path_list.h"

#include <regex>

#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE {

Status ParsePathList(const std::string& text, std::vector<DbPath>* paths) {
  // No value overflows.
  static const std::regex kSize("[0-9]{1,7}[kKmMgGtT]|[0-9]{1,18}");
  paths->clear();
  for (const std::string& entry : StringSplit(text, ',')) {
    DbPath path(entry, 0);
    const size_t colon = entry.rfind(':');
    if (colon != std::string::npos) {
      const std::string size = entry.substr(colon + 1);
      if (!std::regex_match(size, kSize)) {
        return Status::InvalidArgument(
            "not a size (a number, or one with K, M, G or T): " + size, entry);
      }
      path = DbPath(entry.substr(0, colon), ParseUint64(size));
    }
    if (path.path.empty()) {
      return Status::InvalidArgument("a path is empty", text);
    }
    paths->push_back(path);
  }
  return paths->empty() ? Status::InvalidArgument("no path", text)
                        : Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE

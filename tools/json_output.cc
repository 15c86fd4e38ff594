//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/json_output.h"

#include <string>

namespace ROCKSDB_NAMESPACE {

namespace {

void PrintText(const Json& value, size_t indent, std::ostream* out) {
  const std::string margin(indent, ' ');
  for (const auto& [name, item] : value.items()) {
    *out << margin << name << ":";
    if (item.is_object()) {
      *out << '\n';
      PrintText(item, indent + 2, out);
    } else if (item.is_array()) {
      *out << '\n';
      for (const Json& element : item) {
        *out << margin << "  " << element.dump() << '\n';
      }
    } else {
      *out << ' ' << item.dump() << '\n';
    }
  }
}

}  // namespace

void PrintJson(const Json& object, bool as_text, std::ostream* out) {
  if (as_text) {
    PrintText(object, 0, out);
  } else {
    *out << object.dump(2) << '\n';
  }
}

}  // namespace ROCKSDB_NAMESPACE

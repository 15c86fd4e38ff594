//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/answer.h"

#include <algorithm>
#include <cinttypes>

#include "util/hash.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {
constexpr size_t kShortBytes = 12;
}  // namespace

std::string KeyOf(int key) {
  char text[16];
  snprintf(text, sizeof(text), "key%04d", key);
  return text;
}

std::string ValueOf(int value, int bytes) {
  std::string text = std::to_string(value) + ":";
  if (text.size() < static_cast<size_t>(bytes)) {
    Random rnd(static_cast<uint32_t>(value));
    text += rnd.HumanReadableString(bytes - static_cast<int>(text.size()));
  }
  text.resize(bytes);
  return text;
}

Columns EntityOf(int value, int bytes) {
  switch (value % 4) {
    case 0:
      return {{"", ValueOf(value, bytes)}};
    case 1:
      return {{"", ValueOf(value, bytes / 2)},
              {"a", ValueOf(value + 1, bytes / 2)}};
    case 2:
      return {{"a", ValueOf(value, bytes / 2)},
              {"b", ValueOf(value + 1, bytes / 2)}};
    default:
      return {{"", ValueOf(value, bytes / 3)},
              {"a", ValueOf(value + 1, bytes / 3)},
              {"b", ValueOf(value + 2, bytes / 3)}};
  }
}

WideColumns AsWideColumns(const Columns& columns) {
  WideColumns wide;
  for (const auto& [name, value] : columns) {
    wide.emplace_back(name, value);
  }
  return wide;
}

std::string ShortText(const Slice& marked_value) {
  std::string value = marked_value.ToString();
  value.erase(std::remove(value.begin(), value.end(), kFilterMark),
              value.end());
  if (value.size() <= kShortBytes) {
    return "'" + value + "'";
  }
  char text[48];
  snprintf(text, sizeof(text), "'#%zu.%08" PRIx32, value.size(),
           Lower32of64(GetSliceHash64(value)));
  return "'" + value.substr(0, kShortBytes) + text;
}

std::string ReadText(const Status& s, const Slice& value) {
  if (s.IsNotFound()) {
    return kNotFound;
  }
  return s.ok() ? ShortText(value) : s.ToString();
}

std::string ColumnsText(const WideColumns& columns) {
  std::string text = "{";
  for (const WideColumn& column : columns) {
    text += column.name().ToString() + "=" + ShortText(column.value()) + ";";
  }
  return text + "}";
}

std::string EntryText(const Slice& key, const Slice& value,
                      const WideColumns& columns) {
  std::string text = key.ToString() + "=" + ShortText(value);
  const bool plain = columns.size() == 1 &&
                     columns[0].name() == kDefaultWideColumnName &&
                     columns[0].value() == value;
  if (!plain) {
    text += ColumnsText(columns);
  }
  return text + " ";
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

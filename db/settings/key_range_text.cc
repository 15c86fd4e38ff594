//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/settings/key_range_text.h"

#include <string>
#include <unordered_map>
#include <vector>

#include "rocksdb/convenience.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

namespace {

using KeyRangeList = std::vector<HotRapKeyRange>;

constexpr char kSeparator = ':';
constexpr char kHexPrefix[] = "0x";

Status ParseKey(const std::string& text, std::string* key) {
  Slice digits(text);
  if (!digits.starts_with(kHexPrefix)) {
    *key = text;
    return Status::OK();
  }
  digits.remove_prefix(sizeof(kHexPrefix) - 1);
  key->clear();
  return digits.DecodeHex(key)
             ? Status::OK()
             : Status::InvalidArgument("\"" + text +
                                       "\" is no even number of hexadecimal "
                                       "digits after 0x");
}

std::string KeyText(const std::string& key) {
  return kHexPrefix + Slice(key).ToString(/*hex=*/true);
}

Status ParseRange(const ConfigOptions& /*config_options*/,
                  const std::string& /*name*/, const std::string& value,
                  void* addr) {
  HotRapKeyRange range;
  const std::unordered_map<std::string, std::string*> keys = {
      {"begin", &range.begin}, {"end", &range.end}, {"prefix", &range.prefix}};
  std::unordered_map<std::string, std::string> texts;
  Status s = StringToMap(value, &texts);
  if (s.ok() && texts.empty()) {
    s = Status::InvalidArgument("a range has none of begin, end and prefix");
  }
  for (const auto& [name, text] : texts) {
    const auto key = keys.find(name);
    s = key == keys.end() ? Status::InvalidArgument("\"" + name +
                                                    "\" is not "
                                                    "begin, end or prefix")
                          : ParseKey(text, key->second);
    if (!s.ok()) {
      break;
    }
  }
  if (s.ok()) {
    *static_cast<HotRapKeyRange*>(addr) = range;
  }
  return s;
}

Status SerializeRange(const ConfigOptions& /*config_options*/,
                      const std::string& /*name*/, const void* addr,
                      std::string* value) {
  const auto& range = *static_cast<const HotRapKeyRange*>(addr);
  *value = !range.prefix.empty() ? "{prefix=" + KeyText(range.prefix) + "}"
                                 : "{begin=" + KeyText(range.begin) +
                                       ";end=" + KeyText(range.end) + "}";
  return Status::OK();
}

bool SameRange(const ConfigOptions& /*config_options*/, const std::string& name,
               const void* addr1, const void* addr2, std::string* mismatch) {
  const bool same = *static_cast<const HotRapKeyRange*>(addr1) ==
                    *static_cast<const HotRapKeyRange*>(addr2);
  if (!same) {
    *mismatch = name;
  }
  return same;
}

OptionTypeInfo RangeTypeInfo() {
  OptionTypeInfo info(0, OptionType::kStruct);
  info.SetParseFunc(&ParseRange);
  info.SetSerializeFunc(&SerializeRange);
  info.SetEqualsFunc(&SameRange);
  return info;
}

// RocksDB's releases differ in how many of the outer braces they leave.
Status WithoutOuterBraces(std::string* text) {
  for (;;) {
    size_t end = 0;
    std::string token;
    const Status s =
        OptionTypeInfo::NextToken(*text, kSeparator, 0, &end, &token);
    // At the end of the text it is npos, or behind a brace the size.
    if (!s.ok() || end < text->size() || token == *text) {
      return s;
    }
    *text = token;
  }
}

Status ParseRanges(const ConfigOptions& config_options, const std::string& name,
                   const std::string& value, void* addr) {
  static const OptionTypeInfo range_info = RangeTypeInfo();
  std::string text = value;
  KeyRangeList ranges;
  Status s = WithoutOuterBraces(&text);
  if (s.ok()) {
    s = ParseVector<HotRapKeyRange>(config_options, range_info, kSeparator,
                                    name, text, &ranges);
  }
  if (!s.ok()) {
    return Status::InvalidArgument("hotrap." + name + " is \"" + value +
                                   "\": " + s.getState() +
                                   "; it must be ranges of keys, such as "
                                   "{{prefix=user/}:{begin=0x00ff;end=b}}");
  }
  *static_cast<KeyRangeList*>(addr) = ranges;
  return Status::OK();
}

}  // namespace

OptionTypeInfo KeyRangesTypeInfo(int offset) {
  OptionTypeInfo info = OptionTypeInfo::Vector<HotRapKeyRange>(
      offset, OptionVerificationType::kNormal, OptionTypeFlags::kMutable,
      RangeTypeInfo(), kSeparator);
  info.SetParseFunc(&ParseRanges);
  return info;
}

}  // namespace ROCKSDB_NAMESPACE

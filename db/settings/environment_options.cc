//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/settings/environment_options.h"

#include <fnmatch.h>
#ifdef __GLIBC__
#include <stdlib.h>
#else
#include <unistd.h>

#include <cstdlib>
#endif

#include <algorithm>
#include <cctype>
#include <iomanip>
#include <sstream>

#include "options/options_parser.h"
#include "plugin/hotrap/db/settings/option_fields.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr char kGroupName[] = "hotrap";

const char* Value() {
#ifdef __GLIBC__
  return secure_getenv(kSourceEnvironment);
#else
  return getuid() == geteuid() && getgid() == getegid()
             ? std::getenv(kSourceEnvironment)
             : nullptr;
#endif
}

Status Bad(const std::string& where, const std::string& why) {
  return Status::InvalidArgument(std::string(kSourceEnvironment) + where +
                                 ": " + why);
}

// Whoever sets the variable means to switch HotRAP on.
HotRapOptions SwitchedOn() {
  HotRapOptions options;
  options.enabled = true;
  return options;
}

Status ParseInto(const std::string& where, const std::string& name,
                 const std::string& value, HotRapOptions* options) {
  Status s = ParseHotRapGroup(ConfigOptions(), name, value, options);
  if (s.ok()) {
    s = ValidateHotRapFields(*options);
  }
  return s.ok() ? s : Bad(where, s.getState());
}

// As trim(), which in RocksDB 10 leaves one of many spaces.
std::string Trimmed(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return isspace(c) != 0; })
             ? ""
             : trim(text);
}

// Returns the content of "hotrap={...};", "{...}" or "...".
std::string WithoutName(const std::string& value) {
  std::string text = Trimmed(value);
  const std::string rest = Slice(text).starts_with(kGroupName)
                               ? Trimmed(text.substr(sizeof(kGroupName) - 1))
                               : "";
  if (!rest.empty() && rest.front() == '=') {
    text = Trimmed(rest.substr(1));
    while (!text.empty() && text.front() == '{' && text.back() == ';') {
      text = Trimmed(text.substr(0, text.size() - 1));
    }
  }
  return text;
}

// Parses [DB "pattern" "pattern"].
bool ParseTitle(const std::string& line, std::string* db_pattern,
                std::string* cf_pattern) {
  std::istringstream words(line.substr(1, line.size() - 2));
  std::string kind;
  if (!(words >> kind >> std::quoted(*db_pattern)) || kind != "DB" ||
      db_pattern->empty()) {
    return false;
  }
  if ((words >> std::ws).eof()) {
    return true;
  }
  return words >> std::quoted(*cf_pattern) && (words >> std::ws).eof();
}

}  // namespace

bool EnvironmentOptions::IsSet() {
  const char* const value = Value();
  return value != nullptr && !Trimmed(value).empty();
}

Status EnvironmentOptions::Read(EnvironmentOptions* result) {
  return IsSet() ? Parse(Value(), result) : Status::OK();
}

Status EnvironmentOptions::Parse(const std::string& value,
                                 EnvironmentOptions* result) {
  result->sections_.clear();
  const std::string text = Trimmed(value);
  if (text.empty()) {
    return Status::OK();
  }
  if (text.front() == '@') {
    const std::string file = Trimmed(text.substr(1));
    std::string content;
    // A file of this machine, whatever the DB's Env is.
    const Status s = ReadFileToString(Env::Default(), file, &content);
    if (!s.ok()) {
      return Bad("=" + text, "the file cannot be read: " + s.ToString());
    }
    return result->ParseFile(file, content);
  }
  Section section;
  section.options = SwitchedOn();
  const Status s =
      ParseInto("", kGroupName, WithoutName(text), &section.options);
  if (s.ok()) {
    section.options.source = kSourceEnvironment;
    result->sections_.push_back(section);
  }
  return s;
}

Status EnvironmentOptions::ParseFile(const std::string& file,
                                     const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); number++) {
    line = RocksDBOptionsParser::TrimAndRemoveComment(line);
    const std::string where =
        "=@" + file + ", line " + std::to_string(number) + " (" + line + ")";
    if (line.empty()) {
      continue;
    }
    if (line.front() == '[' && line.back() == ']') {
      Section section;
      if (!ParseTitle(line, &section.db_pattern, &section.cf_pattern)) {
        return Bad(where,
                   "a section must begin with [DB \"pattern of the DB's "
                   "folder\"] or [DB \"pattern\" \"pattern of the column "
                   "family's name\"]");
      }
      section.options = SwitchedOn();
      sections_.push_back(section);
      continue;
    }
    if (sections_.empty()) {
      return Bad(where, "a line [DB \"pattern\"] must come first");
    }
    std::string name;
    std::string value;
    Status s =
        RocksDBOptionsParser::ParseStatement(&name, &value, line, number);
    s = s.ok() ? ParseInto(where, name, WithoutName(value),
                           &sections_.back().options)
               : Bad(where, "a line must be name=value");
    if (!s.ok()) {
      return s;
    }
  }
  for (Section& section : sections_) {
    section.options.source = std::string(kSourceEnvironment) + " @" + file +
                             " [DB \"" + section.db_pattern + "\" \"" +
                             section.cf_pattern + "\"]";
  }
  return Status::OK();
}

const HotRapOptions* EnvironmentOptions::Find(
    const std::vector<std::string>& db_folders,
    const std::string& cf_name) const {
  for (const Section& section : sections_) {
    const auto fits = [](const std::string& pattern, const std::string& name) {
      return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    };
    if (fits(section.cf_pattern, cf_name) &&
        std::any_of(db_folders.begin(), db_folders.end(),
                    [&](const std::string& folder) {
                      return fits(section.db_pattern, folder);
                    })) {
      return &section.options;
    }
  }
  return nullptr;
}

}  // namespace ROCKSDB_NAMESPACE

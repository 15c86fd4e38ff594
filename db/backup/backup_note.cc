//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/backup/backup_note.h"

#include <sstream>

#include "file/filename.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

namespace {
constexpr char kRalt[] = "ralt";
// Some thousand files and paths have less.
constexpr uint64_t kMaxNoteBytes = 1 << 20;
}  // namespace

bool BackupNote::MayBe(const std::string& name, uint64_t bytes) {
  uint64_t number = 0;
  FileType type = kTableFile;
  return bytes <= kMaxNoteBytes && ParseFileName(name, &number, &type) &&
         type == kTempFile;
}

bool BackupNote::Is(const std::string& text) {
  return Slice(text).starts_with("HOTRAP_PATHS ");
}

std::string BackupNote::ToText() const {
  std::ostringstream text;
  text << paths.ToText();
  for (const auto& [name, file] : ralt) {
    text << kRalt << " " << name << " " << file.cf_id << " " << file.name
         << "\n";
  }
  return text.str();
}

BackupNote BackupNote::FromText(const std::string& text) {
  BackupNote note;
  note.paths = PathsFile::FromText(text);
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string kind;
    std::string name;
    RaltFile file{};
    if (words >> kind >> name >> file.cf_id >> file.name && kind == kRalt &&
        file.name.find('/') == std::string::npos) {
      note.ralt[name] = file;
    }
  }
  return note;
}

}  // namespace ROCKSDB_NAMESPACE

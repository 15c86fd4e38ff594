//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/paths_file.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <sstream>
#include <utility>

#include "file/filename.h"
#include "plugin/hotrap/db/paths/table_files.h"
#include "rocksdb/slice.h"
#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr char kName[] = "HOTRAP_PATHS";
constexpr char kTemporary[] = ".tmp";
constexpr char kFileVersion[] = "1";
constexpr char kHexDigits[] = "0123456789ABCDEF";

bool IsPlain(char c) {
  return static_cast<unsigned char>(c) > ' ' && c != '%' && c != '\x7f';
}

std::string Escape(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (IsPlain(c)) {
      result.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result.append({'%', kHexDigits[byte >> 4], kHexDigits[byte & 15]});
    }
  }
  return result;
}

bool Unescape(const std::string& text, std::string* result) {
  result->clear();
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] != '%') {
      result->push_back(text[i]);
      continue;
    }
    std::string byte;
    if (i + 2 >= text.size() ||
        !Slice(text.data() + i + 1, 2).DecodeHex(&byte)) {
      return false;
    }
    result->append(byte);
    i += 2;
  }
  return true;
}

std::string ToWords(const std::vector<DbPath>& paths) {
  std::string result;
  for (const DbPath& path : paths) {
    result.append(" " + std::to_string(path.target_size) + ":" +
                  Escape(path.path));
  }
  return result;
}

std::vector<DbPath> ReadPaths(std::istringstream* words) {
  std::vector<DbPath> paths;
  std::string word;
  while (*words >> word) {
    Slice rest(word);
    uint64_t target_size = 0;
    std::string path;
    if (ConsumeDecimalNumber(&rest, &target_size) && rest.starts_with(":") &&
        Unescape(word.substr(word.size() - rest.size() + 1), &path) &&
        !path.empty()) {
      paths.emplace_back(path, target_size);
    }
  }
  return paths;
}

void AddOnce(const std::string& folder, std::vector<std::string>* folders) {
  if (std::find(folders->begin(), folders->end(), folder) == folders->end()) {
    folders->push_back(folder);
  }
}

}  // namespace

std::string PathsFile::FileName(const std::string& dbname) {
  return dbname + "/" + kName;
}

std::string PathsFile::ToText() const {
  std::string text = std::string(kName) + " " + kFileVersion + "\n";
  text.append("db " + Escape(db_folder) + "\n");
  text.append("paths" + ToWords(db_paths) + "\n");
  for (const auto& [name, paths] : cf_paths) {
    text.append("cf " + Escape(name) + ToWords(paths) + "\n");
  }
  for (const std::string& folder : left) {
    text.append("left " + Escape(folder) + "\n");
  }
  for (const std::string& id : db_ids) {
    text.append("id " + Escape(id) + "\n");
  }
  return text;
}

PathsFile PathsFile::FromText(const std::string& text) {
  PathsFile result;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string kind;
    std::string name;
    words >> kind;
    if (kind == "db" && words >> name) {
      if (!Unescape(name, &result.db_folder)) {
        result.db_folder.clear();
      }
    } else if ((kind == "id" || kind == "left") && words >> name) {
      std::string word;
      if (Unescape(name, &word)) {
        (kind == "id" ? result.db_ids : result.left).insert(word);
      }
    } else if (kind == "paths") {
      result.db_paths = ReadPaths(&words);
    } else if (kind == "cf" && words >> name) {
      std::string cf_name;
      std::vector<DbPath> paths = ReadPaths(&words);
      if (Unescape(name, &cf_name) && !paths.empty()) {
        result.cf_paths[cf_name] = std::move(paths);
      }
    }
  }
  return result;
}

Status PathsFile::Read(FileSystem* fs, const std::string& dbname,
                       PathsFile* result) {
  const std::string name = FileName(dbname);
  Status s = fs->FileExists(name, IOOptions(), nullptr);
  std::string text;
  if (s.ok()) {
    s = ReadFileToString(fs, name, OpeningIo(), &text);
  }
  if (s.ok()) {
    *result = FromText(text);
  }
  return s;
}

Status PathsFile::Write(FileSystem* fs, const std::string& dbname) const {
  return WriteTo(fs, dbname, FileName(dbname));
}

Status PathsFile::WriteTo(FileSystem* fs, const std::string& in_folder,
                          const std::string& name) const {
  const std::string temporary = name + kTemporary;
  IOStatus s = WriteStringToFile(fs, ToText(), temporary, /*should_sync=*/true,
                                 OpeningIo());
  if (s.ok()) {
    s = fs->RenameFile(temporary, name, IOOptions(), nullptr);
  }
  std::unique_ptr<FSDirectory> folder;
  if (s.ok()) {
    s = fs->NewDirectory(in_folder, IOOptions(), &folder, nullptr);
  } else {
    fs->DeleteFile(temporary, IOOptions(), nullptr).PermitUncheckedError();
  }
  if (s.ok()) {
    s = folder->FsyncWithDirOptions(OpeningIo(), nullptr,
                                    DirFsyncOptions(name));
  }
  return s;
}

bool PathsFile::Exists(FileSystem* fs, const std::string& dbname) {
  const std::string name = FileName(dbname);
  return fs->FileExists(name, IOOptions(), nullptr).ok() ||
         fs->FileExists(name + kTemporary, IOOptions(), nullptr).ok();
}

Status PathsFile::Remove(FileSystem* fs, const std::string& dbname) {
  return RemoveFrom(fs, FileName(dbname));
}

Status PathsFile::RemoveFrom(FileSystem* fs, const std::string& name) {
  Status result;
  for (const std::string& file : {name, name + kTemporary}) {
    if (fs->FileExists(file, IOOptions(), nullptr).ok()) {
      result.UpdateIfOk(fs->DeleteFile(file, IOOptions(), nullptr));
    }
  }
  return result;
}

const std::vector<DbPath>& PathsFile::PathsOf(
    const std::string& cf_name) const {
  const auto own = cf_paths.find(cf_name);
  return own == cf_paths.end() ? db_paths : own->second;
}

std::vector<std::string> PathsFile::Folders() const {
  std::vector<std::string> folders;
  for (const DbPath& path : db_paths) {
    AddOnce(path.path, &folders);
  }
  for (const auto& [name, paths] : cf_paths) {
    for (const DbPath& path : paths) {
      AddOnce(path.path, &folders);
    }
  }
  return folders;
}

std::string PathsFile::Folder(FileSystem* fs, const std::string& path) {
  std::filesystem::path folder(path);
  std::string absolute;
  if (folder.is_relative() &&
      fs->GetAbsolutePath(path, IOOptions(), &absolute, /*dbg=*/nullptr).ok()) {
    // The POSIX file system returns the working folder alone.
    folder = std::filesystem::path(absolute);
    if (!Slice(absolute).ends_with(path)) {
      folder /= path;
    }
  }
  folder = folder.lexically_normal();
  if (!folder.has_filename() && folder.has_relative_path()) {
    folder = folder.parent_path();  // without the slash at its end
  }
  return folder.string();
}

bool PathsFile::IsSameFolder(FileSystem* fs, const std::string& a,
                             const std::string& b) {
  if (Folder(fs, a) == Folder(fs, b)) {
    return true;
  }
  bool same = false;
  const IOStatus s =
      fs->AreFilesSame(a, b, IOOptions(), &same, /*dbg=*/nullptr);
  return s.ok() && same;
}

std::vector<std::string> PathsFile::Folders(FileSystem* fs,
                                            const std::vector<DbPath>& paths) {
  std::vector<std::string> folders;
  for (const DbPath& path : paths) {
    AddOnce(Folder(fs, path.path), &folders);
  }
  return folders;
}

}  // namespace ROCKSDB_NAMESPACE

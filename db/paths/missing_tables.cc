//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/missing_tables.h"

#include <algorithm>

#include "file/filename.h"
#include "plugin/hotrap/db/paths/table_locator.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr size_t kMaxNamedTables = 5;

std::string Joined(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) {
    result.append((result.empty() ? "" : ", ") + word);
  }
  return result;
}

std::string Named(const std::map<uint64_t, uint32_t>& tables) {
  std::vector<std::string> named;
  for (const auto& [number, hint] : tables) {
    if (named.size() < kMaxNamedTables) {
      named.push_back(MakeTableFileName(number));
    }
  }
  return Joined(named) +
         (tables.size() > named.size()
              ? " and " + std::to_string(tables.size() - named.size()) + " more"
              : "");
}

}  // namespace

MissingTables::MissingTables(FileSystem* fs, const std::string& dbname,
                             const std::vector<OfFamily>& families,
                             bool any_path)
    : fs_(fs) {
  is_known_ = PathsFile::Read(fs_, dbname, &known_).ok();
  is_copy_ =
      is_known_ && !PathsFile::IsSameFolder(fs_, known_.db_folder, dbname);
  if (!is_copy_) {
    all_folders_ = known_.Folders();
  }
  AddTo(&all_folders_, dbname);
  for (const OfFamily& of : families) {
    for (const DbPath& path : of.paths) {
      AddTo(&all_folders_, path.path);
    }
  }
  bool is_list_short = false;
  for (const OfFamily& of : families) {
    message_.append(Named(of.tables) + " of column family " + of.cf_name +
                    ", looked for in " + Joined(of.searched) + ". ");
    const size_t length = std::max(of.paths.size(), of.searched.size());
    is_list_short =
        is_list_short ||
        std::any_of(of.tables.begin(), of.tables.end(),
                    [&](const auto& table) { return table.second >= length; });
    const std::string folder = FindIn(all_folders_, of);
    if (!folder.empty()) {
      AddTo(&elsewhere_, folder);
    }
    const std::string before = is_copy_ ? FindIn(known_.Folders(), of) : "";
    if (!before.empty()) {
      message_.append("Such tables lie in " + before + ", and by " +
                      PathsFile::FileName(dbname) + " the DB was in " +
                      known_.db_folder +
                      ": if it was moved, move them along to " +
                      of.searched.back() + ", or copy them if it was copied. ");
    }
    AskKnown(of);
    AskPaths(of, any_path);
  }
  is_list_wrong_ = is_list_wrong_ || is_list_short || !elsewhere_.empty();
  if (!missing_paths_.empty()) {
    message_.append("None of them lies in " + Joined(missing_paths_) +
                    ": is its disk mounted? ");
  }
  if (!elsewhere_.empty()) {
    message_.append("This DB has tables in " + Joined(elsewhere_) +
                    ", which is not among the paths that were given. ");
  } else if (!unsearched_.empty()) {
    message_.append("According to " + PathsFile::FileName(dbname) +
                    " this DB has tables in " + Joined(unsearched_) +
                    ", which is not among the paths that were given. ");
  } else if (is_list_short) {
    message_.append(
        "The MANIFEST says that they lie on a path that was not given" +
        std::string(is_known_ ? ". " : ": are db_paths or cf_paths missing? "));
  }
  message_.pop_back();
}

std::string MissingTables::FindIn(const std::vector<std::string>& folders,
                                  const OfFamily& of) const {
  TableLocator locator(fs_, TableLocator::Source::kProbes);
  for (const std::string& folder : folders) {
    if (Contains(of.searched, folder)) {
      continue;
    }
    for (const auto& [number, hint] : of.tables) {
      if (locator.Exists(folder, number)) {
        return folder;
      }
    }
  }
  return "";
}

void MissingTables::AskKnown(const OfFamily& of) {
  const std::vector<std::string> folders =
      PathsFile::Folders(fs_, known_.PathsOf(of.cf_name));
  for (const std::string& folder : folders) {
    if (!Contains(of.searched, folder)) {
      AddTo(&unsearched_, folder);
      // If as many folders are given as the file names, the DB may have been
      // moved.
      is_list_wrong_ = is_list_wrong_ || of.searched.size() < folders.size();
    }
  }
}

void MissingTables::AskPaths(const OfFamily& of, bool any_path) {
  const std::vector<std::string> known =
      PathsFile::Folders(fs_, known_.PathsOf(of.cf_name));
  const std::vector<std::string> given = PathsFile::Folders(fs_, of.paths);
  const bool is_known_list =
      std::equal(known.begin(), known.end(), given.begin(), given.end(),
                 [&](const std::string& a, const std::string& b) {
                   return PathsFile::IsSameFolder(fs_, a, b);
                 });
  TableLocator locator(fs_, TableLocator::Source::kListings);
  for (size_t path = 0; path < of.paths.size(); path++) {
    const bool is_hinted =
        std::any_of(of.tables.begin(), of.tables.end(),
                    [&](const auto& table) { return table.second == path; });
    const std::string folder = PathsFile::Folder(fs_, of.paths[path].path);
    const bool all_missing =
        is_hinted && of.found_on.count(static_cast<uint32_t>(path)) == 0;
    if (all_missing || (any_path && !is_known_list && given.size() > 1 &&
                        locator.HoldsNoTables(folder))) {
      AddTo(&missing_paths_, folder);
    }
  }
}

bool MissingTables::Contains(const std::vector<std::string>& folders,
                             const std::string& folder) const {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& other) {
                       return PathsFile::IsSameFolder(fs_, other, folder);
                     });
}

void MissingTables::AddTo(std::vector<std::string>* folders,
                          const std::string& folder) const {
  if (!Contains(*folders, folder)) {
    folders->push_back(PathsFile::Folder(fs_, folder));
  }
}

}  // namespace ROCKSDB_NAMESPACE

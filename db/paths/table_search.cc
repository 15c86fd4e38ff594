//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/table_search.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "db/column_family.h"
#include "db/version_set.h"
#include "file/filename.h"
#include "logging/logging.h"
#include "plugin/hotrap/db/paths/paths_file.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr char kTablesNotFound[] = "Tables not found: ";
constexpr char kBlobFilesNotFound[] = "Blob files not found: ";
constexpr size_t kMaxNamedTables = 5;

// A search lives from the first edit that needs it to the end of the MANIFEST.
// It is not a member of VersionEditHandler, because that header is not patched.
std::mutex searches_mutex;
using Searches = std::unordered_map<const void*, std::unique_ptr<TableSearch>>;
Searches& AllSearches() {
  static Searches searches;
  return searches;
}

bool Tails(const TableSearch::Reader& reader) {
  return reader.tracks_missing && !reader.best_efforts;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) {
    result.append((result.empty() ? "" : ", ") + word);
  }
  return result;
}

bool Contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

Status TableSearch::OnEdit(const Reader& reader, const std::string& dbname,
                           ColumnFamilyData* cfd, VersionEdit* edit) {
  if (reader.skips_tables) {
    return Status::OK();
  }
  const std::vector<DbPath>& paths = cfd->ioptions().cf_paths;
  bool needed = TableLocator::AreSeveral(paths);
  if (needed && Tails(reader) &&
      std::strcmp(cfd->ioptions().fs->Name(), "OnDemandFileSystem") == 0) {
    return Status::NotSupported(
        "A follower supports only one folder of its leader: cf_paths and "
        "db_paths must not have more than one path");
  }
  for (const auto& [level, file] : edit->GetNewFiles()) {
    needed = needed || file.fd.GetPathId() >= paths.size();
  }
  TableSearch* search = nullptr;
  {
    std::lock_guard<std::mutex> lock(searches_mutex);
    const auto [it, is_first] = AllSearches().try_emplace(reader.handler);
    // The file is asked for once.
    const bool is_known =
        is_first && PathsFile::Exists(cfd->ioptions().fs.get(), dbname);
    if (it->second == nullptr && (needed || is_known)) {
      it->second.reset(new TableSearch(cfd->ioptions().fs.get(),
                                       Tails(reader)
                                           ? TableLocator::Source::kProbes
                                           : TableLocator::Source::kListings,
                                       is_known));
    }
    search = it->second.get();
  }
  if (search != nullptr) {
    search->Correct(cfd, edit);
  }
  return Status::OK();
}

void TableSearch::Correct(ColumnFamilyData* cfd, VersionEdit* edit) {
  const std::vector<DbPath>& paths = cfd->ioptions().cf_paths;
  const bool several = TableLocator::AreSeveral(paths);
  std::map<uint64_t, uint32_t>& missing = missing_[cfd->GetID()];
  for (const auto& [level, number] : edit->GetDeletedFiles()) {
    missing.erase(number);
  }
  for (auto& [level, file] : edit->GetMutableNewFiles()) {
    const uint64_t number = file.fd.GetNumber();
    const uint32_t hint = file.fd.GetPathId();
    if (!several && !had_several_paths_ && hint < paths.size()) {
      continue;
    }
    const TableLocator::Place place =
        locator_.Find(paths, number, hint, file.fd.GetFileSize());
    file.fd.packed_number_and_path_id =
        PackFileNumberAndPathId(number, place.path);
    if (place.found) {
      used_.insert(paths[place.path].path);
    } else {
      missing.emplace(number, hint);
    }
  }
  for (const BlobFileAddition& blob : edit->GetBlobFileAdditions()) {
    const std::string folder =
        several ? locator_.StrayBlobFile(paths, blob.GetBlobFileNumber()) : "";
    if (!folder.empty() && stray_blob_file_.empty()) {
      stray_blob_file_ = BlobFileName(folder, blob.GetBlobFileNumber());
    }
  }
}

void TableSearch::OnEnd(const Reader& reader, const std::string& dbname,
                        VersionSet* versions, Status* status) {
  std::unique_ptr<TableSearch> search;
  {
    std::lock_guard<std::mutex> lock(searches_mutex);
    const auto it = AllSearches().find(reader.handler);
    if (it == AllSearches().end()) {
      return;
    }
    search = std::move(it->second);
    AllSearches().erase(it);
  }
  if (search == nullptr || !status->ok() ||
      (reader.lenient && !reader.tracks_missing)) {
    return;
  }
  if (!search->stray_blob_file_.empty()) {
    *status = Status::InvalidArgument(std::string(kBlobFilesNotFound) +
                                          "RocksDB looks for them on the first "
                                          "path only, but one lies on another. "
                                          "Move them, or give their folder as "
                                          "the first path",
                                      search->stray_blob_file_);
    return;
  }
  std::vector<Missing> missing = search->StillMissing(versions);
  // A tailing reader that has caught up before waits for missing tables, unless
  // they are on a path that it does not have.
  if (Tails(reader) && versions->manifest_file_size() > 0) {
    missing.erase(std::remove_if(missing.begin(), missing.end(),
                                 [](const Missing& of) {
                                   return std::none_of(
                                       of.tables.begin(), of.tables.end(),
                                       [&](const auto& table) {
                                         return table.second >= of.paths.size();
                                       });
                                 }),
                  missing.end());
  }
  if (missing.empty()) {
    return;
  }
  const Status s = search->Tell(reader, dbname, missing);
  if (!s.ok() && !reader.tracks_missing &&
      !versions->db_options()->paranoid_checks) {
    ROCKS_LOG_WARN(versions->db_options()->info_log, "%s",
                   s.ToString().c_str());
    return;
  }
  *status = s;
}

std::vector<TableSearch::Missing> TableSearch::StillMissing(
    VersionSet* versions) {
  std::vector<Missing> result;
  for (const auto& [cf_id, tables] : missing_) {
    const ColumnFamilyData* cfd =
        versions->GetColumnFamilySet()->GetColumnFamily(cf_id);
    if (cfd == nullptr || cfd->IsDropped()) {
      continue;
    }
    Missing missing{cfd->GetName(), cfd->ioptions().cf_paths, {}};
    for (const auto& [number, hint] : tables) {
      const size_t path = std::min<size_t>(hint, missing.paths.size() - 1);
      if (!locator_.Exists(missing.paths[path].path, number)) {
        missing.tables.emplace(number, hint);
      }
    }
    if (!missing.tables.empty()) {
      result.push_back(std::move(missing));
    }
  }
  return result;
}

Status TableSearch::Tell(const Reader& reader, const std::string& dbname,
                         const std::vector<Missing>& missing) {
  PathsFile known;
  const bool is_known = PathsFile::Read(fs_, dbname, &known).ok();
  std::string message = kTablesNotFound;
  std::vector<std::string> unsearched;
  std::vector<std::string> empty;
  bool is_list_short = false;
  for (const Missing& of : missing) {
    const std::vector<std::string> searched = PathsFile::Folders(fs_, of.paths);
    std::vector<std::string> named;
    for (const auto& [number, hint] : of.tables) {
      if (named.size() < kMaxNamedTables) {
        named.push_back(MakeTableFileName(number));
      }
      if (hint >= of.paths.size()) {
        is_list_short = true;
      }
    }
    for (size_t path = 0; searched.size() > 1 && path < of.paths.size();
         path++) {
      const bool is_hinted =
          std::any_of(of.tables.begin(), of.tables.end(),
                      [&](const auto& table) { return table.second == path; });
      const std::string folder = PathsFile::Folder(fs_, of.paths[path].path);
      // Best-efforts recovery deletes what it misses, and the list may be in
      // another order than the hints: any empty path counts. Nor does a table
      // that the MANIFEST does not know show that a disk is mounted: it may
      // have been written to the mount point.
      const bool is_unused = is_hinted && reader.best_efforts &&
                             used_.count(of.paths[path].path) == 0;
      if ((is_hinted || reader.best_efforts) && !Contains(empty, folder) &&
          (is_unused || locator_.HoldsNoTables(of.paths[path].path))) {
        empty.push_back(folder);
      }
    }
    message.append(Joined(named));
    if (of.tables.size() > named.size()) {
      message.append(" and " + std::to_string(of.tables.size() - named.size()) +
                     " more");
    }
    message.append(" of column family " + of.cf_name + ", looked for in " +
                   Joined(searched) + ". ");
    const std::vector<std::string> folders =
        PathsFile::Folders(fs_, known.PathsOf(of.cf_name));
    for (const std::string& folder : folders) {
      if (!Contains(searched, folder)) {
        if (!Contains(unsearched, folder)) {
          unsearched.push_back(folder);
        }
        // If as many folders are given as the file names, the DB may have been
        // moved.
        is_list_short = is_list_short || searched.size() < folders.size();
      }
    }
  }
  if (!empty.empty()) {
    message.append("No table of the DB lies in " + Joined(empty) +
                   ": is its disk mounted? ");
  }
  if (!unsearched.empty()) {
    message.append("According to " + PathsFile::FileName(dbname) +
                   " this DB has tables in " + Joined(unsearched) +
                   ", which is not among the paths it was opened with. ");
  } else if (is_list_short) {
    message.append(
        "The MANIFEST says that they lie on a path that was not given" +
        std::string(is_known ? ". " : ": are db_paths or cf_paths missing? "));
  }
  message.pop_back();
  if (reader.tracks_missing) {
    // Missing tables are not lost: do not build a version without them, because
    // it would delete the tables that it does not know.
    return is_list_short || !empty.empty() ? Status::InvalidArgument(message)
                                           : Status::OK();
  }
  return is_list_short ? Status::InvalidArgument(message)
                       : Status::Corruption(message);
}

std::string TableSearch::PathOf(const ColumnFamilyData* cfd,
                                const FileMetaData& file,
                                const std::string& on_first_path) {
  const std::vector<DbPath>& paths = cfd->ioptions().cf_paths;
  return file.fd.GetPathId() == 0
             ? on_first_path
             : TableFileName(paths, file.fd.GetNumber(), file.fd.GetPathId());
}

bool TableSearch::SaysWhere(const Status& s) {
  const Slice message(s.getState() != nullptr ? s.getState() : "");
  return message.starts_with(kTablesNotFound) ||
         message.starts_with(kBlobFilesNotFound);
}

}  // namespace ROCKSDB_NAMESPACE

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
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr char kTablesNotFound[] = "Tables not found: ";
constexpr char kBlobFilesNotFound[] = "Blob files not found: ";

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

// Returns whether a reader of the MANIFEST leaves the tables to a job that
// opens them after DB::Open() has returned. They must be found before.
bool OpensTablesLater([[maybe_unused]] const ImmutableDBOptions& options) {
#if ROCKSDB_MAJOR >= 11
  return options.open_files_async;
#else
  return false;
#endif
}

}  // namespace

Status TableSearch::OnEdit(const Reader& reader, const std::string& dbname,
                           ColumnFamilyData* cfd, VersionEdit* edit) {
  if (reader.skips_tables && !OpensTablesLater(cfd->ioptions())) {
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
  std::map<uint64_t, Place>& tables = tables_[cfd->GetID()];
  for (const auto& [level, number] : edit->GetDeletedFiles()) {
    tables.erase(number);
  }
  for (auto& [level, file] : edit->GetMutableNewFiles()) {
    const uint64_t number = file.fd.GetNumber();
    const uint32_t hint = file.fd.GetPathId();
    if (!several && !had_several_paths_ && hint < paths.size()) {
      continue;
    }
    const TableLocator::Place place = locator_.Find(
        paths, number, hint, file.fd.GetFileSize(), file.unique_id);
    file.fd.packed_number_and_path_id =
        PackFileNumberAndPathId(number, place.path);
    tables[number] = {hint, place.found};
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
  const std::vector<MissingTables::OfFamily> families =
      search->StillMissing(versions);
  if (families.empty()) {
    return;
  }
  // Best-efforts recovery deletes what it misses.
  const MissingTables missing(search->fs_, dbname, families,
                              /*any_path=*/reader.best_efforts);
  const std::string message = kTablesNotFound + missing.message();
  if (reader.tracks_missing) {
    // Missing tables are not lost: do not build a version without them, because
    // it would delete the tables that it does not know.
    if (missing.AreElsewhere() || missing.IsPathMissing()) {
      *status = Status::InvalidArgument(message);
    }
    return;
  }
  if (!versions->db_options()->paranoid_checks) {
    ROCKS_LOG_WARN(versions->db_options()->info_log, "%s", message.c_str());
    return;
  }
  *status = missing.AreElsewhere() ? Status::InvalidArgument(message)
                                   : Status::Corruption(message);
}

std::vector<MissingTables::OfFamily> TableSearch::StillMissing(
    VersionSet* versions) {
  std::vector<MissingTables::OfFamily> result;
  for (const auto& [cf_id, tables] : tables_) {
    ColumnFamilyData* const cfd =
        versions->GetColumnFamilySet()->GetColumnFamily(cf_id);
    if (cfd == nullptr || cfd->IsDropped()) {
      continue;
    }
    const std::vector<DbPath>& paths = cfd->ioptions().cf_paths;
    MissingTables::OfFamily of{
        cfd->GetName(), paths, PathsFile::Folders(fs_, paths), {}, {}};
    for (const auto& [number, place] : tables) {
      const size_t path = std::min<size_t>(place.hint, paths.size() - 1);
      if (place.found || locator_.Exists(paths[path].path, number)) {
        of.found_on.insert(place.hint);
      } else {
        of.tables.emplace(number, place.hint);
      }
    }
    if (!of.tables.empty()) {
      AddCurrent(cfd, &of);
      result.push_back(std::move(of));
    }
  }
  return result;
}

void TableSearch::AddCurrent(ColumnFamilyData* cfd,
                             MissingTables::OfFamily* of) {
  const VersionStorageInfo* const storage =
      cfd->current() == nullptr ? nullptr : cfd->current()->storage_info();
  for (int level = 0; storage != nullptr && level < storage->num_levels();
       level++) {
    for (const FileMetaData* file : storage->LevelFiles(level)) {
      const uint32_t path = file->fd.GetPathId();
      if (of->found_on.count(path) == 0 && path < of->paths.size() &&
          locator_.Exists(of->paths[path].path, file->fd.GetNumber())) {
        of->found_on.insert(path);
      }
    }
  }
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

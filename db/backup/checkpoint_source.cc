//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/backup/checkpoint_source.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "env/composite_env_wrapper.h"
#include "file/filename.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/backup/backup_note.h"
#include "plugin/hotrap/db/backup/checkpoint_files.h"
#include "plugin/hotrap/db/backup/copy_folders.h"
#include "plugin/hotrap/db/backup/ralt_links.h"
#include "rocksdb/utilities/stackable_db.h"

namespace ROCKSDB_NAMESPACE {

namespace {

struct Family {
  std::string name;
  HotRapOptions hotrap;
  std::vector<DbPath> paths;
};

std::vector<Family> FamiliesOf(DBImpl* db) {
  std::vector<Family> families;
  InstrumentedMutexLock lock(db->mutex());
  for (ColumnFamilyData* cfd : *DbAccess(db).versions()->GetColumnFamilySet()) {
    if (!cfd->IsDropped()) {
      families.push_back({cfd->GetName(),
                          cfd->GetLatestMutableCFOptions().hotrap,
                          cfd->ioptions().cf_paths});
    }
  }
  return families;
}

// The DB below wrappers such as transactions; nullptr if it is of another kind.
DBImpl* RootOf(DB* db) {
  while (auto* const outer = dynamic_cast<StackableDB*>(db)) {
    db = outer->GetBaseDB();
  }
  return dynamic_cast<DBImpl*>(db);
}

bool AreInOwnFolder(DBImpl* db, const std::vector<Family>& families) {
  const std::string& dbname = DbAccess(db).name();
  FileSystem* const fs = db->GetFileSystem();
  return std::all_of(
      families.begin(), families.end(), [&](const Family& family) {
        return std::all_of(
            family.paths.begin(), family.paths.end(), [&](const DbPath& path) {
              return path.path == dbname ||
                     PathsFile::IsSameFolder(fs, path.path, dbname);
            });
      });
}

LiveFileStorageInfo InfoOf(const LiveFilesStorageInfoOptions& options,
                           const std::string& folder, const std::string& name,
                           uint64_t bytes) {
  LiveFileStorageInfo info;
  info.directory = folder;
  info.relative_filename = name;
  info.file_type = kTempFile;
  info.size = bytes;
  if (options.include_checksum_info) {
    info.file_checksum_func_name = kUnknownFileChecksumFuncName;
    info.file_checksum = kUnknownFileChecksum;
  }
  return info;
}

// Adds RALT's files to a DB's.
class View : public StackableDB {
 public:
  View(DB* db, DBImpl* root)
      : StackableDB(std::shared_ptr<DB>(db, [](DB*) {})), ralt_(root) {}

 protected:
  const RaltLinks ralt_;
};

class ViewForBackup : public View {
 public:
  ViewForBackup(DB* db, DBImpl* root, const std::vector<Family>& families)
      : View(db, root), root_(root), families_(families) {}

  bool IsNeeded() const {
    return !ralt_.files().empty() || !AreInOwnFolder(root_, families_);
  }

  using StackableDB::GetLiveFilesStorageInfo;
  Status GetLiveFilesStorageInfo(
      const LiveFilesStorageInfoOptions& options,
      std::vector<LiveFileStorageInfo>* files) override {
    Status s = StackableDB::GetLiveFilesStorageInfo(options, files);
    if (!s.ok()) {
      return s;
    }
    BackupNote note;
    note.paths.db_folder =
        PathsFile::Folder(root_->GetFileSystem(), DbAccess(root_).name());
    note.paths.db_paths = DbAccess(root_).immutable_options().db_paths;
    for (const Family& family : families_) {
      note.paths.cf_paths[family.name] = family.paths;
    }
    std::vector<LiveFileStorageInfo> more;
    for (const RaltLinks::File& file : ralt_.files()) {
      more.push_back(InfoOf(options, file.folder, file.name, file.bytes));
      note.ralt[file.name] = {file.cf_id, file.ralt_name};
    }
    const std::string text = note.ToText();
    LiveFileStorageInfo info = InfoOf(
        options, DbAccess(root_).name(),
        TempFileName("", DbAccess(root_).versions()->NewFileNumber()).substr(1),
        text.size());
    // As the content of CURRENT is given.
    info.file_type = kCurrentFile;
    info.replacement_contents = text;
    more.push_back(info);
    files->insert(files->begin(), more.begin(), more.end());
    return s;
  }

 private:
  DBImpl* const root_;
  const std::vector<Family> families_;
};

class ViewForCheckpoint : public View {
 public:
  ViewForCheckpoint(DB* db, DBImpl* root, const std::vector<Family>& families,
                    const std::string& folder, CheckpointSource::Links links)
      : View(db, root), folders_(db->GetFileSystem(), folder) {
    Status refusal;
    for (const Family& family : families) {
      if (family.paths.size() > 1 && refusal.ok()) {
        refusal = folders_.AddByRoots(family.name, family.hotrap,
                                      family.paths.front().target_size);
      }
    }
    for (const Family& family : families) {
      for (size_t i = 0; i < family.paths.size(); i++) {
        // Where column families share a folder, the first one decides.
        targets_.emplace(
            family.paths[i].path,
            i == 0 ? folders_.Fast(family.name) : folders_.Slow(family.name));
      }
    }
    files_ = std::make_shared<CheckpointFiles>(
        db->GetEnv()->GetFileSystem(), folder, folders_, refusal,
        links == CheckpointSource::Links::kOrCopies,
        root->immutable_db_options().use_fsync);
    env_ = std::make_unique<CompositeEnvWrapper>(db->GetEnv(), files_);
    is_needed_ = !ralt_.files().empty() || !AreInOwnFolder(root, families);
  }

  bool IsNeeded() const { return is_needed_; }

  Env* GetEnv() const override { return env_.get(); }
  FileSystem* GetFileSystem() const override { return files_.get(); }

  using StackableDB::GetLiveFilesStorageInfo;
  Status GetLiveFilesStorageInfo(
      const LiveFilesStorageInfoOptions& options,
      std::vector<LiveFileStorageInfo>* files) override {
    Status s = StackableDB::GetLiveFilesStorageInfo(options, files);
    if (!s.ok()) {
      return s;
    }
    for (const LiveFileStorageInfo& file : *files) {
      const auto target = targets_.find(file.directory);
      if ((file.file_type == kTableFile || file.file_type == kBlobFile) &&
          target != targets_.end()) {
        files_->Place(file.relative_filename, target->second);
      }
    }
    for (const RaltLinks::File& file : ralt_.files()) {
      if (files_->PlaceRalt(file.name, folders_.Fast(file.cf_name), file.cf_id,
                            file.ralt_name)) {
        files->push_back(InfoOf(options, file.folder, file.name, file.bytes));
      }
    }
    return s;
  }

 private:
  CopyFolders folders_;
  // The checkpoint's folder by the DB's.
  std::unordered_map<std::string, std::string> targets_;
  std::shared_ptr<CheckpointFiles> files_;
  std::unique_ptr<Env> env_;
  bool is_needed_ = false;
};

}  // namespace

CheckpointSource::CheckpointSource(DB* db, const std::string& folder,
                                   Links links)
    : db_(db) {
  if (DBImpl* const root = RootOf(db)) {
    auto view = std::make_unique<ViewForCheckpoint>(db, root, FamiliesOf(root),
                                                    folder, links);
    if (view->IsNeeded()) {
      view_ = std::move(view);
    }
  }
}

CheckpointSource::CheckpointSource(DB* db) : db_(db) {
  if (DBImpl* const root = RootOf(db)) {
    auto view = std::make_unique<ViewForBackup>(db, root, FamiliesOf(root));
    if (view->IsNeeded()) {
      view_ = std::move(view);
    }
  }
}

CheckpointSource::~CheckpointSource() = default;

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/backup/ralt_links.h"

#include "file/filename.h"
#include "logging/logging.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/state/ralt_folders.h"
#include "plugin/hotrap/db/state/tier_state.h"

namespace ROCKSDB_NAMESPACE {

RaltLinks::RaltLinks(DBImpl* db) : db_(db) {
  std::vector<ColumnFamilyData*> families;
  {
    InstrumentedMutexLock lock(db_->mutex());
    for (ColumnFamilyData* cfd :
         *DbAccess(db_).versions()->GetColumnFamilySet()) {
      if (!cfd->IsDropped() && cfd->hotrap.state() != nullptr &&
          cfd->GetLatestMutableCFOptions().hotrap.checkpoint_hot_set) {
        cfd->Ref();
        families.push_back(cfd);
      }
    }
  }
  for (ColumnFamilyData* cfd : families) {
    Take(cfd);
  }
  InstrumentedMutexLock lock(db_->mutex());
  for (ColumnFamilyData* cfd : families) {
    cfd->UnrefAndTryDelete();
  }
}

void RaltLinks::Take(ColumnFamilyData* cfd) {
  const ImmutableOptions& ioptions = cfd->ioptions();
  FileSystem* const fs = ioptions.fs.get();
  VersionSet* const versions = DbAccess(db_).versions();
  const std::string folder = RaltFolders::LinksIn(ioptions.cf_paths[0].path,
                                                  DbAccess(db_).db_session_id(),
                                                  versions->NewFileNumber());
  std::vector<std::string> names;
  Status s = fs->CreateDir(folder, IOOptions(), nullptr);
  if (s.ok()) {
    folders_.push_back(folder);
    s = cfd->hotrap.state()->ralt_holder().CopyTo(folder, &names);
  }
  std::vector<File> files;
  for (const std::string& name : names) {
    File file = {folder, "", 0, cfd->GetID(), cfd->GetName(), name};
    const std::string path = TempFileName(folder, versions->NewFileNumber());
    file.name = path.substr(folder.size() + 1);
    if (s.ok()) {
      s = fs->RenameFile(folder + "/" + name, path, IOOptions(), nullptr);
    }
    if (s.ok()) {
      s = fs->GetFileSize(path, IOOptions(), &file.bytes, nullptr);
    }
    files.push_back(file);
  }
  if (s.ok()) {
    files_.insert(files_.end(), files.begin(), files.end());
  } else if (!s.IsNotFound() && !s.IsPathNotFound()) {
    ROCKS_LOG_WARN(ioptions.logger,
                   "[%s] HotRAP: the copy of the DB will not have its hot set: "
                   "%s",
                   cfd->GetName().c_str(), s.ToString().c_str());
  }
}

RaltLinks::~RaltLinks() {
  for (const std::string& folder : folders_) {
    RaltFolders::RemoveLinks(folder, db_->GetFileSystem());
  }
}

}  // namespace ROCKSDB_NAMESPACE

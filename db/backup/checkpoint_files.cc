//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/backup/checkpoint_files.h"

#include "file/file_util.h"
#include "file/filename.h"
#include "plugin/hotrap/db/paths/path_owner.h"
#include "plugin/hotrap/db/paths/table_files.h"
#include "plugin/hotrap/db/state/ralt_folders.h"
#include "rocksdb/slice.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE {

namespace {

IOStatus SyncFolder(FileSystem* fs, const std::string& folder) {
  std::unique_ptr<FSDirectory> directory;
  IOStatus s = fs->NewDirectory(folder, IOOptions(), &directory, nullptr);
  if (s.ok()) {
    s = directory->FsyncWithDirOptions(IOOptions(), nullptr, DirFsyncOptions());
  }
  return s;
}

}  // namespace

CheckpointFiles::CheckpointFiles(const std::shared_ptr<FileSystem>& base,
                                 const std::string& folder,
                                 const CopyFolders& folders,
                                 const Status& refusal, bool copies,
                                 bool use_fsync)
    : RemapFileSystem(base),
      folder_(folder),
      staging_(CopyFolders::WithoutSlashAtEnd(folder) + ".tmp"),
      folders_(folders),
      refusal_(refusal),
      copies_(copies),
      use_fsync_(use_fsync) {}

void CheckpointFiles::Place(const std::string& name,
                            const std::string& folder) {
  if (folder != folders_.own()) {
    places_[name] = folder + "/" + name;
  }
}

bool CheckpointFiles::PlaceRalt(const std::string& name,
                                const std::string& fast_folder, uint32_t cf_id,
                                const std::string& ralt_name) {
  const std::string folder = RaltFolders::In(
      fast_folder == folders_.own() ? staging_ : fast_folder, cf_id);
  if (ralt_folders_.count(folder) == 0) {
    if (!target()->CreateDirIfMissing(folder, IOOptions(), nullptr).ok()) {
      return false;
    }
    ralt_folders_.insert(folder);
  }
  places_[name] = folder + "/" + ralt_name;
  return true;
}

std::pair<IOStatus, std::string> CheckpointFiles::EncodePath(
    const std::string& path) {
  if (Slice(path).starts_with(staging_ + "/")) {
    const auto place = places_.find(path.substr(staging_.size() + 1));
    if (place != places_.end()) {
      return {IOStatus::OK(), place->second};
    }
  }
  return {IOStatus::OK(), path};
}

IOStatus CheckpointFiles::FileExists(const std::string& fname,
                                     const IOOptions& options,
                                     IODebugContext* dbg) {
  IOStatus s = RemapFileSystem::FileExists(fname, options, dbg);
  if (fname == folder_ && s.IsNotFound() && !refusal_.ok()) {
    return IOStatus::IOError(refusal_.getState());
  }
  if (fname == staging_ && s.ok()) {
    // RocksDB is about to remove it.
    CleanUp();
  }
  return s;
}

IOStatus CheckpointFiles::CreateDir(const std::string& dirname,
                                    const IOOptions& options,
                                    IODebugContext* dbg) {
  IOStatus s = RemapFileSystem::CreateDir(dirname, options, dbg);
  if (s.ok() && dirname == staging_) {
    s = status_to_io_status(Begin());
  }
  return s;
}

Status CheckpointFiles::Begin() {
  const std::vector<std::string> others = folders_.Others();
  for (const std::string& folder : others) {
    Status s = PathOwner::Check(target(), folder, folder_,
                                "Directory exists, and is another DB's");
    if (!s.ok()) {
      return s;
    }
    if (!TableNames(target(), folder).empty() ||
        !FileNames(target(), folder, kBlobFile).empty()) {
      return Status::InvalidArgument(
          "Directory exists, and holds tables: remove it, or what has made it",
          folder);
    }
  }
  Status s;
  if (!others.empty()) {
    s = folders_.ToFile().Write(target(), staging_);
  }
  if (s.ok()) {
    s = folders_.Make();
  }
  TEST_SYNC_POINT("CheckpointFiles::Begin:End");
  return s;
}

IOStatus CheckpointFiles::LinkFile(const std::string& src,
                                   const std::string& dest,
                                   const IOOptions& options,
                                   IODebugContext* dbg) {
  IOStatus s = RemapFileSystem::LinkFile(src, dest, options, dbg);
  if (s.IsNotSupported() && copies_) {
    s = CopyFile(this, src, Temperature::kUnknown, dest, Temperature::kUnknown,
                 /*size=*/0, use_fsync_, /*io_tracer=*/nullptr);
  }
  return s;
}

IOStatus CheckpointFiles::RenameFile(const std::string& src,
                                     const std::string& dest,
                                     const IOOptions& options,
                                     IODebugContext* dbg) {
  if (src == staging_) {
    IOStatus s = SyncFolders();
    if (!s.ok()) {
      return s;
    }
    TEST_SYNC_POINT("CheckpointFiles::RenameFile:Synced");
  }
  return RemapFileSystem::RenameFile(src, dest, options, dbg);
}

IOStatus CheckpointFiles::SyncFolders() {
  IOStatus s;
  for (const std::string& folder : folders_.Others()) {
    if (s.ok()) {
      s = SyncFolder(target(), folder);
    }
  }
  for (const std::string& folder : ralt_folders_) {
    if (s.ok()) {
      s = SyncFolder(target(), folder);
    }
  }
  return s.ok() ? SyncFolder(target(), staging_) : s;
}

void CheckpointFiles::CleanUp() {
  RaltFolders::DestroyAll(staging_, target());
  PathsFile left;
  if (!PathsFile::Read(target(), staging_, &left).ok() ||
      !folders_.IsOwn(left.db_folder)) {
    return;
  }
  for (const std::string& folder : left.Folders()) {
    // It may have become another DB's.
    if (folders_.IsOwn(folder) ||
        !PathOwner::Check(target(), folder, folder_).ok()) {
      continue;
    }
    for (const FileType type : {kTableFile, kBlobFile}) {
      for (const std::string& name : FileNames(target(), folder, type)) {
        target()
            ->DeleteFile(folder + "/" + name, IOOptions(), nullptr)
            .PermitUncheckedError();
      }
    }
    RaltFolders::DestroyAll(folder, target());
    target()->DeleteDir(folder, IOOptions(), nullptr).PermitUncheckedError();
  }
}

}  // namespace ROCKSDB_NAMESPACE

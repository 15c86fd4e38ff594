//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/backup/restored_files.h"

#include <algorithm>

#include "file/filename.h"
#include "plugin/hotrap/db/paths/paths_file.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

namespace {

bool IsTableOrBlobFile(const std::string& name) {
  uint64_t number = 0;
  FileType type = kTempFile;
  return ParseFileName(name, &number, &type) &&
         (type == kTableFile || type == kBlobFile);
}

// Syncs several folders as one.
class Folders : public FSDirectory {
 public:
  void Add(std::unique_ptr<FSDirectory> folder) {
    folders_.push_back(std::move(folder));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s;
    for (const auto& folder : folders_) {
      if (s.ok()) {
        s = folder->Fsync(options, dbg);
      }
    }
    return s;
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* dbg,
                               const DirFsyncOptions& dir_options) override {
    IOStatus s;
    for (const auto& folder : folders_) {
      if (s.ok()) {
        // The others have no file by the name that the options may have.
        s = folder == folders_.front()
                ? folder->FsyncWithDirOptions(options, dbg, dir_options)
                : folder->Fsync(options, dbg);
      }
    }
    return s;
  }

 private:
  std::vector<std::unique_ptr<FSDirectory>> folders_;
};

}  // namespace

RestoredFiles::RestoredFiles(const std::shared_ptr<FileSystem>& base,
                             const RestorePlan& plan)
    : RemapFileSystem(base), plan_(plan) {}

std::string RestoredFiles::NameInDb(const std::string& path) const {
  if (!Slice(path).starts_with(plan_.db_dir() + "/")) {
    return "";
  }
  const std::string name = path.substr(plan_.db_dir().size() + 1);
  return name.find('/') == std::string::npos ? name : "";
}

std::pair<IOStatus, std::string> RestoredFiles::EncodePath(
    const std::string& path) {
  const std::string name = NameInDb(path);
  const auto place = plan_.places().find(name);
  return {IOStatus::OK(), place == plan_.places().end() ? path : place->second};
}

IOStatus RestoredFiles::GetChildren(const std::string& dir,
                                    const IOOptions& options,
                                    std::vector<std::string>* result,
                                    IODebugContext* dbg) {
  IOStatus s = RemapFileSystem::GetChildren(dir, options, result, dbg);
  if (dir != plan_.db_dir()) {
    return s;
  }
  for (const std::string& folder : plan_.others()) {
    std::vector<std::string> names;
    target()->GetChildren(folder, options, &names, dbg).PermitUncheckedError();
    for (const std::string& name : names) {
      if (IsTableOrBlobFile(name) &&
          std::find(result->begin(), result->end(), name) == result->end()) {
        result->push_back(name);
      }
    }
  }
  return s;
}

IOStatus RestoredFiles::DeleteFile(const std::string& fname,
                                   const IOOptions& options,
                                   IODebugContext* dbg) {
  const std::string name = NameInDb(fname);
  if (!name.empty() && fname == PathsFile::FileName(plan_.db_dir())) {
    // It has to name the folders until their tables are gone.
    return IOStatus::OK();
  }
  if (!IsTableOrBlobFile(name)) {
    return RemapFileSystem::DeleteFile(fname, options, dbg);
  }
  IOStatus result;
  std::vector<std::string> folders = plan_.others();
  folders.push_back(plan_.db_dir());
  for (const std::string& folder : folders) {
    const std::string file = folder + "/" + name;
    if (target()->FileExists(file, options, dbg).ok()) {
      const IOStatus s = target()->DeleteFile(file, options, dbg);
      if (!s.ok()) {
        result = s;
      }
    }
  }
  return result;
}

IOStatus RestoredFiles::NewDirectory(const std::string& dir,
                                     const IOOptions& options,
                                     std::unique_ptr<FSDirectory>* result,
                                     IODebugContext* dbg) {
  std::vector<std::string> names = {dir};
  if (dir == plan_.db_dir()) {
    names.insert(names.end(), plan_.others().begin(), plan_.others().end());
  }
  auto folders = std::make_unique<Folders>();
  for (const std::string& name : names) {
    std::unique_ptr<FSDirectory> folder;
    IOStatus s = target()->NewDirectory(name, options, &folder, dbg);
    if (!s.ok()) {
      return s;
    }
    folders->Add(std::move(folder));
  }
  *result = std::move(folders);
  return IOStatus::OK();
}

}  // namespace ROCKSDB_NAMESPACE

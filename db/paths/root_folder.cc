//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/root_folder.h"

#include <filesystem>
#include <system_error>

#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/db/paths/table_files.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr char kProbe[] = "/HOTRAP_PROBE";

Status Bad(const std::string& field, const std::string& root,
           const std::string& why) {
  return Status::InvalidArgument("hotrap." + field + " is \"" + root + "\", " +
                                 why);
}

}  // namespace

bool IsOfTheMachine(const FileSystem* fs) {
  const Customizable* const machine = FileSystem::Default().get();
  for (const Customizable* inner = fs; inner != nullptr;
       inner = inner->Inner()) {
    if (inner == machine) {
      return true;
    }
    const Slice name(inner->Name());
    if (name.starts_with("Chroot") || name.starts_with("Remap") ||
        name.starts_with("OnDemand")) {
      return false;
    }
  }
  return false;
}

std::string AbsoluteFolder(FileSystem* fs, const std::string& path) {
  const std::string folder = PathsFile::Folder(fs, path);
  if (!IsOfTheMachine(fs)) {
    return folder;
  }
  std::error_code error;
  const std::filesystem::path canonical =
      std::filesystem::weakly_canonical(folder, error);
  return error ? folder : PathsFile::Folder(fs, canonical.string());
}

bool IsWithin(const std::string& folder, const std::string& root) {
  return folder == root || root == "/" || Slice(folder).starts_with(root + "/");
}

std::string FolderBelow(const std::string& root, const std::string& db_folder) {
  return (root == "/" ? "" : root) + (db_folder.front() == '/' ? "" : "/") +
         db_folder;
}

Status CheckRoot(FileSystem* fs, const std::string& field,
                 const std::string& root, const std::string& db_folder) {
  bool is_folder = false;
  const IOStatus s = fs->IsDirectory(root, IOOptions(), &is_folder, nullptr);
  if (s.IsNotFound() || s.IsPathNotFound()) {
    return Bad(field, root,
               "which does not exist; it must be a folder on that disk (is it "
               "mounted?)");
  }
  if (s.ok() && !is_folder) {
    return Bad(field, root, "which is no folder; it must be one on that disk");
  }
  if (!s.ok() && !s.IsNotSupported()) {
    return Bad(field, root, "which cannot be used: " + s.ToString());
  }
  const std::string absolute = AbsoluteFolder(fs, root);
  if (IsWithin(absolute, db_folder) ||
      FolderBelow(absolute, db_folder) == db_folder) {
    return Bad(field, root,
               "which makes a path of the DB's own folder, " + db_folder +
                   "; it must be outside of it, on the other disk");
  }
  return Status::OK();
}

Status MakeFolder(FileSystem* fs, const std::string& field,
                  const std::string& root, const std::string& folder) {
  IOStatus s;
  std::filesystem::path made(PathsFile::Folder(fs, root));
  if (IsWithin(folder, made.string())) {
    for (const std::filesystem::path& part :
         std::filesystem::path(folder).lexically_relative(made)) {
      made /= part;
      if (s.ok()) {
        s = fs->CreateDirIfMissing(made.string(), IOOptions(), nullptr);
      }
    }
  } else {
    // Known by another name.
    s = fs->CreateDirIfMissing(folder, IOOptions(), nullptr);
  }
  if (s.ok()) {
    s = WriteStringToFile(fs, "", folder + kProbe, /*should_sync=*/false,
                          OpeningIo());
  }
  if (s.ok()) {
    s = fs->DeleteFile(folder + kProbe, IOOptions(), nullptr);
  }
  return s.ok() ? Status::OK()
                : Status::IOError("hotrap." + field + " is \"" + root +
                                      "\", but nothing can be written to " +
                                      folder + " below it",
                                  s.ToString());
}

}  // namespace ROCKSDB_NAMESPACE

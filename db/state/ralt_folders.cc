//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/ralt_folders.h"

#include <cstring>

#include "plugin/hotrap/ralt/ralt.h"
#include "rocksdb/file_system.h"
#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr char kLinks[] = "links.";

std::string LinksPrefix() { return std::string(RaltFolders::kPrefix) + kLinks; }

}  // namespace

std::string RaltFolders::In(const std::string& path, uint32_t cf_id) {
  return path + "/" + kPrefix + std::to_string(cf_id);
}

std::vector<std::string> RaltFolders::InAny(const std::vector<DbPath>& paths,
                                            uint32_t cf_id) {
  std::vector<std::string> folders;
  for (const DbPath& path : paths) {
    folders.push_back(In(path.path, cf_id));
  }
  return folders;
}

std::vector<std::pair<std::string, uint64_t>> RaltFolders::List(
    const std::vector<DbPath>& paths, FileSystem* fs) {
  std::vector<std::pair<std::string, uint64_t>> folders;
  for (const DbPath& path : paths) {
    std::vector<std::string> names;
    fs->GetChildren(path.path, IOOptions(), &names, nullptr)
        .PermitUncheckedError();
    for (const std::string& name : names) {
      Slice rest(name);
      uint64_t id = 0;
      if (rest.starts_with(kPrefix)) {
        rest.remove_prefix(strlen(kPrefix));
        if (ConsumeDecimalNumber(&rest, &id) && rest.empty()) {
          folders.emplace_back(path.path + "/" + name, id);
        }
      }
    }
  }
  return folders;
}

std::string RaltFolders::LinksIn(const std::string& path,
                                 const std::string& session, uint64_t number) {
  return path + "/" + LinksPrefix() + session + "." + std::to_string(number);
}

void RaltFolders::RemoveLinks(const std::string& folder, FileSystem* fs) {
  std::vector<std::string> names;
  fs->GetChildren(folder, IOOptions(), &names, nullptr).PermitUncheckedError();
  for (const std::string& name : names) {
    fs->DeleteFile(folder + "/" + name, IOOptions(), nullptr)
        .PermitUncheckedError();
  }
  fs->DeleteDir(folder, IOOptions(), nullptr).PermitUncheckedError();
}

void RaltFolders::RemoveLinksBefore(const std::string& path,
                                    const std::string& session,
                                    FileSystem* fs) {
  std::vector<std::string> names;
  fs->GetChildren(path, IOOptions(), &names, nullptr).PermitUncheckedError();
  for (const std::string& name : names) {
    if (Slice(name).starts_with(LinksPrefix()) &&
        !Slice(name).starts_with(LinksPrefix() + session + ".")) {
      RemoveLinks(path + "/" + name, fs);
    }
  }
}

void RaltFolders::DestroyAll(const std::string& path, FileSystem* fs) {
  std::vector<std::string> names;
  if (!fs->GetChildren(path, IOOptions(), &names, nullptr).ok()) {
    return;
  }
  for (const auto& name : names) {
    if (Slice(name).starts_with(LinksPrefix())) {
      RemoveLinks(path + "/" + name, fs);
    } else if (Slice(name).starts_with(kPrefix)) {
      // Leftovers merely keep DestroyDB from removing the path.
      Ralt::Destroy(path + "/" + name, fs).PermitUncheckedError();
    }
  }
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/tier_disks.h"

#ifdef OS_LINUX
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#endif

#include <optional>

namespace ROCKSDB_NAMESPACE {

#ifdef OS_LINUX
namespace {

bool AreOnOneFileSystem(const std::vector<DbPath>& paths) {
  std::optional<dev_t> device;
  for (const DbPath& path : paths) {
    struct stat folder;
    struct statfs kind;
    if (stat(path.path.c_str(), &folder) != 0 ||
        statfs(path.path.c_str(), &kind) != 0 ||
        kind.f_type == FUSE_SUPER_MAGIC ||
        device.value_or(folder.st_dev) != folder.st_dev) {
      return false;
    }
    device = folder.st_dev;
  }
  return device.has_value();
}

}  // namespace

TierDisks DisksOf(const FileSystem& fs, const std::vector<DbPath>& paths) {
  if (!fs.IsInstanceOf(FileSystem::Default()->Name())) {
    return TierDisks::kUnknown;
  }
  return AreOnOneFileSystem(paths) ? TierDisks::kOne : TierDisks::kOfTheSystem;
}
#else
// ThreadSwitches knows nothing.
TierDisks DisksOf(const FileSystem& /*fs*/,
                  const std::vector<DbPath>& /*paths*/) {
  return TierDisks::kUnknown;
}
#endif

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/path_choice.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "plugin/hotrap/db/paths/root_folder.h"
#include "plugin/hotrap/db/paths/table_files.h"
#include "plugin/hotrap/db/paths/table_locator.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

bool HasRoot(const HotRapOptions& options) {
  return !options.slow_root.empty() || !options.fast_root.empty();
}

std::string Joined(const std::vector<DbPath>& paths) {
  std::string result;
  for (const DbPath& path : paths) {
    result.append((result.empty() ? "" : ", ") + path.path);
  }
  return result;
}

}  // namespace

PathChoice::PathChoice(FileSystem* fs, const std::string& dbname,
                       const std::vector<DbPath>& db_paths, bool read_only)
    : fs_(fs),
      dbname_(dbname),
      db_paths_(db_paths.empty() ? std::vector<DbPath>{{dbname, kNoLimit}}
                                 : db_paths),
      read_only_(read_only) {
  is_known_ = PathsFile::Read(fs_, dbname_, &known_).ok() &&
              PathsFile::IsSameFolder(fs_, known_.db_folder, dbname_);
  if (!is_known_) {
    known_ = PathsFile();
  }
}

ColumnFamilyOptions PathChoice::ForReader(FileSystem* fs,
                                          const std::string& dbname,
                                          const std::vector<DbPath>& db_paths,
                                          const std::string& cf_name,
                                          const ColumnFamilyOptions& options) {
  ColumnFamilyOptions result(options);
  if (HasRoot(options.hotrap)) {
    PathChoice choice(fs, dbname, db_paths, /*read_only=*/true);
    // Too many paths are an error of whoever uses them.
    choice.Choose(cf_name, &result).PermitUncheckedError();
  }
  return result;
}

const std::string& PathChoice::DbFolder() const {
  if (db_folder_.empty()) {
    db_folder_ = AbsoluteFolder(fs_, dbname_);
  }
  return db_folder_;
}

std::vector<DbPath> PathChoice::Given(
    const ColumnFamilyOptions& options) const {
  return options.cf_paths.empty() ? db_paths_ : options.cf_paths;
}

bool PathChoice::Contains(const std::vector<DbPath>& paths,
                          const std::string& folder) const {
  return std::any_of(paths.begin(), paths.end(), [&](const DbPath& path) {
    return PathsFile::IsSameFolder(fs_, path.path, folder);
  });
}

Status PathChoice::CheckRoots(const HotRapOptions& options) const {
  Status s;
  if (read_only_) {
    return s;
  }
  if (!options.slow_root.empty()) {
    s = CheckRoot(fs_, "slow_root", options.slow_root, DbFolder());
  }
  if (s.ok() && !options.fast_root.empty()) {
    s = CheckRoot(fs_, "fast_root", options.fast_root, DbFolder());
  }
  if (s.ok() && !options.slow_root.empty() && !options.fast_root.empty() &&
      PathsFile::IsSameFolder(fs_, options.slow_root, options.fast_root)) {
    return Status::InvalidArgument(
        "hotrap.slow_root and hotrap.fast_root are the same folder; they must "
        "be on two disks",
        options.slow_root);
  }
  return s;
}

Status PathChoice::CheckGiven(const HotRapOptions& options,
                              const std::vector<DbPath>& given) const {
  for (const auto& [field, root, path] :
       {std::make_tuple("slow_root", &options.slow_root, &given.back()),
        std::make_tuple("fast_root", &options.fast_root, &given.front())}) {
    if (!root->empty() && !IsWithin(AbsoluteFolder(fs_, path->path),
                                    AbsoluteFolder(fs_, *root))) {
      return Status::InvalidArgument(
          "hotrap." + std::string(field) + " is \"" + *root +
              "\", but cf_paths or db_paths name several paths themselves, "
              "and " +
              path->path +
              " is not below it; give either the root or the paths",
          Joined(given));
    }
  }
  return Status::OK();
}

std::string PathChoice::FolderOf(const std::string& cf_name,
                                 const std::string& root,
                                 const std::string& other_root) const {
  const std::string absolute = AbsoluteFolder(fs_, root);
  const std::string other =
      other_root.empty() ? "" : AbsoluteFolder(fs_, other_root);
  const std::vector<DbPath>& known = known_.PathsOf(cf_name);
  // The last one, to which new tables went.
  for (auto path = known.rbegin(); path != known.rend(); ++path) {
    const std::string folder = AbsoluteFolder(fs_, path->path);
    const bool is_of_other =
        !other.empty() && IsWithin(folder, other) && IsWithin(other, absolute);
    if (IsWithin(folder, absolute) && !is_of_other &&
        !IsWithin(folder, DbFolder())) {
      return path->path;
    }
  }
  return FolderBelow(PathsFile::Folder(fs_, root), DbFolder());
}

Status PathChoice::AddRoots(const std::string& cf_name,
                            const HotRapOptions& options,
                            std::vector<DbPath>* paths) {
  const DbPath given = paths->front();
  uint64_t budget = options.fast_budget_bytes;
  if (budget == 0 && options.fast_root.empty()) {
    budget = given.target_size == kNoLimit ? 0 : given.target_size;
  }
  if (budget == 0) {
    // OPTIONS files do not have the target_size that it came from.
    const std::vector<DbPath> known = known_.PathsOf(cf_name);
    if (known.size() > 1 && known.front().target_size != kNoLimit) {
      budget = known.front().target_size;
    }
  }
  if (budget == 0 && options.enabled && !read_only_) {
    return Status::InvalidArgument(
        "hotrap.fast_budget_bytes is 0; with slow_root or fast_root it must be "
        "the bytes of the fast disk to use, such as 40G");
  }
  DbPath fast(given.path, budget > 0 ? budget : given.target_size);
  DbPath slow(given.path, kNoLimit);
  if (!options.fast_root.empty()) {
    fast.path = FolderOf(cf_name, options.fast_root, options.slow_root);
    new_folders_.push_back({"fast_root", options.fast_root, fast.path});
  }
  if (!options.slow_root.empty()) {
    slow.path = FolderOf(cf_name, options.slow_root, options.fast_root);
    new_folders_.push_back({"slow_root", options.slow_root, slow.path});
  }
  *paths = {fast, slow};
  return Status::OK();
}

bool PathChoice::IsNeeded(const std::string& cf_name, const std::string& folder,
                          const std::vector<DbPath>& paths) {
  if (read_only_) {
    return fs_->FileExists(folder, IOOptions(), nullptr).ok();
  }
  if (!manifest_.has_value()) {
    manifest_ = ManifestTables::Read(fs_, dbname_);
  }
  TableLocator locator(fs_, TableLocator::Source::kListings);
  for (const auto& [id, family] : manifest_->families) {
    if (family.name != cf_name) {
      continue;
    }
    for (const auto& [number, table] : family.tables) {
      if (!locator.Find(paths, number, 0).found &&
          locator.Exists(folder, number)) {
        return true;
      }
    }
  }
  return false;
}

void PathChoice::AddKnown(const std::string& cf_name,
                          std::vector<DbPath>* paths) {
  const bool rooted = paths->size() > 1;
  std::vector<DbPath> known = known_.PathsOf(cf_name);
  if (rooted || is_known_) {
    // Where its tables were before it had several paths.
    known.push_back(db_paths_.front());
    known.emplace_back(dbname_, kNoLimit);
  }
  std::vector<DbPath> all = *paths;
  std::vector<DbPath> in_order;
  for (const DbPath& path : known) {
    if (Contains(*paths, path.path)) {
      if (!rooted && !Contains(in_order, path.path)) {
        // With the target_size of when it was one of several.
        in_order.emplace_back(paths->front().path, path.target_size);
      }
    } else if (!Contains(all, path.path) && IsNeeded(cf_name, path.path, all)) {
      all.push_back(path);
      in_order.push_back(path);
    }
  }
  if (rooted) {
    for (DbPath& path : in_order) {
      path.target_size = 0;  // nothing new goes there
    }
    paths->insert(paths->end() - 1, in_order.begin(), in_order.end());
  } else if (all.size() > paths->size()) {
    if (!Contains(in_order, paths->front().path)) {
      in_order.insert(in_order.begin(), paths->front());
    }
    *paths = in_order;
  }
}

Status PathChoice::Choose(const std::string& cf_name,
                          ColumnFamilyOptions* options) {
  const HotRapOptions& hotrap = options->hotrap;
  std::vector<DbPath> paths = Given(*options);
  if (HasRoot(hotrap)) {
    Status s = CheckRoots(hotrap);
    if (!s.ok()) {
      return s;
    }
  }
  if (paths.size() > 1) {
    // A reader, such as a tool that knows the paths from HOTRAP_PATHS and the
    // roots from the OPTIONS file, writes nothing to either.
    return read_only_ ? Status::OK() : CheckGiven(hotrap, paths);
  }
  const bool rooted =
      HasRoot(hotrap) && options->compaction_style == kCompactionStyleLevel;
  if (rooted) {
    Status s = AddRoots(cf_name, hotrap, &paths);
    if (!s.ok()) {
      return s;
    }
  }
  AddKnown(cf_name, &paths);
  if (paths.size() > kMaxPaths) {
    return Status::InvalidArgument(
        "Column family " + cf_name +
            " would have more than four paths: compact it with the roots that "
            "it had before, so that old folders become empty",
        Joined(paths));
  }
  if (paths.size() > 1) {
    options->cf_paths = paths;
  }
  if (rooted) {
    rooted_[cf_name] = paths;
  }
  return Status::OK();
}

Status PathChoice::Make() {
  if (read_only_) {
    return Status::OK();
  }
  for (const NewFolder& folder : new_folders_) {
    Status s = MakeFolder(fs_, folder.field, folder.root, folder.folder);
    if (!s.ok()) {
      return s;
    }
    std::vector<std::string> others = {dbname_};
    for (const NewFolder& other : new_folders_) {
      if (other.field != folder.field) {
        others.push_back(other.folder);
      }
    }
    for (const std::string& other : others) {
      if (folder.folder != other &&
          PathsFile::IsSameFolder(fs_, folder.folder, other)) {
        return Status::InvalidArgument(
            "hotrap." + folder.field + " is \"" + folder.root +
                "\", but the path that it makes, " + folder.folder +
                ", is another name of a path that the DB has; it must be on "
                "the other disk",
            other);
      }
    }
  }
  PathsFile file = known_;
  if (!is_known_) {
    file.db_folder = PathsFile::Folder(fs_, dbname_);
    for (const DbPath& path : db_paths_) {
      file.db_paths.emplace_back(PathsFile::Folder(fs_, path.path),
                                 path.target_size);
    }
  }
  bool changed = false;
  for (const auto& [cf_name, paths] : rooted_) {
    std::vector<DbPath> noted = file.PathsOf(cf_name);
    for (const DbPath& path : paths) {
      // Tables of unknown origin are looked at later (KnownPaths::CheckPaths).
      if (!Contains(noted, path.path) && TableNames(fs_, path.path).empty()) {
        noted.emplace_back(PathsFile::Folder(fs_, path.path), path.target_size);
        file.cf_paths[cf_name] = noted;
        changed = true;
      }
    }
  }
  // What a copied file says is needed while tables are missing.
  const bool is_foreign = !is_known_ && PathsFile::Exists(fs_, dbname_);
  return changed && !is_foreign ? file.Write(fs_, dbname_) : Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE

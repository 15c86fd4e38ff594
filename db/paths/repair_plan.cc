//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/repair_plan.h"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "file/file_util.h"
#include "file/filename.h"
#include "plugin/hotrap/db/paths/manifest_tables.h"
#include "plugin/hotrap/db/paths/missing_tables.h"
#include "plugin/hotrap/db/paths/path_choice.h"
#include "plugin/hotrap/db/paths/path_owner.h"
#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/db/paths/table_files.h"
#include "plugin/hotrap/db/paths/table_locator.h"
#include "rocksdb/table_properties.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr char kLost[] = "/lost";

// One of several files with a table's number.
struct Copy {
  bool is_readable = false;
  // That of the MANIFEST.
  bool has_size = false;
  uint64_t size = 0;

  bool operator<(const Copy& other) const {
    return std::make_tuple(is_readable, has_size, size) <
           std::make_tuple(other.is_readable, other.has_size, other.size);
  }
};

// Keeps roots, and the environment, from adding paths: RocksDB's repair would
// write records of the WAL to a path that it does not search.
template <typename T>
T WithoutHotRap(const T& options) {
  T result(options);
  result.hotrap = HotRapOptions();
  result.hotrap.source = "RepairDB";
  return result;
}

std::vector<ColumnFamilyDescriptor> WithoutHotRap(
    std::vector<ColumnFamilyDescriptor> families) {
  for (ColumnFamilyDescriptor& family : families) {
    family.options = WithoutHotRap(family.options);
  }
  return families;
}

std::vector<ColumnFamilyDescriptor> WithoutPaths(
    std::vector<ColumnFamilyDescriptor> families) {
  families = WithoutHotRap(std::move(families));
  for (ColumnFamilyDescriptor& family : families) {
    family.options.cf_paths.clear();
  }
  return families;
}

}  // namespace

RepairPlan::RepairPlan(const std::string& dbname, const DBOptions& db_options,
                       const std::vector<ColumnFamilyDescriptor>& families,
                       const std::vector<DbPath>& unknown_family_paths)
    : dbname_(dbname),
      db_options_(db_options),
      families_(families),
      unknown_family_paths_(unknown_family_paths),
      fs_(db_options.env->GetFileSystem().get()) {
  for (ColumnFamilyDescriptor& family : families_) {
    family.options = PathChoice::ForReader(fs_, dbname, db_options.db_paths,
                                           family.name, family.options);
  }
}

void RepairPlan::Add(const std::vector<DbPath>& paths) {
  for (const DbPath& path : paths) {
    if (!IsSearched(path.path)) {
      folders_.push_back(PathsFile::Folder(fs_, path.path));
      paths_.push_back(path);
    }
  }
}

bool RepairPlan::IsSearched(const std::string& folder) const {
  return std::any_of(folders_.begin(), folders_.end(),
                     [&](const std::string& searched) {
                       return PathsFile::IsSameFolder(fs_, searched, folder);
                     });
}

bool RepairPlan::HasTables(const std::string& folder) {
  return !TableNames(fs_, folder).empty();
}

Status RepairPlan::AddKnown() {
  PathsFile known;
  if (!PathsFile::Read(fs_, dbname_, &known).ok()) {
    return Status::OK();
  }
  const std::string name = PathsFile::FileName(dbname_);
  const std::vector<std::string> all = known.Folders();
  const size_t num_given = folders_.size();
  const bool is_copy = !PathsFile::IsSameFolder(fs_, known.db_folder, dbname_);
  for (const std::string& folder : all) {
    if (IsSearched(folder)) {
      continue;
    }
    if (num_given > 1 || is_copy) {
      // If as many folders are given as the file names, the DB was moved. But
      // tables that stayed behind would be deleted as unknown when the DB is
      // opened with that path again.
      if (num_given < all.size() || (!is_copy && HasTables(folder))) {
        return Status::InvalidArgument(
            "RepairDB must know every path: " + name +
                " names a folder that is not among db_paths and cf_paths "
                "(remove that file to repair without it)",
            folder);
      }
    } else if (!fs_->FileExists(folder, IOOptions(), nullptr).ok()) {
      return Status::InvalidArgument(
          "RepairDB cannot find a folder that " + name +
              " names: is its disk mounted? (Give its new location as a path, "
              "or remove that file to repair without it)",
          folder);
    }
  }
  if (num_given == 1 && !is_copy) {
    for (const std::string& folder : all) {
      Add({{folder, 0}});
    }
  }
  return Status::OK();
}

Status RepairPlan::CheckManifest() {
  const std::string known = PathsFile::FileName(dbname_);
  if (!manifest_.is_whole && PathsFile::Exists(fs_, dbname_)) {
    for (const std::string& folder : folders_) {
      // The DB's own folder is there.
      if (!PathsFile::IsSameFolder(fs_, folder, dbname_) &&
          !HasTables(folder)) {
        return Status::InvalidArgument(
            "RepairDB finds no table in a path, and no MANIFEST that would say "
            "whether there were some: is its disk mounted? (Remove " +
                known + " to repair without that path)",
            folder);
      }
    }
  }
  TableLocator locator(fs_, TableLocator::Source::kListings);
  std::vector<MissingTables::OfFamily> families;
  for (const auto& [id, family] : manifest_.families) {
    std::vector<DbPath> own = OwnPaths(family.name);
    if (own.empty()) {
      own.emplace_back(dbname_, 0);
    }
    MissingTables::OfFamily of{family.name, std::move(own), folders_, {}, {}};
    for (const auto& [number, table] : family.tables) {
      if (locator.Find(paths_, number, table.path).found) {
        of.found_on.insert(table.path);
      } else {
        of.tables.emplace(number, table.path);
      }
    }
    if (!of.tables.empty()) {
      families.push_back(std::move(of));
    }
  }
  if (families.empty()) {
    return Status::OK();
  }
  const MissingTables missing(fs_, dbname_, families, /*any_path=*/true);
  if (!missing.AreElsewhere() && !missing.IsPathMissing()) {
    return Status::OK();
  }
  return Status::InvalidArgument(
      "RepairDB does not find tables of the MANIFEST: " + missing.message() +
      " (Remove the MANIFEST and " + known + " to repair without such tables)");
}

Status RepairPlan::CheckBlobFiles() {
  const bool several = std::any_of(
      folders_.begin(), folders_.end(), [&](const std::string& folder) {
        return !PathsFile::IsSameFolder(fs_, folder, dbname_);
      });
  for (size_t i = 0; several && i < folders_.size(); i++) {
    const std::vector<std::string> blobs =
        FileNames(fs_, folders_[i], kBlobFile);
    if (manifest_.has_blob_files || !blobs.empty()) {
      return Status::NotSupported(
          "RepairDB does not know blob files, which would be deleted when the "
          "DB is opened",
          folders_[i]);
    }
  }
  return Status::OK();
}

Status RepairPlan::Make() {
  if (db_options_.db_paths.empty()) {
    Add({{dbname_, 0}});
  } else {
    Add(db_options_.db_paths);
    has_repeated_ = paths_.size() < db_options_.db_paths.size();
  }
  for (const ColumnFamilyDescriptor& family : families_) {
    Add(family.options.cf_paths);
  }
  Add(unknown_family_paths_);
  manifest_ = ManifestTables::Read(fs_, dbname_);
  Status s = AddKnown();
  if (s.ok()) {
    s = PathOwner::CheckAll(
        fs_, folders_, dbname_,
        "RepairDB would take the tables of another DB from a path");
  }
  if (s.ok()) {
    s = CheckBlobFiles();
  }
  if (s.ok()) {
    s = CheckManifest();
  }
  // If the DB's folder is not a path, RocksDB's repair does not look for the
  // WAL in it, and fails if there is nothing else.
  if (folders_.size() > 1 && !IsSearched(dbname_) && !HasTables(dbname_)) {
    Add({{dbname_, 0}});
  }
  // What is left out has no tables. If that is the DB's folder, opening the DB
  // replays the WAL.
  for (size_t i = folders_.size(); i-- > 0 && folders_.size() > kMaxPaths;) {
    if (!HasTables(folders_[i])) {
      folders_.erase(folders_.begin() + static_cast<std::ptrdiff_t>(i));
      paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  if (s.ok() && folders_.size() > kMaxPaths) {
    s = Status::NotSupported("RepairDB over more than four folders");
  }
  return s;
}

Status RepairPlan::PutCopiesAway() {
  // By name and by folder.
  std::map<std::string, std::map<size_t, Copy>> copies_of;
  const std::map<uint64_t, uint64_t> sizes = manifest_.Sizes();
  for (size_t i = 0; i < folders_.size(); i++) {
    for (const std::string& name : TableNames(fs_, folders_[i])) {
      Copy& copy = copies_of[name][i];
      Status s = fs_->GetFileSize(folders_[i] + "/" + name, IOOptions(),
                                  &copy.size, nullptr);
      if (!s.ok()) {
        return s;
      }
    }
  }
  for (auto& [name, copies] : copies_of) {
    if (copies.size() == 1) {
      continue;
    }
    uint64_t number = 0;
    FileType type = kTableFile;
    ParseFileName(name, &number, &type);
    const auto size = sizes.find(number);
    for (auto& [i, copy] : copies) {
      copy.has_size = size != sizes.end() && size->second == copy.size;
      copy.is_readable = CanReadTable(fs_, folders_[i] + "/" + name);
    }
    const auto whole = std::max_element(
        copies.begin(), copies.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto& [i, copy] : copies) {
      if (i == whole->first) {
        continue;
      }
      const std::string lost = folders_[i] + kLost;
      Status s = fs_->CreateDirIfMissing(lost, IOOptions(), nullptr);
      if (s.ok()) {
        s = fs_->RenameFile(folders_[i] + "/" + name, lost + "/" + name,
                            IOOptions(), nullptr);
      }
      if (!s.ok()) {
        return s;
      }
    }
  }
  for (std::string& name : TableNames(fs_, folders_[0])) {
    names_before_.insert(std::move(name));
  }
  return Status::OK();
}

std::vector<DbPath> RepairPlan::OwnPaths(const std::string& cf_name) const {
  const auto family = std::find_if(
      families_.begin(), families_.end(),
      [&](const auto& descriptor) { return descriptor.name == cf_name; });
  if (family != families_.end() && !family->options.cf_paths.empty()) {
    return family->options.cf_paths;
  }
  if (family == families_.end() && !unknown_family_paths_.empty()) {
    return unknown_family_paths_;
  }
  PathsFile known;
  if (db_options_.db_paths.size() < 2 &&
      PathsFile::Read(fs_, dbname_, &known).ok() &&
      !known.PathsOf(cf_name).empty()) {
    return known.PathsOf(cf_name);
  }
  return db_options_.db_paths;
}

Status RepairPlan::MoveTable(const std::string& name, const std::string& from,
                             const std::string& to) {
  const std::string source = from + "/" + name;
  const std::string target = to + "/" + name;
  Status s = fs_->RenameFile(source, target, IOOptions(), nullptr);
  if (!s.ok()) {
    // Another file system: copy.
    s = CopyFile(fs_, source, Temperature::kUnknown, target,
                 Temperature::kUnknown, 0, db_options_.use_fsync, nullptr);
    if (s.ok()) {
      s = fs_->DeleteFile(source, IOOptions(), nullptr);
    }
  }
  std::unique_ptr<FSDirectory> folder;
  if (s.ok()) {
    s = fs_->NewDirectory(to, IOOptions(), &folder, nullptr);
  }
  return s.ok() ? folder->FsyncWithDirOptions(IOOptions(), nullptr,
                                              DirFsyncOptions(target))
                : s;
}

Status RepairPlan::Settle() {
  for (const std::string& name : TableNames(fs_, folders_[0])) {
    if (names_before_.count(name) > 0) {
      continue;
    }
    std::unique_ptr<TableProperties> properties;
    Status s = ReadPropertiesOfTable(db_options_.env->GetFileSystem(),
                                     folders_[0] + "/" + name, &properties);
    if (!s.ok()) {
      return s;
    }
    const std::vector<std::string> own =
        PathsFile::Folders(fs_, OwnPaths(properties->column_family_name));
    if (!own.empty() &&
        std::find(own.begin(), own.end(), folders_[0]) == own.end()) {
      s = MoveTable(name, folders_[0], own[0]);
    }
    if (!s.ok()) {
      return s;
    }
  }
  return Status::OK();
}

namespace {

std::vector<DbPath> PathsOf(const std::string& dbname,
                            const DBOptions& db_options,
                            const ColumnFamilyOptions& options) {
  return PathChoice::ForReader(db_options.env->GetFileSystem().get(), dbname,
                               db_options.db_paths, kDefaultColumnFamilyName,
                               options)
      .cf_paths;
}

// `stock` runs RocksDB's repair with the plan's paths.
template <typename Stock>
Status Repair(const std::string& dbname, const DBOptions& db_options,
              RepairPlan* plan, const Stock& stock) {
  FileLock* lock = nullptr;
  Status s = db_options.env->LockFile(LockFileName(dbname), &lock);
  if (!s.ok()) {
    return s;
  }
  s = plan->PutCopiesAway();
  const Status unlocked = db_options.env->UnlockFile(lock);
  if (s.ok()) {
    s = unlocked;
  }
  if (s.ok()) {
    s = stock();
  }
  return s.ok() ? plan->Settle() : s;
}

}  // namespace

Status RepairDB(const std::string& dbname, const DBOptions& db_options,
                const std::vector<ColumnFamilyDescriptor>& families) {
  RepairPlan plan(dbname, db_options, families, {});
  const Status s = plan.Make();
  if (!s.ok() || !plan.differs()) {
    return s.ok() ? StockRepairDB(dbname, db_options, WithoutHotRap(families))
                  : s;
  }
  DBOptions all_paths(db_options);
  all_paths.db_paths = plan.paths();
  return Repair(dbname, db_options, &plan, [&] {
    return StockRepairDB(dbname, all_paths, WithoutPaths(families));
  });
}

Status RepairDB(const std::string& dbname, const DBOptions& db_options,
                const std::vector<ColumnFamilyDescriptor>& families,
                const ColumnFamilyOptions& unknown_family) {
  RepairPlan plan(dbname, db_options, families,
                  PathsOf(dbname, db_options, unknown_family));
  const Status s = plan.Make();
  if (!s.ok() || !plan.differs()) {
    return s.ok() ? StockRepairDB(dbname, db_options, WithoutHotRap(families),
                                  WithoutHotRap(unknown_family))
                  : s;
  }
  DBOptions all_paths(db_options);
  all_paths.db_paths = plan.paths();
  ColumnFamilyOptions unknown_without = WithoutHotRap(unknown_family);
  unknown_without.cf_paths.clear();
  return Repair(dbname, db_options, &plan, [&] {
    return StockRepairDB(dbname, all_paths, WithoutPaths(families),
                         unknown_without);
  });
}

Status RepairDB(const std::string& dbname, const Options& options) {
  RepairPlan plan(dbname, options, {}, PathsOf(dbname, options, options));
  const Status s = plan.Make();
  if (!s.ok() || !plan.differs()) {
    return s.ok() ? StockRepairDB(dbname, WithoutHotRap(options)) : s;
  }
  Options all_paths = WithoutHotRap(options);
  all_paths.db_paths = plan.paths();
  all_paths.cf_paths.clear();
  return Repair(dbname, options, &plan,
                [&] { return StockRepairDB(dbname, all_paths); });
}

}  // namespace ROCKSDB_NAMESPACE

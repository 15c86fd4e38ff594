//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/table_files.h"

#include <algorithm>

#include "file/filename.h"
#include "file/random_access_file_reader.h"
#include "options/cf_options.h"
#include "options/db_options.h"
#include "plugin/hotrap/db/access/rocksdb_compat.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/options.h"
#include "table/format.h"
#include "table/meta_blocks.h"

namespace ROCKSDB_NAMESPACE {

namespace {
constexpr size_t kMaxTablesAsked = 100;
// What SstFileWriter names as the DB of its tables.
constexpr char kNoDb[] = "SST Writer";
}  // namespace

IOOptions OpeningIo() {
  IOOptions options;
  options.io_activity = Env::IOActivity::kDBOpen;
  return options;
}

std::vector<std::string> FileNames(FileSystem* fs, const std::string& folder,
                                   FileType type) {
  std::vector<std::string> names;
  fs->GetChildren(folder, IOOptions(), &names, nullptr).PermitUncheckedError();
  names.erase(std::remove_if(names.begin(), names.end(),
                             [&](const std::string& name) {
                               uint64_t number = 0;
                               FileType its_type = kTempFile;
                               return !ParseFileName(name, &number,
                                                     &its_type) ||
                                      its_type != type;
                             }),
              names.end());
  return names;
}

std::vector<std::string> TableNames(FileSystem* fs, const std::string& folder) {
  return FileNames(fs, folder, kTableFile);
}

std::vector<std::string> TablesIn(FileSystem* fs, const std::string& folder) {
  std::vector<std::string> tables = TableNames(fs, folder);
  for (std::string& table : tables) {
    table.insert(0, folder + "/");
  }
  return tables;
}

Status ReadPropertiesOfTable(const std::shared_ptr<FileSystem>& fs,
                             const std::string& name,
                             std::unique_ptr<TableProperties>* properties) {
  uint64_t size = 0;
  Status s = fs->GetFileSize(name, IOOptions(), &size, nullptr);
  std::unique_ptr<FSRandomAccessFile> file;
  if (s.ok()) {
    FileOptions file_options;
    HOTRAP_NO_SUM(file_options);
    s = fs->NewRandomAccessFile(name, file_options, &file, nullptr);
  }
  if (!s.ok()) {
    return s;
  }
  RandomAccessFileReader reader(std::move(file), name);
  const ImmutableOptions options{Options()};
  return ReadTableProperties(&reader, size, Footer::kNullTableMagicNumber,
                             options, ReadOptions(Env::IOActivity::kDBOpen),
                             properties);
}

bool CanReadTable(FileSystem* fs, const std::string& name, UniqueId64x2* id) {
  // Owned by the caller.
  const std::shared_ptr<FileSystem> shared(fs, [](FileSystem*) {});
  std::unique_ptr<TableProperties> properties;
  if (!ReadPropertiesOfTable(shared, name, &properties).ok()) {
    return false;
  }
  if (id != nullptr &&
      !GetSstInternalUniqueId(properties->db_id, properties->db_session_id,
                              properties->orig_file_number, id)
           .ok()) {
    *id = kNullUniqueId64x2;
  }
  return true;
}

std::set<std::string> DbIdsOfTables(FileSystem* fs,
                                    const std::vector<std::string>& tables) {
  // Owned by the caller.
  const std::shared_ptr<FileSystem> shared(fs, [](FileSystem*) {});
  std::set<std::string> ids;
  size_t asked = 0;
  for (const std::string& table : tables) {
    std::unique_ptr<TableProperties> properties;
    if (asked++ < kMaxTablesAsked &&
        ReadPropertiesOfTable(shared, table, &properties).ok() &&
        !properties->db_id.empty() && properties->db_id != kNoDb) {
      ids.insert(properties->db_id);
    }
  }
  return ids;
}

std::set<std::string> OwnDbIds(FileSystem* fs, const std::string& dbname) {
  std::set<std::string> ids = DbIdsOfTables(fs, TablesIn(fs, dbname));
  std::string id;
  ReadFileToString(fs, IdentityFileName(dbname), OpeningIo(), &id)
      .PermitUncheckedError();
  while (!id.empty() && id.back() == '\n') {
    id.pop_back();
  }
  if (!id.empty()) {
    ids.insert(id);
  }
  return ids;
}

}  // namespace ROCKSDB_NAMESPACE

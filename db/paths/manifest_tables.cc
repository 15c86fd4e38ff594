//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/manifest_tables.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "db/log_reader.h"
#include "db/manifest_ops.h"
#include "db/version_edit.h"
#include "file/filename.h"
#include "file/sequence_file_reader.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Returns "" if there is none.
std::string NameOfManifest(FileSystem* fs, const std::string& dbname) {
  std::string name;
  uint64_t number = 0;
  if (GetCurrentManifestPath(dbname, fs, /*is_retry=*/false, &name, &number)
          .ok()) {
    return name;
  }
  std::vector<std::string> children;
  fs->GetChildren(dbname, IOOptions(), &children, nullptr)
      .PermitUncheckedError();
  uint64_t newest = 0;
  for (const std::string& child : children) {
    FileType type = kTempFile;
    if (ParseFileName(child, &number, &type) && type == kDescriptorFile) {
      newest = std::max(newest, number);
    }
  }
  return newest > 0 ? DescriptorFileName(dbname, newest) : "";
}

struct Reporter : public log::Reader::Reporter {
  void Corruption(size_t /*bytes*/, const Status& /*s*/,
                  uint64_t /*log_number*/) override {
    was_called = true;
  }
  bool was_called = false;
};

}  // namespace

ManifestTables ManifestTables::Read(FileSystem* fs, const std::string& dbname) {
  ManifestTables result;
  const std::string name = NameOfManifest(fs, dbname);
  std::unique_ptr<FSSequentialFile> file;
  if (name.empty() ||
      !fs->NewSequentialFile(name, FileOptions(), &file, nullptr).ok()) {
    return result;
  }
  Reporter reporter;
  log::Reader reader(nullptr,
                     std::make_unique<SequentialFileReader>(
                         std::move(file), name, /*io_tracer=*/nullptr),
                     &reporter, /*checksum=*/true, /*log_num=*/0);
  result.families[0].name = kDefaultColumnFamilyName;
  Slice record;
  std::string scratch;
  while (reader.ReadRecord(&record, &scratch)) {
    VersionEdit edit;
    result.is_whole = edit.DecodeFrom(record).ok();
    if (!result.is_whole) {
      break;
    }
    if (edit.IsColumnFamilyDrop()) {
      result.families.erase(edit.GetColumnFamily());
      continue;
    }
    Family& family = result.families[edit.GetColumnFamily()];
    if (edit.IsColumnFamilyAdd()) {
      family.name = edit.GetColumnFamilyName();
    }
    for (const auto& [level, number] : edit.GetDeletedFiles()) {
      family.tables.erase(number);
    }
    for (const auto& [level, added] : edit.GetNewFiles()) {
      family.tables[added.fd.GetNumber()] = {added.fd.GetPathId(),
                                             added.fd.GetFileSize()};
    }
    result.has_blob_files =
        result.has_blob_files || !edit.GetBlobFileAdditions().empty();
  }
  result.is_whole = result.is_whole && !reporter.was_called;
  return result;
}

std::map<uint64_t, uint64_t> ManifestTables::Sizes() const {
  std::map<uint64_t, uint64_t> sizes;
  for (const auto& [id, family] : families) {
    for (const auto& [number, table] : family.tables) {
      sizes[number] = table.size;
    }
  }
  return sizes;
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ldb/tiered_db.h"

#include "plugin/hotrap/db/settings/option_fields.h"
#include "plugin/hotrap/db/state/ralt_folders.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/utilities/options_util.h"

namespace ROCKSDB_NAMESPACE {

void SwitchHotRapOff(ColumnFamilyOptions* options) {
  options->hotrap.enabled = false;
  options->hotrap.source = kSourceProgram;
}

Status TieredDB::Open(const std::string& name, const ConfigOptions& config,
                      const ToolPaths& paths, Mode mode,
                      std::unique_ptr<TieredDB>* opened) {
  DBOptions options;
  std::vector<ColumnFamilyDescriptor> families;
  options.env = config.env;
  Status s = LoadLatestOptions(config, name, &options, &families);
  if (s.IsNotFound() && mode == Mode::kReadOnly) {
    options = DBOptions();
    options.env = config.env;
    std::vector<std::string> names;
    s = DB::ListColumnFamilies(options, name, &names);
    for (const std::string& family : names) {
      families.emplace_back(family, ColumnFamilyOptions());
    }
  } else if (s.IsNotFound()) {
    return Status::InvalidArgument(
        "no OPTIONS file, without which nothing is compacted or moved", name);
  }
  if (!s.ok()) {
    return s;
  }
  options.create_if_missing = false;
  if (mode == Mode::kHotRapOff) {
    for (ColumnFamilyDescriptor& family : families) {
      family.options.hotrap = HotRapOptions();
      SwitchHotRapOff(&family.options);
    }
  }
  paths.Set(&options, &families);
  if (mode != Mode::kReadOnly) {
    s = paths.CheckForWriting(options.env->GetFileSystem().get());
    if (!s.ok()) {
      return s;
    }
  }
  std::unique_ptr<TieredDB> result(new TieredDB);
  s = mode == Mode::kReadOnly
          ? DB::OpenForReadOnly(options, name, families, &result->families_,
                                &result->db_)
          : DB::Open(options, name, families, &result->families_, &result->db_);
  if (s.ok()) {
    *opened = std::move(result);
  }
  return s;
}

TieredDB::~TieredDB() {
  for (ColumnFamilyHandle* family : families_) {
    db_->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  }
  if (db_ != nullptr) {
    db_->Close().PermitUncheckedError();
  }
}

bool TieredDB::KnowsHotRap() {
  for (ColumnFamilyHandle* family : families_) {
    if (db_->GetOptions(family).hotrap.enabled || !RaltFolder(family).empty() ||
        PromotedCopies(family) > 0) {
      return true;
    }
  }
  return false;
}

uint64_t TieredDB::PromotedCopies(ColumnFamilyHandle* family) {
  uint64_t copies = 0;
  db_->GetIntProperty(family, kHotRapCopiesProperty, &copies);
  return copies;
}

std::string TieredDB::RaltFolder(ColumnFamilyHandle* family) {
  for (const std::string& folder :
       RaltFolders::InAny(db_->GetOptions(family).cf_paths, family->GetID())) {
    if (db_->GetEnv()->FileExists(folder + "/MANIFEST").ok()) {
      return folder;
    }
  }
  return "";
}

}  // namespace ROCKSDB_NAMESPACE

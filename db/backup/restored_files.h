//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The file system through which a backup is restored to several folders: shows
// the tables of all of them in the DB's folder, and makes each file in the
// place that the plan has for it.
//
// Thread safety: thread-safe.

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "env/fs_remap.h"
#include "plugin/hotrap/db/backup/restore_plan.h"

namespace ROCKSDB_NAMESPACE {

class RestoredFiles : public RemapFileSystem {
 public:
  // `plan` must outlive this object.
  RestoredFiles(const std::shared_ptr<FileSystem>& base,
                const RestorePlan& plan);

  static const char* kClassName() { return "RestoredFiles"; }
  const char* Name() const override { return kClassName(); }

  using RemapFileSystem::GetChildren;
  IOStatus GetChildren(const std::string& dir, const IOOptions& options,
                       std::vector<std::string>* result,
                       IODebugContext* dbg) override;
  // Deletes a table in all folders.
  using RemapFileSystem::DeleteFile;
  IOStatus DeleteFile(const std::string& fname, const IOOptions& options,
                      IODebugContext* dbg) override;
  using RemapFileSystem::NewDirectory;
  IOStatus NewDirectory(const std::string& dir, const IOOptions& options,
                        std::unique_ptr<FSDirectory>* result,
                        IODebugContext* dbg) override;

 protected:
  std::pair<IOStatus, std::string> EncodePath(const std::string& path) override;

 private:
  // Returns the name of a file that is directly in the DB's folder, or "".
  std::string NameInDb(const std::string& path) const;

  const RestorePlan& plan_;
};

}  // namespace ROCKSDB_NAMESPACE

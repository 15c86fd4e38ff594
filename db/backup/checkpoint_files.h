//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The file system that makes a checkpoint: takes each file to the folder where
// it belongs while RocksDB makes all of them in one.
//
// RocksDB makes the checkpoint in a folder of the same name with ".tmp" and
// renames it in the end. Other folders (CopyFolders) have their last name from
// the start, since nothing is found there without the checkpoint's own. The
// HOTRAP_PATHS in the ".tmp" folder, written first, says that they are a
// checkpoint's; so the next attempt after a crash empties them.
//
// Thread safety: thread-safe once all files are placed.

#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "env/fs_remap.h"
#include "plugin/hotrap/db/backup/copy_folders.h"

namespace ROCKSDB_NAMESPACE {

class CheckpointFiles : public RemapFileSystem {
 public:
  // `folder`: the checkpoint's name as the caller gave it. If `refusal` is an
  // error, the checkpoint fails with it. `copies`: LinkFile() copies a file
  // that cannot be linked.
  CheckpointFiles(const std::shared_ptr<FileSystem>& base,
                  const std::string& folder, const CopyFolders& folders,
                  const Status& refusal, bool copies, bool use_fsync);

  static const char* kClassName() { return "CheckpointFiles"; }
  const char* Name() const override { return kClassName(); }

  // The checkpoint's file `name` goes to `folder`.
  void Place(const std::string& name, const std::string& folder);
  // The same for a file of RALT. Returns whether it can go there.
  bool PlaceRalt(const std::string& name, const std::string& fast_folder,
                 uint32_t cf_id, const std::string& ralt_name);

  using RemapFileSystem::CreateDir;
  IOStatus CreateDir(const std::string& dirname, const IOOptions& options,
                     IODebugContext* dbg) override;
  using RemapFileSystem::FileExists;
  IOStatus FileExists(const std::string& fname, const IOOptions& options,
                      IODebugContext* dbg) override;
  using RemapFileSystem::LinkFile;
  IOStatus LinkFile(const std::string& src, const std::string& dest,
                    const IOOptions& options, IODebugContext* dbg) override;
  using RemapFileSystem::RenameFile;
  IOStatus RenameFile(const std::string& src, const std::string& dest,
                      const IOOptions& options, IODebugContext* dbg) override;

 protected:
  std::pair<IOStatus, std::string> EncodePath(const std::string& path) override;

 private:
  // The ".tmp" folder was made.
  Status Begin();
  // The checkpoint is whole, and about to get its name.
  IOStatus SyncFolders();
  // Removes what an attempt has left outside of the ".tmp" folder, and of
  // RALT's files in it.
  void CleanUp();

  const std::string folder_;
  const std::string staging_;
  const CopyFolders folders_;
  const Status refusal_;
  const bool copies_;
  const bool use_fsync_;
  // By name in the checkpoint.
  std::unordered_map<std::string, std::string> places_;
  std::set<std::string> ralt_folders_;
};

}  // namespace ROCKSDB_NAMESPACE

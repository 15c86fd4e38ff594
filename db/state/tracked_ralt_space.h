//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Makes RALT's files count like tables: SstFileManager::GetTotalSize() includes
// them, and RALT does not grow if there is no room.
//
// Thread safety: see RaltSpace.

#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

#include "plugin/hotrap/ralt/ralt_space.h"
#include "rocksdb/file_system.h"
#include "rocksdb/sst_file_manager.h"

namespace ROCKSDB_NAMESPACE {

class TrackedRaltSpace : public RaltSpace {
 public:
  // `files` may be nullptr. See SpaceReservation for the other parameters.
  TrackedRaltSpace(std::shared_ptr<FileSystem> fs, std::string path,
                   std::shared_ptr<SstFileManager> files, uint64_t spare_bytes)
      : fs_(std::move(fs)),
        path_(std::move(path)),
        files_(std::move(files)),
        spare_bytes_(spare_bytes) {}
  // Called when RALT closes. Like the tables of a closed DB, its files no
  // longer count.
  ~TrackedRaltSpace() override;

  void OnFileAdded(const std::string& name, uint64_t bytes) override;
  void OnFileDeleted(const std::string& name) override;
  bool HasRoom(uint64_t bytes) override;

 private:
  const std::shared_ptr<FileSystem> fs_;
  const std::string path_;
  const std::shared_ptr<SstFileManager> files_;
  const uint64_t spare_bytes_;
  std::unordered_set<std::string> names_;
};

}  // namespace ROCKSDB_NAMESPACE

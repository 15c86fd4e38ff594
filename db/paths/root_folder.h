//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Folders below hotrap.slow_root and hotrap.fast_root.
//
// Thread safety: any thread.

#pragma once

#include <string>

#include "rocksdb/file_system.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

// Returns whether files of `fs` are the machine's, under the same names: not
// those in memory, on another machine, or below another folder.
bool IsOfTheMachine(const FileSystem* fs);

// Returns the one absolute name of a folder that may not exist yet: without
// "..", "." and double slashes; on the machine's file system also without
// symbolic links.
std::string AbsoluteFolder(FileSystem* fs, const std::string& path);

// Returns whether `folder` is `root` or in it. REQUIRES: both from
// AbsoluteFolder()
bool IsWithin(const std::string& folder, const std::string& root);

// Returns the folder of a DB below a root: /hdd and /nvme/db make /hdd/nvme/db.
// `db_folder` is from AbsoluteFolder().
std::string FolderBelow(const std::string& root, const std::string& db_folder);

// Returns InvalidArgument if the root is no folder, or within the DB's.
// `field` is its name in messages.
Status CheckRoot(FileSystem* fs, const std::string& field,
                 const std::string& root, const std::string& db_folder);

// Makes a folder below a root, with those between them, and writes a file
// there.
Status MakeFolder(FileSystem* fs, const std::string& field,
                  const std::string& root, const std::string& folder);

}  // namespace ROCKSDB_NAMESPACE

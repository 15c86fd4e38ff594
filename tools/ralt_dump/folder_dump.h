//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <memory>
#include <ostream>
#include <string>

#include "rocksdb/file_system.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Exit codes of ralt_dump.
constexpr int kExitOk = 0;
constexpr int kExitErrors = 1;
constexpr int kExitUsage = 2;

struct FolderDumpOptions {
  // RALT's folder, and its file system.
  std::string path;
  std::shared_ptr<FileSystem> fs = FileSystem::Default();

  // JSON instead of text.
  bool json = false;

  // The number of hottest keys to print.
  uint64_t top = 20;

  // Decay of the scores: RaltOptions::alpha of the store.
  double alpha = 0.999;
};

// Prints the contents of a RALT folder to `out`, and errors to `errors`. If the
// folder is damaged, prints what comes before the damage. Returns the exit
// code. Only reads. The folder may be in use, but then runs can disappear
// meanwhile, which is reported like damage. Assumes bytewise key order. May be
// called from several threads.
int DumpFolder(const FolderDumpOptions& options, std::ostream* out,
               std::ostream* errors);

}  // namespace ROCKSDB_NAMESPACE::ralt

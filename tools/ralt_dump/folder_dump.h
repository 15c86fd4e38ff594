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
  // RALT's folder, and the file system it is in.
  std::string path;
  std::shared_ptr<FileSystem> fs = FileSystem::Default();

  // JSON instead of text.
  bool json = false;

  // How many of the hottest keys to print.
  uint64_t top = 20;

  // Fading of the scores: RaltOptions::alpha of the store.
  double alpha = 0.999;
};

// Prints what a RALT folder holds to `out`, and what is wrong with it to
// `errors`. Of a damaged folder it prints what comes before the damage.
// Returns the exit code. Reads only; the folder may be in use, but then runs
// can vanish under way, which is reported like damage. Keys are taken to be in
// bytewise order. Safe to call from several threads.
int DumpFolder(const FolderDumpOptions& options, std::ostream* out,
               std::ostream* errors);

}  // namespace ROCKSDB_NAMESPACE::ralt

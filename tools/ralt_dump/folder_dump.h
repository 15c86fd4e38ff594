//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <memory>
#include <ostream>
#include <string>

#include "plugin/hotrap/ralt/heat/heat_survey.h"
#include "plugin/hotrap/ralt/heat/hit_rate_curve.h"
#include "plugin/hotrap/tools/json_output.h"
#include "rocksdb/comparator.h"
#include "rocksdb/file_system.h"
#include "rocksdb/status.h"

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

  // Whether to read the records, and not only the manifest and the runs'
  // properties.
  bool records = true;

  // The number of hottest keys to print, and how prefixes are told.
  HeatOptions heat;

  // Whether to print sums by prefix, too.
  bool prefixes = false;

  // How keys are printed: "text", with \x.. for bytes that cannot be printed;
  // "hex", like ldb with --hex; "hidden", as hashes.
  std::string keys = "text";

  // The order of the store's keys.
  const Comparator* comparator = BytewiseComparator();

  // Decay of the scores: RaltOptions::alpha of the store.
  double alpha = 0.999;
};

// Describes the contents of a RALT folder: "manifest", "runs", "records",
// "hot_records", "repeated_records", "top_hot_keys" and "score_histogram"; the
// latter five only with options.records. If the folder is damaged, `result` has
// what comes before the damage. Only reads. The folder may be in use, but then
// runs can disappear meanwhile, which is an error like damage. May be called
// from several threads.
Status DescribeFolder(const FolderDumpOptions& options, Json* result);

// Reads the curve of hit rates that the folder's RALT has saved. NotFound if it
// has saved none.
Status LoadHitRates(const std::string& path, FileSystem* fs,
                    HitRateCurve* curve);

// Prints the contents of a RALT folder to `out`, and errors to `errors`. If the
// folder is damaged, prints what comes before the damage. Returns the exit
// code. May be called from several threads.
int DumpFolder(const FolderDumpOptions& options, std::ostream* out,
               std::ostream* errors);

}  // namespace ROCKSDB_NAMESPACE::ralt

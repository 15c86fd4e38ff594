//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// ralt_dump prints the contents of a RALT folder. docs/ralt_format.md describes
// the files.

#include <gflags/gflags.h>

#include <iostream>

#include "plugin/hotrap/tools/ralt_dump/folder_dump.h"

DEFINE_bool(json, false, "print JSON instead of text");
DEFINE_uint64(top, 20, "how many of the hottest keys to print");
DEFINE_double(alpha, 0.999, "fading of the scores, as the store has it");

int main(int argc, char** argv) {
  namespace ralt = ROCKSDB_NAMESPACE::ralt;
  gflags::SetUsageMessage("[flags] FOLDER");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  if (argc != 2) {
    std::cerr << "usage: ralt_dump [--json] [--top=N] [--alpha=A] FOLDER\n";
    return ralt::kExitUsage;
  }
  ralt::FolderDumpOptions options;
  options.path = argv[1];
  options.json = FLAGS_json;
  options.heat.top = static_cast<uint32_t>(FLAGS_top);
  options.alpha = FLAGS_alpha;
  return ralt::DumpFolder(options, &std::cout, &std::cerr);
}

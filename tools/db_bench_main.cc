//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// RocksDB's db_bench with two flags more: --db_paths and --hotrap. They may
// also be given as the environment variables FLAGS_db_paths and FLAGS_hotrap,
// for scripts that call db_bench. docs/tools.md describes them.

#include <cstdio>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/db_bench/bench_hooks.h"
#include "plugin/hotrap/tools/path_list.h"
#include "rocksdb/db_bench_tool.h"
#include "util/gflags_compat.h"

DEFINE_string(db_paths, "",
              "HotRAP: the paths of the DB's tables with their sizes, the fast "
              "one first, e.g. /nvme/db:40G,/hdd/db:4T. --db is the first one "
              "unless given. The environment variable FLAGS_db_paths is the "
              "default");
DEFINE_string(hotrap, "",
              "HotRAP: its options, e.g. {enabled=true;}, for all column "
              "families. The environment variable FLAGS_hotrap is the default");

namespace ROCKSDB_NAMESPACE {
namespace {

// The benchmarks start by deleting the DB, so that wrong flags are refused
// before.
bool CheckPaths(const char* flag, const std::string& text) {
  std::vector<DbPath> paths;
  if (text.empty()) {
    return true;
  }
  Status s = ParsePathList(text, &paths);
  if (s.ok() && paths.front().target_size == 0) {
    s = Status::InvalidArgument(
        "the first path needs a size, which is the fast budget: " +
        paths.front().path + ":40G");
  }
  if (!s.ok()) {
    fprintf(stderr, "--%s: %s\n", flag, s.ToString().c_str());
  }
  return s.ok();
}

bool CheckHotRap(const char* flag, const std::string& text) {
  const Status s = BenchHooks::CheckHotRap(text);
  if (!s.ok()) {
    fprintf(stderr, "--%s: %s\n", flag, s.ToString().c_str());
  }
  return s.ok();
}

// What has no size may grow without limit.
std::vector<DbPath> Paths() {
  std::vector<DbPath> paths;
  if (!FLAGS_db_paths.empty()) {
    ParsePathList(FLAGS_db_paths, &paths).PermitUncheckedError();
  }
  for (DbPath& path : paths) {
    if (path.target_size == 0) {
      path.target_size = UINT64_MAX;
    }
  }
  return paths;
}

int Main(int argc, char** argv) {
  std::string from_environment = "--tryfromenv=db_paths,hotrap";
  std::vector<char*> args(argv, argv + argc);
  args.insert(args.begin() + 1, from_environment.data());
  args.push_back(nullptr);
  argc++;

  // db_bench_tool() parses them again.
  std::vector<char*> copy(args);
  char** copied = copy.data();
  int num_copied = argc;
  GFLAGS_NAMESPACE::ParseCommandLineNonHelpFlags(&num_copied, &copied,
                                                 /*remove_flags=*/false);
  BenchHooks::Tiers tiers;
  tiers.paths = Paths();
  tiers.hotrap = FLAGS_hotrap;
  if (!tiers.paths.empty()) {
    GFLAGS_NAMESPACE::SetCommandLineOptionWithMode(
        "db", tiers.paths.front().path.c_str(),
        GFLAGS_NAMESPACE::SET_FLAG_IF_DEFAULT);
  }
  GFLAGS_NAMESPACE::GetCommandLineOption("db", &tiers.db);
  BenchHooks hooks(tiers);
  return db_bench_tool(argc, args.data(), hooks);
}

}  // namespace
}  // namespace ROCKSDB_NAMESPACE

DEFINE_validator(db_paths, &ROCKSDB_NAMESPACE::CheckPaths);
DEFINE_validator(hotrap, &ROCKSDB_NAMESPACE::CheckHotRap);

int main(int argc, char** argv) { return ROCKSDB_NAMESPACE::Main(argc, argv); }

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// RocksDB's ldb for DBs over several paths, which it finds in HOTRAP_PATHS or
// is told by --db_paths, and with a command more, `hotrap`. docs/tools.md
// describes it. This is LDBCommandRunner::RunCommand() with other commands.

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/ldb/hotrap_command.h"
#include "plugin/hotrap/tools/ldb/tiered_commands.h"
#include "plugin/hotrap/tools/path_list.h"
#include "rocksdb/ldb_tool.h"
#include "rocksdb/utilities/ldb_cmd.h"

namespace ROCKSDB_NAMESPACE {
namespace {

void PrintHelp(bool to_stderr) {
  LDBCommandRunner::PrintHelp(LDBOptions(), "ldb", to_stderr);
  std::string help = "HotRAP:\n";
  HotRapCommand::Help(help);
  help.append("\n  --" + TieredCommands::ARG_DB_PATHS +
              "=<path>[:<size>],<path>[:<size>] with every command : the "
              "folders of the DB's tables, the fast one first, where the DB's "
              "file HOTRAP_PATHS does not have them\n");
  fputs(help.c_str(), to_stderr ? stderr : stdout);
}

int Main(int argc, char** argv) {
  if (argc <= 2) {
    const std::string word = argc == 2 ? argv[1] : "";
    if (word == "--version") {
      return LDBCommandRunner::RunCommand(argc, argv, Options(), LDBOptions(),
                                          /*column_families=*/nullptr);
    }
    PrintHelp(/*to_stderr=*/word != "--help");
    return word == "--help" ? 0 : 1;
  }
  Status s;
  const auto select =
      [&](const LDBCommand::ParsedParams& params) -> LDBCommand* {
    LDBCommand::ParsedParams stock(params);
    std::vector<DbPath> given;
    const auto paths = stock.option_map.find(TieredCommands::ARG_DB_PATHS);
    if (paths != stock.option_map.end()) {
      s = ParsePathList(paths->second, &given);
      stock.option_map.erase(paths);
    }
    return s.ok() ? TieredCommands::Select(stock, given) : nullptr;
  };
  const std::unique_ptr<LDBCommand> command(LDBCommand::InitFromCmdLineArgs(
      std::vector<std::string>(argv + 1, argv + argc), Options(), LDBOptions(),
      /*column_families=*/nullptr, select));
  if (!s.ok()) {
    fprintf(stderr, "--%s: %s\n", TieredCommands::ARG_DB_PATHS.c_str(),
            s.ToString().c_str());
    return 1;
  }
  if (command == nullptr) {
    fprintf(stderr, "Unknown command\n");
    PrintHelp(/*to_stderr=*/true);
    return 1;
  }
  if (!command->ValidateCmdLineOptions()) {
    return 1;
  }
  command->Run();
  LDBCommandExecuteResult result = command->GetExecuteState();
  if (!result.ToString().empty()) {
    fprintf(stderr, "%s\n", result.ToString().c_str());
  }
  return result.IsFailed() ? 1 : 0;
}

}  // namespace
}  // namespace ROCKSDB_NAMESPACE

int main(int argc, char** argv) { return ROCKSDB_NAMESPACE::Main(argc, argv); }

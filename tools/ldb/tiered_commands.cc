//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ldb/tiered_commands.h"

#include <cstdio>
#include <type_traits>

#include "plugin/hotrap/tools/ldb/hotrap_command.h"
#include "plugin/hotrap/tools/ldb/tiered_db.h"
#include "plugin/hotrap/tools/ldb/tool_paths.h"
#include "rocksdb/version.h"
#include "tools/ldb_cmd_impl.h"

namespace ROCKSDB_NAMESPACE {

namespace {

template <class Command, class... Others>
constexpr bool kIsOneOf = (std::is_same_v<Command, Others> || ...);

// Commands that know the DB's paths only, and no column family's. They get the
// folders of all: tables are found in any of them.
template <class Command>
constexpr bool kHasOneListOfPaths =
    kIsOneOf<Command, FileChecksumDumpCommand, RepairCommand,
             UnsafeRemoveSstFileCommand, UpdateManifestCommand>;

// Commands that cannot be used over several paths.
template <class Command>
constexpr bool kRefuses =
#if ROCKSDB_MAJOR >= 11
    kIsOneOf<Command, RemoteCompactionPrimaryCommand,
             RemoteCompactionWorkerCommand>;
#else
    false;
#endif

// Commands that change a DB and do not open it before they begin.
template <class Command>
constexpr bool kChanges =
    kIsOneOf<Command, ReduceDBLevelsCommand, RepairCommand,
             UnsafeRemoveSstFileCommand, UpdateManifestCommand>;

// Commands that give the levels other sizes while they rewrite the DB, which
// the fast budget would not hold. They leave those sizes in the OPTIONS file,
// and HotRAP off.
template <class Command>
constexpr bool kReshapes =
    kIsOneOf<Command, ReduceDBLevelsCommand, ChangeCompactionStyleCommand>;

template <class Command>
class Tiered : public Command {
 public:
  template <class... Args>
  explicit Tiered(const std::vector<DbPath>& given, const Args&... args)
      : Command(args...), given_(given) {}

  ~Tiered() override {
    if (this->exec_state_.IsFailed() && file_system() != nullptr) {
      const std::string hint = paths_.Hint(file_system());
      if (!hint.empty()) {
        fprintf(stderr, "%s\n", hint.c_str());
      }
    }
  }

  // Called for the options of every command, after those of the OPTIONS file
  // were read.
  void OverrideBaseOptions() override {
    Find();
    const bool writes = !this->is_read_only_ && this->secondary_path_.empty() &&
                        this->leader_path_.empty() && !this->NoDBOpen();
    if (writes) {
      const Status s =
          paths_.CheckForWriting(file_system(), this->create_if_missing_);
      if (!s.ok()) {
        this->exec_state_ = LDBCommandExecuteResult::Failed(s.ToString());
        return;
      }
    }
    // reduce_levels first looks at the MANIFEST without the column families.
    const bool all =
        kHasOneListOfPaths<Command> || kIsOneOf<Command, ReduceDBLevelsCommand>;
    this->options_.db_paths = all ? paths_.All() : paths_.db_paths();
    Command::OverrideBaseOptions();
  }

  void OverrideBaseCFOptions(ColumnFamilyOptions* options) override {
    Command::OverrideBaseCFOptions(options);
    if (paths_.given()) {
      // Those of the OPTIONS file do not hold any more.
      options->hotrap.slow_root.clear();
      options->hotrap.fast_root.clear();
    }
    if constexpr (kReshapes<Command>) {
      SwitchHotRapOff(options);
    }
  }

  void PrepareOptions() override {
    Command::PrepareOptions();
    for (ColumnFamilyDescriptor& family : this->column_families_) {
      if (kHasOneListOfPaths<Command>) {
        family.options.hotrap.slow_root.clear();
        family.options.hotrap.fast_root.clear();
      }
      if (!kHasOneListOfPaths<Command>) {
        paths_.SetOwnPaths(family.name, &family.options);
      }
    }
    if (this->column_families_.empty() && !kHasOneListOfPaths<Command>) {
      paths_.SetOwnPaths(kDefaultColumnFamilyName, &this->options_);
    }
  }

  void DoCommand() override {
    if constexpr (kChanges<Command>) {
      Find();
      const Status s = paths_.CheckForChanges();
      if (!s.ok()) {
        this->exec_state_ = LDBCommandExecuteResult::Failed(s.ToString());
        return;
      }
    }
    if constexpr (kRefuses<Command>) {
      Find();
      if (paths_.several()) {
        this->exec_state_ = LDBCommandExecuteResult::Failed(
            Command::Name() + " does not work on a DB over several paths");
        return;
      }
    }
    if constexpr (kIsOneOf<Command, RestoreCommand>) {
      if (given_.size() > 1) {
        this->exec_state_ = LDBCommandExecuteResult::Failed(
            Command::Name() +
            " finds the folders itself, of which it removes what is there: "
            "leave --db_paths out");
        return;
      }
    }
    Command::DoCommand();
  }

 private:
  FileSystem* file_system() const {
    return this->options_.env == nullptr
               ? nullptr
               : this->options_.env->GetFileSystem().get();
  }

  void Find() {
    // A follower's tables are the leader's.
    paths_ = ToolPaths::Find(
        file_system(),
        this->leader_path_.empty() ? this->db_path_ : this->leader_path_,
        given_);
  }

  const std::vector<DbPath> given_;
  ToolPaths paths_;
};

template <class Command>
LDBCommand* Make(const LDBCommand::ParsedParams& params,
                 const std::vector<DbPath>& given) {
  if constexpr (std::is_constructible_v<Command, std::vector<std::string>,
                                        std::map<std::string, std::string>,
                                        std::vector<std::string>>) {
    return new Tiered<Command>(given, params.cmd_params, params.option_map,
                               params.flags);
  } else {
    return new Tiered<Command>(given, params.option_map, params.flags);
  }
}

template <class... Commands>
LDBCommand* SelectOf(const LDBCommand::ParsedParams& params,
                     const std::vector<DbPath>& given) {
  LDBCommand* command = nullptr;
  ((command == nullptr && params.cmd == Commands::Name()
        ? void(command = Make<Commands>(params, given))
        : void()),
   ...);
  return command;
}

}  // namespace

const std::string TieredCommands::ARG_DB_PATHS = "db_paths";

LDBCommand* TieredCommands::Select(const LDBCommand::ParsedParams& params,
                                   const std::vector<DbPath>& given) {
  if (params.cmd == HotRapCommand::Name()) {
    return new HotRapCommand(params.cmd_params, params.option_map, params.flags,
                             given);
  }
  return SelectOf<
#if ROCKSDB_MAJOR >= 11
      CompactionProgressDumpCommand, RemoteCompactionPrimaryCommand,
      RemoteCompactionWorkerCommand,
#endif
      ApproxSizeCommand, BackupCommand, BatchPutCommand,
      ChangeCompactionStyleCommand, CheckConsistencyCommand, CheckPointCommand,
      CompactorCommand, CreateColumnFamilyCommand, DBDumperCommand,
      DBFileDumperCommand, DBLiveFilesMetadataDumperCommand, DBLoaderCommand,
      DBQuerierCommand, DeleteCommand, DeleteRangeCommand,
      DropColumnFamilyCommand, FileChecksumDumpCommand, GetCommand,
      GetEntityCommand, GetPropertyCommand, IngestExternalSstFilesCommand,
      InternalDumpCommand, ListColumnFamiliesCommand,
      ListFileRangeDeletesCommand, ManifestDumpCommand, MultiGetCommand,
      MultiGetEntityCommand, PutCommand, PutEntityCommand,
      ReduceDBLevelsCommand, RepairCommand, RestoreCommand, ScanCommand,
      SingleDeleteCommand, UnsafeRemoveSstFileCommand, UpdateManifestCommand,
      WALDumperCommand, WriteExternalSstFilesCommand>(params, given);
}

}  // namespace ROCKSDB_NAMESPACE

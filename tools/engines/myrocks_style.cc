//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Does what MyRocks does with RocksDB, over two paths with HotRAP, and checks
// all answers. See docs/engines.md.

#include <gflags/gflags.h>

#include <cstdio>

#include "plugin/hotrap/tools/engines/engine_run.h"
#include "plugin/hotrap/tools/engines/invariant.h"
#include "plugin/hotrap/tools/engines/maintenance.h"
#include "plugin/hotrap/tools/engines/myrocks_client.h"
#include "plugin/hotrap/tools/engines/myrocks_engine.h"
#include "plugin/hotrap/tools/engines/myrocks_verify.h"
#include "rocksdb/utilities/checkpoint.h"

DEFINE_uint64(rows, 200000, "rows of the largest table, of 400 bytes each");
DEFINE_uint64(ttl_secs, 0, "of the table with a TTL; 0: a sixth of --secs");
DEFINE_string(write_policy, "write_committed",
              "write_committed or write_prepared (rocksdb_write_policy)");

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {
namespace {

Invariant off_equals_on("contents_are_equal_with_hotrap_off_and_on");
Invariant checkpoints_open("checkpoints_over_two_paths_are_whole");
Invariant exports_equal("exported_column_families_are_equal");
OperationCount reopens("reopens");
OperationCount exports("exports_and_imports");
OperationCount checkpoints("checkpoints");

// A checkpoint that is taken beside the clients opens with all that its
// MANIFEST has, without being told of paths.
void TakeCheckpoint(MyRocksEngine* engine) {
  const std::string folder = engine->config().folder + "/checkpoint";
  Checkpoint* checkpoint = nullptr;
  Must(Checkpoint::Create(engine->db(), &checkpoint), "Checkpoint::Create");
  Status s = checkpoint->CreateCheckpoint(folder);
  delete checkpoint;
  std::vector<ColumnFamilyDescriptor> families;
  for (int family = 0; family < kFamilies; family++) {
    ColumnFamilyDescriptor descriptor;
    Must(engine->handle(family)->GetDescriptor(&descriptor), "GetDescriptor");
    descriptor.options.cf_paths.clear();
    families.push_back(descriptor);
  }
  DBOptions options;
  options.env = engine->db()->GetEnv();
  std::unique_ptr<DB> copy;
  std::vector<ColumnFamilyHandle*> handles;
  if (s.ok()) {
    s = DB::OpenForReadOnly(options, folder, families, &handles, &copy);
  }
  if (s.ok()) {
    s = copy->VerifyChecksum();
    for (ColumnFamilyHandle* handle : handles) {
      s.UpdateIfOk(copy->DestroyColumnFamilyHandle(handle));
    }
  }
  copy.reset();
  checkpoints_open.Check(s.ok(), [&] { return s.ToString(); });
  s = DestroyDB(folder, Options(options, ColumnFamilyOptions()), families);
  Must(s, "DestroyDB of a checkpoint");
  checkpoints.Add();
}

// What MyRocks' clone and checkpoint are for, by the way that works: a column
// family is exported, and imported under another name. REQUIRES: no client.
void ExportAndImport(MyRocksEngine* engine, int family) {
  const std::string folder = engine->config().folder + "/export";
  Checkpoint* checkpoint = nullptr;
  Must(Checkpoint::Create(engine->db(), &checkpoint), "Checkpoint::Create");
  ExportImportFilesMetaData* metadata = nullptr;
  Must(
      checkpoint->ExportColumnFamily(engine->handle(family), folder, &metadata),
      "ExportColumnFamily");
  delete checkpoint;
  ImportColumnFamilyOptions import;
  import.move_files = true;
  ColumnFamilyHandle* copy = nullptr;
  ColumnFamilyDescriptor descriptor;
  Must(engine->handle(family)->GetDescriptor(&descriptor), "GetDescriptor");
  Must(engine->db()->CreateColumnFamilyWithImport(
           descriptor.options, "imported", import, *metadata, &copy),
       "CreateColumnFamilyWithImport");
  delete metadata;
  const uint64_t expected = ContentsOf(engine->db(), engine->handle(family));
  exports_equal.Check(ContentsOf(engine->db(), copy) == expected, [&] {
    return std::string(kMyRocksFamilyNames[family]) + " is another one";
  });
  Must(engine->db()->DropColumnFamily(copy), "DropColumnFamily");
  Must(engine->db()->DestroyColumnFamilyHandle(copy), "close the copy");
  exports.Add();
  std::vector<std::string> left;
  if (Env::Default()->GetChildren(folder, &left).ok()) {
    for (const auto& name : left) {
      Env::Default()->DeleteFile(folder + "/" + name).PermitUncheckedError();
    }
    Must(Env::Default()->DeleteDir(folder), folder);
  }
}

class MyRocksRun {
 public:
  explicit MyRocksRun(const RunConfig& config)
      : config_(config),
        report_(config.fast_path()),
        engine_(config,
                FLAGS_write_policy == "write_prepared" ? WRITE_PREPARED
                                                       : WRITE_COMMITTED,
                FLAGS_rows,
                FLAGS_ttl_secs != 0 ? FLAGS_ttl_secs
                                    : std::max<uint64_t>(8, config.secs / 6)),
        rng_(config.seed),
        progress_(config, &report_, [this] {
          report_.Read("myrocks", engine_.db(), engine_.handles());
        }) {}

  void Run() {
    Open(/*hotrap=*/true, /*after_kill=*/true);
    // Phases, in some of them HotRAP is off from the open on.
    const int phases = config_.secs < 120 ? 4 : 16;
    const uint64_t millis = config_.secs * 1000 / phases;
    for (int phase = 0; phase < phases; phase++) {
      RunPhase(phase, millis);
      if (config_.sabotage) {
        Sabotage();
      }
      VerifyMyRocks(&engine_, /*after_kill=*/false);
      if (phase % 4 == 1) {
        ExportAndImport(&engine_,
                        phase % 8 == 1 ? kSecondaryFamily : kReverseFamily);
      }
      if (phase % 4 == 1 || phase % 4 == 2) {
        Reopen(/*hotrap=*/phase % 4 == 2);
      }
    }
    CompareOffAndOn();
    Close();
    progress_.Stop();
    report_.WriteJson(config_.json, progress_.secs(), /*finished=*/true);
    printf("%s\n%s", report_.ProgressLine(progress_.secs()).c_str(),
           report_.Text().c_str());
  }

 private:
  void Open(bool hotrap, bool after_kill) {
    hotrap_ = hotrap;
    engine_.Open(hotrap);
    progress_.Resume();
    if (after_kill) {
      VerifyMyRocks(&engine_, after_kill);
    }
  }

  void Close() {
    progress_.Pause();
    report_.Closed("myrocks");
    engine_.Close();
  }

  void Reopen(bool hotrap) {
    Close();
    Open(hotrap, /*after_kill=*/false);
    reopens.Add();
  }

  void RunPhase(int phase, uint64_t millis) {
    Workers workers;
    for (int thread = 0; thread < config_.threads; thread++) {
      workers.Start([this, thread, phase](const std::atomic<bool>& stop) {
        MyRocksClient client(&engine_, thread, config_.seed + phase,
                             static_cast<uint64_t>(phase) / 3);
        while (!stop) {
          client.Step();
        }
      });
    }
    workers.Start([this](const std::atomic<bool>& stop) { Imports(stop); });
    workers.Start([this, millis](const std::atomic<bool>& stop) {
      Maintain(stop, millis);
    });
    LetClientsWork(millis);
    workers.Stop();
  }

  // Creates and drops the import tables, in turns.
  void Imports(const std::atomic<bool>& stop) {
    for (size_t i = kFirstImport; !stop; i++) {
      if (i == engine_.tables().size()) {
        i = kFirstImport;
      }
      MyRocksTable* const table = engine_.tables()[i].get();
      if (table->state() == MyRocksTable::kLive) {
        engine_.DropTable(table);
        engine_.CheckDroppedIndexesAreEmpty();
      }
      engine_.CreateTable(table);
      SleepUnless(stop, 3000);
    }
  }

  void Maintain(const std::atomic<bool>& stop, uint64_t millis) {
    std::vector<Maintenance::Family> families;
    for (int family = 0; family < kFamilies; family++) {
      families.push_back({engine_.handle(family), MyRocksBudget(family)});
    }
    Maintenance maintenance(engine_.db(), families, rng_());
    maintenance.SetRange([this](int family) {
      // A tenth of a table.
      const MyRocksTable& table = *engine_.tables()[rng_() % kFirstImport];
      const uint64_t row = rng_() % table.rows;
      std::pair<std::string, std::string> range = {
          table.PrimaryKey(row), table.PrimaryKey(row + table.rows / 10)};
      if (family == kSecondaryFamily || family == kReverseFamily) {
        const uint32_t index = 257 + (family == kReverseFamily ? 1 : 0);
        const char from = static_cast<char>(rng_() % 230);
        range = {IndexStart(index) + from,
                 IndexStart(index) + static_cast<char>(from + 25)};
        if (family == kReverseFamily) {
          std::swap(range.first, range.second);
        }
      }
      return range;
    });
    maintenance.AddAction([this] { engine_.CheckDroppedIndexesAreEmpty(); });
    maintenance.AddAction([this] { TakeCheckpoint(&engine_); });
    maintenance.Run(stop, hotrap_, std::min<uint64_t>(1000, millis / 8));
  }

  // Removes the secondary entry of some row.
  void Sabotage() {
    const MyRocksTable& table = *engine_.tables().front();
    uint64_t row = 0;
    while (IsDeleted(table.model[row].acked)) {
      row++;
    }
    const SecondaryIndex& index = table.secondary.front();
    Must(engine_.db()->SingleDelete(
             WriteOptions(), engine_.handle(index.family),
             table.SecondaryKey(index, row, table.model[row].acked)),
         "sabotage");
  }

  void CompareOffAndOn() {
    // What a filter removes meanwhile is not compared, but verified.
    const std::vector<int> families = {kDefaultFamily, kPrimaryFamily,
                                       kSecondaryFamily, kReverseFamily};
    std::vector<uint64_t> contents[2];
    for (const bool hotrap : {true, false}) {
      Reopen(hotrap);
      for (const int family : families) {
        contents[hotrap ? 1 : 0].push_back(
            ContentsOf(engine_.db(), engine_.handle(family)));
      }
    }
    off_equals_on.Check(contents[0] == contents[1],
                        [] { return std::string("they differ"); });
  }

  const RunConfig config_;
  TierReport report_;
  MyRocksEngine engine_;
  std::mt19937_64 rng_;
  bool hotrap_ = true;
  Progress progress_;
};

}  // namespace
}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE

int main(int argc, char** argv) {
  using namespace ROCKSDB_NAMESPACE::hotrap_engines;
  const RunConfig config = ParseCommandLine(
      argc, argv, "myrocks_style --folder=DIR [--secs=N] [--rows=N] ...");
  MyRocksRun(config).Run();
  return 0;
}

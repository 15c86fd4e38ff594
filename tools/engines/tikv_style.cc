//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Does what TiKV does with RocksDB, over two paths with HotRAP, and checks all
// answers. See docs/engines.md.

#include <gflags/gflags.h>

#include <algorithm>
#include <cstdio>

#include "plugin/hotrap/tools/engines/engine_run.h"
#include "plugin/hotrap/tools/engines/invariant.h"
#include "plugin/hotrap/tools/engines/maintenance.h"
#include "plugin/hotrap/tools/engines/tikv_client.h"
#include "plugin/hotrap/tools/engines/tikv_store.h"

DEFINE_uint64(keys, 60000, "transactional keys, of about 500 bytes each");
DEFINE_uint64(raws, 30000, "raw keys, of 400 bytes each");
DEFINE_uint64(regions, 24, "at most 64");
DEFINE_uint64(raw_ttl_secs, 0, "of raw values; 0: a third of --secs");
DEFINE_bool(raw_ttl, true,
            "storage.enable-ttl: a filter in the default column family");
DEFINE_uint64(write_gets, 0,
              "one read in so many is a Get of a write record too, which TiKV "
              "does not do: these are promoted, and filtered. 0: none");
DEFINE_string(write_mode, "pipelined", "pipelined, unordered or plain");

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {
namespace {

Invariant off_equals_on("contents_are_equal_with_hotrap_off_and_on");
OperationCount reopens("reopens");

TikvConfig ConfigFromFlags(const RunConfig& run) {
  TikvConfig config;
  config.regions =
      std::max<uint64_t>(1, std::min<uint64_t>(FLAGS_regions, kMaxRegions));
  config.keys = FLAGS_keys / config.regions * config.regions;
  config.raws = FLAGS_raws;
  config.raw_ttl_secs = FLAGS_raw_ttl_secs != 0
                            ? FLAGS_raw_ttl_secs
                            : std::max<uint64_t>(10, run.secs / 3);
  config.raw_ttl = FLAGS_raw_ttl;
  config.write_mode = FLAGS_write_mode == "unordered" ? WriteMode::kUnordered
                      : FLAGS_write_mode == "plain"   ? WriteMode::kPlain
                                                      : WriteMode::kPipelined;
  return config;
}

class TikvRun {
 public:
  explicit TikvRun(const RunConfig& run)
      : run_(run),
        report_(run.fast_path()),
        store_(run, ConfigFromFlags(run)),
        rng_(run.seed),
        progress_(run, &report_, [this] { ReadFigures(); }) {}

  void Run() {
    Open(/*hotrap=*/true);
    Verify(/*after_kill=*/true);
    for (uint64_t region = 0; region < store_.config().regions; region++) {
      if (store_.model().regions[region].present == 0) {
        store_.MoveIn(region, rng_());
      }
    }
    const int phases = run_.secs < 120 ? 4 : 16;
    const uint64_t millis = run_.secs * 1000 / phases;
    for (int phase = 0; phase < phases; phase++) {
      RunPhase(phase, millis);
      store_.RunGcWorker();
      if (run_.sabotage) {
        Sabotage();
      }
      Verify(/*after_kill=*/false);
      if (phase % 4 == 1 || phase % 4 == 2) {
        Reopen(/*hotrap=*/phase % 4 == 2);
      }
    }
    CompareOffAndOn();
    Close();
    progress_.Stop();
    report_.WriteJson(run_.json, progress_.secs(), /*finished=*/true);
    printf("%s\n%s", report_.ProgressLine(progress_.secs()).c_str(),
           report_.Text().c_str());
  }

 private:
  void ReadFigures() {
    report_.Read("kv", store_.kv(), store_.handles());
    report_.Read("raft", store_.raft(), {store_.raft()->DefaultColumnFamily()});
  }

  void Open(bool hotrap) {
    hotrap_ = hotrap;
    store_.Open(hotrap);
    progress_.Resume();
  }

  void Close() {
    progress_.Pause();
    report_.Closed("kv");
    report_.Closed("raft");
    store_.Close();
  }

  void Reopen(bool hotrap) {
    Close();
    Open(hotrap);
    reopens.Add();
  }

  void Verify(bool after_kill) {
    TikvClient(&store_, run_.seed, 0, 0).VerifyAll(after_kill);
  }

  void RunPhase(int phase, uint64_t millis) {
    Workers workers;
    for (int thread = 0; thread < run_.threads; thread++) {
      workers.Start([this, thread, phase](const std::atomic<bool>& stop) {
        TikvClient client(
            &store_, run_.seed + static_cast<uint64_t>(phase * 64 + thread),
            static_cast<uint64_t>(phase) / 3, FLAGS_write_gets);
        while (!stop) {
          client.Step();
        }
      });
    }
    workers.Start([this](const std::atomic<bool>& stop) {
      while (!stop) {
        store_.AdvanceSafePoint(/*timestamps_behind=*/5000);
        store_.RunGcWorker();
        SleepUnless(stop, 500);
      }
    });
    const uint64_t pause = std::min<uint64_t>(1000, millis / 8);
    workers.Start([this, pause](const std::atomic<bool>& stop) {
      MoveRegions(stop, pause);
    });
    workers.Start([this, pause](const std::atomic<bool>& stop) {
      Maintain(stop, pause);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(millis));
    workers.Stop();
  }

  void MoveRegions(const std::atomic<bool>& stop, uint64_t pause) {
    std::mt19937_64 rng(rng_());
    while (!stop) {
      const uint64_t region = rng() % store_.config().regions;
      if (store_.model().regions[region].present != 0) {
        store_.MoveOut(region, rng());
        SleepUnless(stop, pause / 2);
      }
      store_.MoveIn(region, rng());
      SleepUnless(stop, pause * 2);
    }
  }

  void Maintain(const std::atomic<bool>& stop, uint64_t pause) {
    std::vector<Maintenance::Family> families;
    for (int family = 0; family < kTikvFamilies; family++) {
      families.push_back({store_.handle(family), KvBudget(family)});
    }
    Maintenance maintenance(store_.kv(), families, run_.seed);
    maintenance.SetRange([this](int family) {
      const uint64_t region = NextOf(store_.config().regions);
      std::pair<std::string, std::string> range = store_.RangeOf(region);
      if (family == kTikvDefault && region % 2 == 0) {
        const uint64_t n = NextOf(store_.config().raws);
        range = {RawKey(n), RawKey(n + store_.config().raws / 10)};
      }
      return range;
    });
    maintenance.Run(stop, hotrap_, pause);
  }

  // For the thread that compacts.
  uint64_t NextOf(uint64_t n) { return range_rng_() % n; }

  // Removes the newest write record of some key.
  void Sabotage() {
    TikvModel& model = store_.model();
    uint64_t n = 0;
    while (model.keys[n].At(UINT64_MAX) == nullptr ||
           model.keys[n].At(UINT64_MAX)->type !=
               static_cast<uint64_t>(WriteType::kPut)) {
      n++;
    }
    Must(
        store_.kv()->Delete(
            WriteOptions(), store_.handle(kTikvWrite),
            WithTimestamp(DataKey(n), model.keys[n].At(UINT64_MAX)->commit_ts)),
        "sabotage");
  }

  void CompareOffAndOn() {
    uint64_t contents[2];
    for (const bool hotrap : {true, false}) {
      Reopen(hotrap);
      Verify(/*after_kill=*/false);
      contents[hotrap ? 1 : 0] = Contents();
    }
    off_equals_on.Check(contents[0] == contents[1],
                        [] { return std::string("they differ"); });
  }

  // What readers see now, by key: filters go on removing what they do not.
  uint64_t Contents() {
    uint64_t sum = 0;
    const Slice end("{");
    ReadOptions options;
    options.total_order_seek = true;
    options.iterate_upper_bound = &end;
    std::unique_ptr<Iterator> it(
        store_.kv()->NewIterator(options, store_.handle(kTikvWrite)));
    std::unique_ptr<Iterator> values(
        store_.kv()->NewIterator(options, store_.handle(kTikvDefault)));
    std::string previous;
    for (it->Seek("z"); it->Valid(); it->Next()) {
      WriteRecord record;
      const std::string key = WithoutTimestamp(it->key()).ToString();
      if (key == previous || !DecodeWrite(it->value(), &record) ||
          record.type != WriteType::kPut) {
        previous = record.type == WriteType::kDelete ? key : previous;
        continue;
      }
      previous = key;
      std::string value = record.short_value;
      if (!record.has_short_value) {
        // Verified before; here it is only summed up.
        values->Seek(WithTimestamp(key, record.start_ts));
        Must(values->status(), "iterator over values");
        value = values->Valid() ? values->value().ToString() : std::string();
      }
      const std::hash<std::string> hash;
      sum = (sum * 31 + hash(key)) * 31 + hash(value);
    }
    Must(it->status(), "iterator over write records");
    return sum;
  }

  const RunConfig run_;
  TierReport report_;
  TikvStore store_;
  std::mt19937_64 rng_;
  std::mt19937_64 range_rng_{1};
  bool hotrap_ = true;
  Progress progress_;
};

}  // namespace
}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE

int main(int argc, char** argv) {
  using namespace ROCKSDB_NAMESPACE::hotrap_engines;
  const RunConfig run = ParseCommandLine(
      argc, argv, "tikv_style --folder=DIR [--secs=N] [--keys=N] ...");
  TikvRun(run).Run();
  return 0;
}

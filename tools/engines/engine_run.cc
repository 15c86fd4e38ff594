//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/engines/engine_run.h"

#include <gflags/gflags.h>

#include <cinttypes>
#include <cstdio>

#include "plugin/hotrap/tools/engines/invariant.h"
#include "rocksdb/env.h"

DEFINE_string(folder, "",
              "holds the fast and the slow path and the model; a run goes on "
              "where the last one, even a killed one, ended. Required");
DEFINE_uint64(secs, 600, "how long to run");
DEFINE_bool(quick, false, "45 seconds");
DEFINE_uint64(seed, 0, "0 means the time");
DEFINE_int32(threads, 4, "threads that read and write");
DEFINE_string(json, "", "write the report to this file, every five seconds");
DEFINE_string(hotrap, "", "more of HotRAP's options, such as auto_tune=false;");
DEFINE_bool(db_paths, false,
            "give both paths by db_paths instead of slow_root");
DEFINE_bool(sync, true, "commits are synced, as the engine does by default");
DEFINE_bool(sabotage, false,
            "remove one record behind the model's back: the run must fail");

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

RunConfig ParseCommandLine(int argc, char** argv, const std::string& usage) {
  gflags::SetUsageMessage(usage);
  std::string context;
  for (int i = 0; i < argc; i++) {
    context += std::string(i == 0 ? "" : " ") + argv[i];
  }
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  if (FLAGS_folder.empty() || argc > 1 || FLAGS_threads < 1) {
    fprintf(stderr,
            "%s\n--folder is required, --threads is at least 1, and "
            "there are no arguments but flags\n",
            usage.c_str());
    exit(2);
  }
  RunConfig config;
  // slow_root must be absolute.
  Must(Env::Default()->GetAbsolutePath(FLAGS_folder, &config.folder),
       FLAGS_folder);
  config.secs = FLAGS_quick ? 45 : FLAGS_secs;
  config.seed = FLAGS_seed != 0 ? FLAGS_seed : Env::Default()->NowMicros();
  config.threads = FLAGS_threads;
  config.json = FLAGS_json;
  config.hotrap = FLAGS_hotrap;
  config.db_paths = FLAGS_db_paths;
  config.sync = FLAGS_sync;
  config.sabotage = FLAGS_sabotage;
  SetFailureContext(context + " --seed=" + std::to_string(config.seed));
  for (const auto& path : {config.folder, config.fast_path(),
                           config.slow_path(), config.model_path()}) {
    Must(Env::Default()->CreateDirIfMissing(path), path);
  }
  printf("seed %" PRIu64 "\n", config.seed);
  return config;
}

std::vector<DbPath> RunConfig::DbPaths(const std::string& db) const {
  if (!db_paths) {
    return {};
  }
  // The budget is each column family's own, so the first path only says that
  // there is room.
  return {{fast_path() + "/" + db, 1ull << 30},
          {slow_path() + "/" + db, 1ull << 40}};
}

std::string HotRapString(const RunConfig& config, bool enabled,
                         uint64_t fast_budget_bytes) {
  if (fast_budget_bytes == 0) {
    return "";
  }
  return std::string("hotrap={enabled=") + (enabled ? "true;" : "false;") +
         (config.db_paths ? "" : "slow_root=" + config.slow_path() + ";") +
         "fast_budget_bytes=" + std::to_string(fast_budget_bytes) +
         // Both paths may be on one disk.
         ";promote_only_if_slower=false;" + config.hotrap + "}";
}

void Workers::Start(
    const std::function<void(const std::atomic<bool>& stop)>& body) {
  stop_ = false;
  threads_.emplace_back([this, body] { body(stop_); });
}

void Workers::Stop() {
  stop_ = true;
  for (auto& thread : threads_) {
    thread.join();
  }
  threads_.clear();
}

void SleepUnless(const std::atomic<bool>& stop, uint64_t millis) {
  for (uint64_t slept = 0; slept < millis && !stop; slept += 20) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void LetClientsWork(uint64_t millis) {
  constexpr uint64_t kOperations = 10000;
  const auto done = [] {
    uint64_t sum = 0;
    for (const OperationCount* operation : OperationCount::All()) {
      sum += operation->count();
    }
    return sum;
  };
  const uint64_t start = done();
  for (uint64_t slept = 0;
       slept < millis || (done() - start < kOperations && slept < 10 * millis);
       slept += 50) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

Progress::Progress(const RunConfig& config, TierReport* report,
                   std::function<void()> read_figures)
    : config_(config),
      report_(report),
      read_figures_(std::move(read_figures)),
      start_(std::chrono::steady_clock::now()),
      thread_([this] { Run(); }) {}

void Progress::Pause() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!paused_) {
    read_figures_();
  }
  paused_ = true;
}

void Progress::Resume() {
  const std::lock_guard<std::mutex> lock(mutex_);
  paused_ = false;
}

void Progress::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

double Progress::secs() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                       start_)
      .count();
}

void Progress::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::seconds(5),
                            [this] { return stopped_; })) {
    if (paused_) {
      continue;
    }
    read_figures_();
    printf("%s\n", report_->ProgressLine(secs()).c_str());
    fflush(stdout);
    report_->WriteJson(config_.json, secs(), /*finished=*/false);
  }
}

uint64_t NowSecs() { return Env::Default()->NowMicros() / 1000000; }

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE

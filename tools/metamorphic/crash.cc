//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/crash.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <fstream>

#include "plugin/hotrap/tools/metamorphic/generator.h"
#include "plugin/hotrap/tools/metamorphic/model.h"
#include "plugin/hotrap/tools/metamorphic/shrinker.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {

constexpr int kTrials = 10;
// A trial that takes longer is considered hung.
constexpr unsigned kTrialSecs = 60;

// Returns whether the list crashes, hangs or differs in one of several runs.
bool FailsInChild(const Configuration& configuration, const std::string& folder,
                  uint64_t seed, const std::vector<Operation>& operations) {
  const auto body = [&] {
    alarm(kTrialSecs);
    // The parent reports the failure.
    if (freopen("/dev/null", "w", stderr) == nullptr) {
      return 1;
    }
    PrepareThreads(/*dbs=*/1);
    return RunOperations(configuration, folder, seed, operations,
                         ModelAnswers(operations), nullptr)
                   .has_value()
               ? 1
               : 0;
  };
  for (int i = 0; i < kTrials; i++) {
    if (RunInChild(body, 1) != 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

void RunRecord::Save(const std::string& file_name) const {
  std::ofstream(file_name, std::ios::trunc) << configuration << ' ' << seed;
}

bool RunRecord::Load(const std::string& file_name) {
  std::ifstream file(file_name);
  return static_cast<bool>(file >> configuration >> seed);
}

int RunInChild(const std::function<int()>& body, int crashed) {
  fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    const int result = body();
    fflush(nullptr);
    _exit(result);
  }
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
    return crashed;
  }
  return WEXITSTATUS(status);
}

std::string InvestigateCrash(const std::string& folder, int workers,
                             const std::vector<Operation>* script,
                             int operations, uint64_t shrink_secs) {
  std::string story;
  for (int worker = 0; worker < workers; worker++) {
    RunRecord run;
    if (!run.Load(RunRecord::FileName(folder, worker))) {
      continue;
    }
    const Configuration* const configuration =
        FindConfiguration(run.configuration);
    if (configuration == nullptr) {
      continue;
    }
    const std::string flags = " --config=" + run.configuration +
                              " --seed=" + std::to_string(run.seed);
    story += "CRASHED, it seems:" + flags +
             " --seeds=1 --ops=" + std::to_string(operations) + "\n";
    const std::time_t until = std::time(nullptr) + shrink_secs;
    const std::string db = folder + "/crash";
    const auto fails = [&](const std::vector<Operation>& list) {
      return FailsInChild(*configuration, db, run.seed, list);
    };
    const std::vector<Operation> all =
        script != nullptr ? *script : GenerateOperations(run.seed, operations);
    if (!fails(all)) {
      story += " not again in " + std::to_string(kTrials) + " runs\n";
      continue;
    }
    const std::vector<Operation> shortest =
        Shrink(all, fails, [&] { return std::time(nullptr) > until; });
    const std::string path = folder + "/crashed_" + run.configuration + "_" +
                             std::to_string(run.seed) + ".txt";
    const Status s = WriteScript(
        path, "hotrap_metamorphic --script=" + path + flags, shortest);
    story += " " + std::to_string(shortest.size()) +
             " operations are left: " + (s.ok() ? path : s.ToString()) + "\n";
  }
  return story;
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

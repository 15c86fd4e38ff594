//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/campaign.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "plugin/hotrap/tools/metamorphic/crash.h"
#include "plugin/hotrap/tools/metamorphic/generator.h"
#include "plugin/hotrap/tools/metamorphic/model.h"
#include "plugin/hotrap/tools/metamorphic/shrinker.h"
#include "rocksdb/system_clock.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {

// The number of runs to find out how often a list fails, and the maximum for a
// shrunk one.
constexpr int kRepeats = 20;
// Per configuration; further differences are only reported.
constexpr uint64_t kMaxInvestigations = 3;
constexpr size_t kContextBytes = 800;
// Lists up to this length are printed as well as written to a file.
constexpr size_t kShortList = 40;

uint64_t NowMicros() { return SystemClock::Default()->NowMicros(); }

// Returns both answers, starting shortly before they differ.
std::string DifferenceText(const Difference& difference) {
  const std::string& expected = difference.expected;
  const std::string& found = difference.found;
  const auto [one, other] = std::mismatch(expected.begin(), expected.end(),
                                          found.begin(), found.end());
  const size_t at = one - expected.begin();
  const size_t begin = at > kContextBytes / 3 ? at - kContextBytes / 3 : 0;
  const auto excerpt = [&](const std::string& text) {
    return (begin > 0 ? "..." : "") + text.substr(begin, kContextBytes) +
           (text.size() > begin + kContextBytes ? "..." : "");
  };
  return "  expected " + excerpt(expected) + "\n  found    " + excerpt(found) +
         (difference.drawn.empty() ? "" : "\n  drawn   " + difference.drawn) +
         "\n";
}

std::string FlagsText(const Configuration& configuration, uint64_t seed) {
  return " --config=" + std::string(configuration.name) +
         " --seed=" + std::to_string(seed);
}

std::string LineText(const std::vector<Operation>& list, size_t index) {
  return index < list.size() ? ToText(list[index]) : "close";
}

}  // namespace

Campaign::Campaign(const CampaignOptions& options)
    : options_(options), start_micros_(NowMicros()) {
  PrepareThreads(std::max(1, options.threads));
}

double Campaign::seconds() const {
  return static_cast<double>(NowMicros() - start_micros_) / 1e6;
}

bool Campaign::TimeIsOver() const {
  return options_.limit_secs > 0 &&
         seconds() > static_cast<double>(options_.limit_secs);
}

std::map<std::string, ConfigurationResult> Campaign::results() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return results_;
}

ConfigurationResult Campaign::Total() const {
  ConfigurationResult total;
  for (const auto& [name, result] : results()) {
    total.runs += result.runs;
    total.differences += result.differences;
    total.micros += result.micros;
    total.figures.Add(result.figures);
  }
  return total;
}

std::string Campaign::WhatIsMissing() const {
  if (seeds_done_ < options_.enough_seeds) {
    return "";
  }
  const std::map<std::string, ConfigurationResult> all = results();
  std::string missing;
  for (const Configuration* configuration : options_.configurations) {
    const auto it = all.find(configuration->name);
    if (it == all.end()) {
      continue;
    }
    const bool moved = it->second.figures.MovedRecords() > 0;
    if (configuration->moves == Moves::kAlways && !moved) {
      missing +=
          std::string(configuration->name) + " promoted and retained nothing\n";
    } else if (configuration->moves == Moves::kNever && moved) {
      missing += std::string(configuration->name) + " promoted or retained\n";
    }
    if (configuration->promotes_with_filter &&
        it->second.figures.promoted_with_filter == 0) {
      missing += std::string(configuration->name) +
                 " promoted nothing with a filter\n";
    }
  }
  return missing;
}

std::string Campaign::ProgressLine() const {
  const ConfigurationResult total = Total();
  char line[240];
  snprintf(
      line, sizeof(line),
      "%.0f s: %llu seeds, %llu runs, %llu differences; promoted by flush "
      "%llu, by compaction %llu, retained %llu",
      seconds(), static_cast<unsigned long long>(seeds_done_.load()),
      static_cast<unsigned long long>(total.runs),
      static_cast<unsigned long long>(total.differences),
      static_cast<unsigned long long>(total.figures.flush_promoted_records),
      static_cast<unsigned long long>(
          total.figures.compaction_promoted_records),
      static_cast<unsigned long long>(total.figures.retained_records));
  return line;
}

void Campaign::Run(const std::function<void(const std::string&)>& progress,
                   const std::function<void(const std::string&)>& report) {
  std::vector<Worker> workers(std::max(1, options_.threads));
  std::vector<std::thread> threads;
  std::condition_variable ended;
  size_t running = workers.size();
  for (size_t i = 0; i < workers.size(); i++) {
    workers[i] = MakeWorker(static_cast<int>(i));
    threads.emplace_back([&, i] {
      Work(&workers[i], report);
      std::lock_guard<std::mutex> lock(mutex_);
      running--;
      ended.notify_all();
    });
  }
  for (bool done = false; !done;) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      done = ended.wait_for(lock, std::chrono::seconds(1),
                            [&] { return running == 0; });
    }
    progress(ProgressLine());
    EndIfAnyHangs(workers);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

Campaign::Worker Campaign::MakeWorker(int index) const {
  Worker worker;
  worker.folder = options_.folder + "/worker" + std::to_string(index);
  worker.record_name = RunRecord::FileName(options_.folder, index);
  return worker;
}

void Campaign::EndIfAnyHangs(const std::vector<Worker>& workers) const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const Worker& worker : workers) {
    if (options_.hang_secs > 0 && worker.since_micros > 0 &&
        NowMicros() - worker.since_micros > options_.hang_secs * 1000000) {
      fprintf(stderr, "hangs: %s\n", worker.record_name.c_str());
      abort();
    }
  }
}

void Campaign::Work(Worker* worker,
                    const std::function<void(const std::string&)>& report) {
  while (!TimeIsOver()) {
    const uint64_t taken = seeds_taken_++;
    if (taken >= options_.seeds) {
      return;
    }
    const uint64_t seed = options_.first_seed + taken;
    const std::vector<Operation> operations =
        GenerateOperations(seed, options_.operations);
    const std::vector<std::string> expected = ModelAnswers(operations);
    for (const Configuration* configuration : options_.configurations) {
      RunOne(*configuration, seed, operations, expected, worker, report);
      if (TimeIsOver()) {
        return;
      }
    }
    seeds_done_++;
  }
}

void Campaign::RunScript(
    const std::vector<Operation>& operations, int times,
    const std::function<void(const std::string&)>& report) {
  Worker worker = MakeWorker(0);
  const std::vector<std::string> expected = ModelAnswers(operations);
  for (const Configuration* configuration : options_.configurations) {
    bool right = true;
    for (int i = 0; i < times && right; i++) {
      right = RunOne(*configuration, options_.first_seed, operations, expected,
                     &worker, report);
    }
  }
}

bool Campaign::RunOne(const Configuration& configuration, uint64_t seed,
                      const std::vector<Operation>& operations,
                      const std::vector<std::string>& expected, Worker* worker,
                      const std::function<void(const std::string&)>& report) {
  const uint64_t start = NowMicros();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    worker->since_micros = start;
  }
  RunRecord{seed, configuration.name}.Save(worker->record_name);
  Figures figures;
  uint64_t differences = 0;
  const std::optional<Difference> difference = RunOperations(
      configuration, worker->folder, seed, operations, expected, &figures);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    worker->since_micros = 0;
    ConfigurationResult* const result = &results_[configuration.name];
    result->runs++;
    result->micros += NowMicros() - start;
    result->figures.Add(figures);
    result->differences += difference.has_value() ? 1 : 0;
    differences = result->differences;
  }
  if (difference.has_value()) {
    report(differences > kMaxInvestigations
               ? Headline(configuration, seed, operations, *difference)
               : Investigate(configuration, seed, operations, *difference,
                             worker->folder));
  }
  return !difference.has_value();
}

std::string Campaign::Headline(const Configuration& configuration,
                               uint64_t seed,
                               const std::vector<Operation>& operations,
                               const Difference& difference) const {
  return "DIFFERENCE:" + FlagsText(configuration, seed) +
         " --seeds=1 --ops=" + std::to_string(options_.operations) +
         "\n operation " + std::to_string(difference.index) + ": " +
         LineText(operations, difference.index) + "\n" +
         DifferenceText(difference);
}

std::string Campaign::Investigate(const Configuration& configuration,
                                  uint64_t seed,
                                  const std::vector<Operation>& operations,
                                  const Difference& difference,
                                  const std::string& folder) {
  std::string story = Headline(configuration, seed, operations, difference);
  // Counts how many of up to `most` runs of a list differ. Without `all`, stops
  // at the first one.
  std::optional<Difference> last = difference;
  const uint64_t start = NowMicros();
  const auto time_is_over = [&] {
    return NowMicros() - start > options_.shrink_secs * 1000000;
  };
  int runs = 0;
  const auto count_failures = [&](const std::vector<Operation>& list, int most,
                                  bool all) {
    const std::vector<std::string> expected = ModelAnswers(list);
    int failures = 0;
    for (runs = 0; runs < most && (all || failures == 0) && !time_is_over();
         runs++) {
      std::optional<Difference> found =
          RunOperations(configuration, folder, seed, list, expected, nullptr);
      if (found.has_value()) {
        failures++;
        last = std::move(found);
      }
    }
    return failures;
  };
  const int failures = count_failures(operations, kRepeats, /*all=*/true);
  story += " again in " + std::to_string(failures) + " of " +
           std::to_string(runs) + " runs\n";
  std::vector<Operation> shortest = operations;
  if (failures > 0) {
    // Enough runs to usually notice a list that fails this often.
    const int enough = std::min(kRepeats, 1 + 2 * runs / failures);
    shortest = Shrink(
        operations,
        [&](const std::vector<Operation>& list) {
          return count_failures(list, enough, /*all=*/false) > 0;
        },
        time_is_over);
  }
  const std::string path = options_.folder + "/failed_" + configuration.name +
                           "_" + std::to_string(seed) + ".txt";
  std::string comment =
      "hotrap_metamorphic --script=" + path + FlagsText(configuration, seed);
  if (last.has_value()) {
    comment +=
        "\n" + LineText(shortest, last->index) + "\n" + DifferenceText(*last);
  }
  const Status s = WriteScript(path, comment, shortest);
  story += " " + std::to_string(shortest.size()) + " operations are left of " +
           std::to_string(operations.size()) + ": " +
           (s.ok() ? path : s.ToString()) + "\n";
  for (size_t i = 0; i < shortest.size() && shortest.size() <= kShortList;
       i++) {
    story += "  " + ToText(shortest[i]) + "\n";
  }
  return story;
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

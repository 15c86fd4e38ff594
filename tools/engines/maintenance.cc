//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/engines/maintenance.h"

#include "plugin/hotrap/tools/engines/engine_run.h"
#include "plugin/hotrap/tools/engines/invariant.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

OperationCount flushes("flushes");
OperationCount compactions("manual_compactions");
OperationCount switches("live_switches");
OperationCount budget_changes("budget_changes");

}  // namespace

void Maintenance::Run(const std::atomic<bool>& stop, bool switch_hotrap,
                      uint64_t pause_millis) {
  while (!stop) {
    SleepUnless(stop, pause_millis / 2 + rng_() % pause_millis);
    if (stop) {
      break;
    }
    const uint64_t dice = rng_() % 10;
    if (dice < 3) {
      Flush();
    } else if (dice < 5) {
      Compact();
    } else if (dice < 6 && switch_hotrap) {
      Switch(stop, pause_millis);
    } else if (dice < 7 && switch_hotrap) {
      ChangeBudget(stop, pause_millis);
    } else if (!actions_.empty()) {
      actions_[rng_() % actions_.size()]();
    }
  }
}

void Maintenance::Flush() {
  FlushOptions options;
  options.wait = rng_() % 2 == 0;
  // Beside a full set of memtables a flush that must not stall would wait.
  options.allow_write_stall = true;
  Must(db_->Flush(options, families_[rng_() % families_.size()].handle),
       "Flush");
  flushes.Add();
}

void Maintenance::Compact() {
  const int family = static_cast<int>(rng_() % families_.size());
  CompactRangeOptions options;
  options.exclusive_manual_compaction = rng_() % 2 == 0;
  options.bottommost_level_compaction =
      rng_() % 2 == 0 ? BottommostLevelCompaction::kForceOptimized
                      : BottommostLevelCompaction::kIfHaveCompactionFilter;
  const auto range = range_(family);
  const Slice start(range.first), end(range.second);
  Must(db_->CompactRange(options, families_[family].handle, &start, &end),
       "CompactRange");
  compactions.Add();
}

int Maintenance::DrawHotFamily() {
  int family;
  do {
    family = static_cast<int>(rng_() % families_.size());
  } while (families_[family].fast_budget_bytes == 0);
  return family;
}

void Maintenance::Set(const std::string& options_of_family, int family) {
  Must(db_->SetOptions(families_[family].handle,
                       {{"hotrap", "{" + options_of_family + "}"}}),
       "SetOptions hotrap={" + options_of_family + "}");
}

void Maintenance::Switch(const std::atomic<bool>& stop, uint64_t pause_millis) {
  const int family = DrawHotFamily();
  Set("enabled=false;", family);
  SleepUnless(stop, pause_millis);
  Set("enabled=true;", family);
  switches.Add();
}

void Maintenance::ChangeBudget(const std::atomic<bool>& stop,
                               uint64_t pause_millis) {
  const int family = DrawHotFamily();
  const uint64_t budget = families_[family].fast_budget_bytes;
  // Levels change their tier with it, and tables move.
  for (const uint64_t bytes : {budget * 2, budget}) {
    Set("fast_budget_bytes=" + std::to_string(bytes) + ";", family);
    SleepUnless(stop, pause_millis);
  }
  budget_changes.Add();
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE

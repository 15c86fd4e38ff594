//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/background_compactor.h"

#include <cassert>
#include <chrono>
#include <string>
#include <utility>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

BackgroundCompactor::BackgroundCompactor(uint64_t interval_secs,
                                         Workload* workload)
    : interval_secs_(interval_secs),
      workload_(workload),
      rng_(workload->config->seed) {
  assert(interval_secs > 0);
  thread_ = std::thread([this] { Run(); });
}

BackgroundCompactor::~BackgroundCompactor() { Stop(); }

void BackgroundCompactor::Stop() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  stop_asked_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void BackgroundCompactor::Run() {
  bool stop = false;
  while (!stop) {
    CompactRandomRange();
    std::unique_lock<std::mutex> lock(mutex_);
    stop = stop_asked_.wait_for(lock, std::chrono::seconds(interval_secs_),
                                [this] { return stop_; });
  }
}

// Compacts from one loaded key to another, which is a third of the key space on
// average.
void BackgroundCompactor::CompactRandomRange() {
  std::uniform_int_distribution<uint64_t> ids(0,
                                              workload_->config->records - 1);
  std::string begin_key;
  std::string end_key;
  workload_->key_space->KeyOf(ids(rng_), &begin_key);
  workload_->key_space->KeyOf(ids(rng_), &end_key);
  if (end_key < begin_key) {
    std::swap(begin_key, end_key);
  }
  const Slice begin = begin_key;
  const Slice end = end_key;
  CompactRangeOptions options;
  // Run in addition to automatic compactions, not instead of them.
  options.exclusive_manual_compaction = false;
  options.max_subcompactions = workload_->config->max_subcompactions;
  const Status s = workload_->db->CompactRange(options, &begin, &end);
  if (!s.ok()) {
    workload_->errors.Add(s);
  }
  ++compactions_;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

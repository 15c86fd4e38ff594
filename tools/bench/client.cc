//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/client.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "plugin/hotrap/tools/bench/tier_file_system.h"
#include "plugin/hotrap/tools/bench/value_codec.h"
#include "plugin/hotrap/tools/bench/verified_scan.h"
#include "rocksdb/perf_context.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

// Operations are claimed, and counts published, in groups, so that threads
// rarely contend for the shared counters.
constexpr uint64_t kClaimedOperations = 32;

// With --verify_snapshots: how many operations of a thread lie between two
// snapshots, for how many a snapshot lives, and how many keys are read through
// it.
constexpr uint64_t kSnapshotEvery = 2000;
constexpr uint64_t kSnapshotAge = 1000;
constexpr int kSnapshotKeys = 16;

constexpr uint64_t kFirstVersion = 1;

double ThreadCpuSecs() {
  rusage usage = {};
  getrusage(RUSAGE_THREAD, &usage);
  constexpr double kMicros = 1e6;
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) /
             kMicros;
}

WriteOptions MakeWriteOptions(const BenchConfig& config) {
  WriteOptions options;
  options.disableWAL = !config.wal;
  return options;
}

}  // namespace

void ErrorLog::Add(const Status& s) {
  count_.fetch_add(1, std::memory_order_relaxed);
  std::lock_guard<std::mutex> lock(mutex_);
  if (samples_.size() < kMaxSamples) {
    samples_.push_back(s.ToString());
  }
}

std::vector<std::string> ErrorLog::samples() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return samples_;
}

void ClientCounts::Add(const ClientCounts& other) {
  operations += other.operations;
  gets += other.gets;
  gets_found += other.gets_found;
  gets_with_slow_io += other.gets_with_slow_io;
  gets_without_io += other.gets_without_io;
  scanned_keys += other.scanned_keys;
  written_user_bytes += other.written_user_bytes;
  cpu_secs += other.cpu_secs;
  for (size_t level = 0; level < kMaxLevels; ++level) {
    level_hits[level] += other.level_hits[level];
  }
}

void ClientCounts::Subtract(const ClientCounts& other) {
  operations -= other.operations;
  gets -= other.gets;
  gets_found -= other.gets_found;
  gets_with_slow_io -= other.gets_with_slow_io;
  gets_without_io -= other.gets_without_io;
  scanned_keys -= other.scanned_keys;
  written_user_bytes -= other.written_user_bytes;
  cpu_secs -= other.cpu_secs;
  for (size_t level = 0; level < kMaxLevels; ++level) {
    level_hits[level] -= other.level_hits[level];
  }
}

void Workload::BeginFinalTenth() {
  if (!InFinalTenth()) {
    Clock::time_point none;
    final_start.compare_exchange_strong(none, Clock::now());
  }
}

Client::Client(Workload* workload, int index)
    : workload_(workload),
      // Engines seeded with consecutive numbers give unrelated sequences.
      rng_(workload->config->seed * 1000003 +
           static_cast<uint64_t>(workload->first_client_index + index)),
      write_options_(MakeWriteOptions(*workload->config)) {}

void Client::Run() {
  PerfContext* const perf = get_perf_context();
  perf->ClearPerLevelPerfContext();
  perf->EnablePerLevelPerfContext();
  const uint64_t max_operations = workload_->max_operations;
  const uint64_t final_sequence = max_operations == UINT64_MAX
                                      ? max_operations
                                      : max_operations - max_operations / 10;
  const bool probe_snapshots = workload_->config->verify_snapshots;
  SnapshotProbe probe(workload_->db);
  uint64_t done = 0;
  bool more = true;
  while (more) {
    const uint64_t first =
        workload_->next_operation.fetch_add(kClaimedOperations);
    const uint64_t end = std::min(first + kClaimedOperations, max_operations);
    more = first < end;
    for (uint64_t sequence = first; sequence < end && more; ++sequence) {
      if (workload_->pace.has_value()) {
        std::this_thread::sleep_until(workload_->pace->NextTurn());
      }
      if (sequence >= final_sequence) {
        workload_->BeginFinalTenth();
      }
      if (!final_start_counts_.has_value() && workload_->InFinalTenth()) {
        CountLevelHits();
        final_start_counts_ = own_counts_;
      }
      RunOne(sequence);
      ++done;
      if (probe_snapshots && done % kSnapshotEvery == 0) {
        std::vector<std::string> keys(kSnapshotKeys);
        for (std::string& key : keys) {
          uint64_t id = 0;
          size_t value_bytes = 0;
          DrawRequest(sequence, &id, &value_bytes);
          workload_->key_space->KeyOf(id, &key);
        }
        Status s = probe.Start(std::move(keys));
        if (!s.ok()) {
          workload_->errors.Add(s);
        }
      } else if (probe.active() && done % kSnapshotEvery == kSnapshotAge) {
        Status s = probe.Finish();
        if (!s.ok()) {
          workload_->errors.Add(s);
        }
      }
      more = !workload_->stop.load(std::memory_order_relaxed);
    }
    if (!more) {
      own_counts_.cpu_secs = ThreadCpuSecs();
    }
    PublishCounts();
  }
}

ClientCounts Client::counts() const {
  std::lock_guard<std::mutex> lock(published_mutex_);
  return published_counts_;
}

ClientCounts Client::FinalCounts() const {
  ClientCounts counts;
  if (final_start_counts_.has_value()) {
    counts = own_counts_;
    counts.Subtract(*final_start_counts_);
  }
  return counts;
}

void Client::CountLevelHits() {
  const auto* const levels = get_perf_context()->level_to_perf_context;
  for (const auto& [level, counters] : *levels) {
    own_counts_.level_hits[std::min<size_t>(level, kMaxLevels - 1)] =
        counters.user_key_return_count;
  }
}

void Client::PublishCounts() {
  CountLevelHits();
  std::lock_guard<std::mutex> lock(published_mutex_);
  published_counts_ = own_counts_;
}

Operation Client::DrawRequest(uint64_t sequence, uint64_t* id,
                              size_t* value_bytes) {
  if (workload_->trace != nullptr) {
    const auto& requests = workload_->trace->requests();
    const TraceRequest& request = requests[sequence % requests.size()];
    *id = request.key_id;
    *value_bytes = request.value_bytes;
    return request.operation;
  }
  const Operation operation = workload_->mix->Draw(&rng_);
  *value_bytes = workload_->config->value_bytes;
  // The newest keys, one per thread, may not be inserted yet.
  const uint64_t in_flight = static_cast<uint64_t>(workload_->config->threads);
  const uint64_t claimed =
      workload_->next_insert_id.load(std::memory_order_relaxed);
  *id = workload_->distribution->Draw(
      &rng_, std::max(workload_->config->records,
                      claimed > in_flight ? claimed - in_flight : 0));
  return operation;
}

void Client::RunOne(uint64_t sequence) {
  uint64_t id = 0;
  size_t value_bytes = 0;
  const Operation operation = DrawRequest(sequence, &id, &value_bytes);
  const auto start = std::chrono::steady_clock::now();
  uint64_t operations = 1;
  switch (operation) {
    case Operation::kRead:
      if (workload_->config->multiget > 1 && workload_->trace == nullptr) {
        MultiRead(id);
        operations = workload_->config->multiget;
      } else {
        Read(id);
      }
      break;
    case Operation::kInsert:
      Write(workload_->next_insert_id.fetch_add(1), value_bytes);
      break;
    case Operation::kUpdate:
      Write(id, value_bytes);
      break;
    case Operation::kScan:
      Scan(id);
      break;
    case Operation::kReadModifyWrite:
      Read(id);
      Write(id, value_bytes);
      break;
    case Operation::kDelete:
      Delete(id);
      break;
  }
  const uint64_t nanos = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now() - start)
          .count());
  own_counts_.operations += operations;
  const size_t kind = static_cast<size_t>(operation);
  latencies_[kind].Add(nanos);
  if (final_start_counts_.has_value()) {
    final_latencies_[kind].Add(nanos);
  }
}

void Client::CountGets(const ThreadReads& reads_before, uint64_t gets,
                       uint64_t found) {
  const ThreadReads reads_after = TierFileSystem::ReadsOfThisThread();
  uint64_t reads = 0;
  for (size_t tier = 0; tier < kTierCount; ++tier) {
    reads += reads_after[tier] - reads_before[tier];
  }
  const size_t slow = static_cast<size_t>(Tier::kSlow);
  own_counts_.gets += gets;
  own_counts_.gets_found += found;
  // The reads of a MultiGet cannot be attributed to keys, so each counts for
  // one key.
  own_counts_.gets_with_slow_io +=
      std::min(gets, reads_after[slow] - reads_before[slow]);
  own_counts_.gets_without_io += gets - std::min(gets, reads);
}

void Client::Read(uint64_t id) {
  Verifier* const verifier = workload_->verifier;
  workload_->key_space->KeyOf(id, &key_);
  const uint32_t floor = verifier != nullptr ? verifier->Floor(id) : 0;
  const ThreadReads reads_before = TierFileSystem::ReadsOfThisThread();
  pinned_.Reset();
  Status s = workload_->db->Get(
      ReadOptions(), workload_->db->DefaultColumnFamily(), key_, &pinned_);
  CountGets(reads_before, 1, s.ok() ? 1 : 0);
  if (verifier != nullptr && s.ok()) {
    s = verifier->CheckFound(id, floor, pinned_);
  } else if (s.IsNotFound()) {
    s = verifier != nullptr ? verifier->CheckMissing(id, floor) : Status::OK();
  }
  if (!s.ok()) {
    workload_->errors.Add(s);
  }
}

void Client::MultiRead(uint64_t first_id) {
  Verifier* const verifier = workload_->verifier;
  const size_t count = workload_->config->multiget;
  std::vector<uint64_t> ids(count, first_id);
  std::vector<std::string> keys(count);
  std::vector<Slice> key_slices(count);
  std::vector<uint32_t> floors(count);
  std::vector<PinnableSlice> values(count);
  std::vector<Status> statuses(count);
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) {
      ids[i] = workload_->distribution->Draw(&rng_, workload_->config->records);
    }
    workload_->key_space->KeyOf(ids[i], &keys[i]);
    key_slices[i] = keys[i];
    floors[i] = verifier != nullptr ? verifier->Floor(ids[i]) : 0;
  }
  const ThreadReads reads_before = TierFileSystem::ReadsOfThisThread();
  workload_->db->MultiGet(ReadOptions(), workload_->db->DefaultColumnFamily(),
                          count, key_slices.data(), values.data(),
                          statuses.data());
  const auto found =
      std::count_if(statuses.begin(), statuses.end(),
                    [](const Status& status) { return status.ok(); });
  CountGets(reads_before, count, static_cast<uint64_t>(found));
  for (size_t i = 0; i < count; ++i) {
    Status s = statuses[i];
    if (verifier != nullptr && s.ok()) {
      s = verifier->CheckFound(ids[i], floors[i], values[i]);
    } else if (s.IsNotFound()) {
      s = verifier != nullptr ? verifier->CheckMissing(ids[i], floors[i])
                              : Status::OK();
    }
    if (!s.ok()) {
      workload_->errors.Add(s);
    }
  }
}

void Client::Write(uint64_t id, size_t value_bytes) {
  Verifier* const verifier = workload_->verifier;
  if (verifier != nullptr && id >= verifier->capacity()) {
    workload_->errors.Add(
        Status::InvalidArgument("more inserts than --max_inserts"));
    workload_->stop.store(true);
    return;
  }
  workload_->key_space->KeyOf(id, &key_);
  std::unique_lock<std::mutex> lock;
  uint64_t version = kFirstVersion;
  if (verifier != nullptr) {
    lock = verifier->LockKey(id);
    version = verifier->BeginWrite(id);
  }
  EncodeValue(id, version, value_bytes, &value_);
  own_counts_.written_user_bytes += key_.size() + value_.size();
  Status s = workload_->db->Put(write_options_, key_, value_);
  if (!s.ok()) {
    workload_->errors.Add(s);
  } else if (verifier != nullptr) {
    verifier->FinishWrite(id, static_cast<uint32_t>(version));
  }
}

void Client::Delete(uint64_t id) {
  Verifier* const verifier = workload_->verifier;
  workload_->key_space->KeyOf(id, &key_);
  std::unique_lock<std::mutex> lock;
  uint32_t version = 0;
  if (verifier != nullptr) {
    lock = verifier->LockKey(id);
    version = verifier->BeginDelete(id);
  }
  own_counts_.written_user_bytes += key_.size();
  Status s = workload_->db->Delete(write_options_, key_);
  if (!s.ok()) {
    workload_->errors.Add(s);
  } else if (verifier != nullptr) {
    verifier->FinishWrite(id, version);
  }
}

void Client::Scan(uint64_t id) {
  workload_->key_space->KeyOf(id, &key_);
  const uint64_t wanted = std::uniform_int_distribution<uint64_t>(
      1, workload_->config->max_scan_keys)(rng_);
  uint64_t found = 0;
  Status s;
  if (workload_->verifier != nullptr) {
    s = VerifiedScan(workload_->db, *workload_->key_space, *workload_->verifier,
                     key_, wanted, &found);
  } else {
    std::unique_ptr<Iterator> it(workload_->db->NewIterator(ReadOptions()));
    for (it->Seek(key_); it->Valid() && found < wanted; it->Next()) {
      ++found;
    }
    s = it->status();
  }
  own_counts_.scanned_keys += found;
  if (!s.ok()) {
    workload_->errors.Add(s);
  }
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/trace_oracle.h"

#include <algorithm>
#include <cassert>

#include "plugin/hotrap/tools/bench/value_codec.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

constexpr uint64_t kNever = UINT64_MAX;

// The records of a trace while it is replayed.
class ReplayedRecords {
 public:
  ReplayedRecords(const Trace& trace, uint64_t memtable_bytes)
      : trace_(trace),
        memtable_bytes_(memtable_bytes),
        bytes_(trace.key_count()),
        last_write_(trace.key_count(), kNever) {
    for (uint64_t id = 0; id < bytes_.size(); ++id) {
      bytes_[id] = trace.preload_bytes(id) > 0
                       ? BytesOf(id, trace.preload_bytes(id))
                       : 0;
    }
  }

  void Write(const TraceRequest& request) {
    const uint64_t id = request.key_id;
    const bool removes = request.operation == Operation::kDelete;
    bytes_[id] = removes ? 0 : BytesOf(id, request.value_bytes);
    written_ += removes ? trace_.key(id).size() : bytes_[id];
    last_write_[id] = written_;
  }

  // Whether a read now is answered wherever records are placed.
  bool IsSure(uint64_t id) const {
    return bytes_[id] == 0 || (last_write_[id] != kNever &&
                               written_ - last_write_[id] < memtable_bytes_);
  }

  // 0 if there is none.
  uint32_t bytes(uint64_t id) const { return bytes_[id]; }

 private:
  uint32_t BytesOf(uint64_t id, uint32_t value_bytes) const {
    return static_cast<uint32_t>(trace_.key(id).size()) +
           std::max(static_cast<uint32_t>(kMinValueBytes), value_bytes);
  }

  const Trace& trace_;
  const uint64_t memtable_bytes_;
  std::vector<uint32_t> bytes_;
  // In bytes written; the position after it.
  std::vector<uint64_t> last_write_;
  uint64_t written_ = 0;
};

// The reads of a part of the trace.
class CountedReads {
 public:
  explicit CountedReads(uint64_t key_count)
      : reads_of_(key_count), bytes_of_(key_count) {}

  void Add(const ReplayedRecords& replayed, uint64_t id) {
    ++reads_;
    if (replayed.IsSure(id)) {
      ++sure_reads_;
      return;
    }
    ++reads_of_[id];
    bytes_of_[id] = replayed.bytes(id);
  }

  uint64_t reads() const { return reads_; }

  // Of whole records, in hindsight; forgets all reads.
  OracleWindow TakeWindow(uint64_t operations, uint64_t capacity_bytes) {
    std::vector<Placeable> read;
    for (uint64_t id = 0; id < reads_of_.size(); ++id) {
      if (reads_of_[id] > 0) {
        read.push_back(RecordOf(id));
        reads_of_[id] = 0;
      }
    }
    OracleWindow window{operations, reads_, 0};
    if (reads_ > 0) {
      window.hit_rate = (static_cast<double>(sure_reads_) +
                         ReadsOfBestPlacement(&read, capacity_bytes)) /
                        static_cast<double>(reads_);
    }
    reads_ = 0;
    sure_reads_ = 0;
    return window;
  }

  // `popularity` is that of OracleOfTrace. `replayed` is as at the end of the
  // part: what was not read takes its room in blocks, and is placed if it is
  // popular. `ids` are in key order.
  OracleRates Rates(const ReplayedRecords& replayed,
                    const std::vector<uint64_t>& ids,
                    const std::vector<double>& popularity,
                    uint64_t capacity_bytes) const {
    if (reads_ == 0) {
      return OracleRates();
    }
    std::vector<Placeable> records(reads_of_.size());
    for (uint64_t id = 0; id < records.size(); ++id) {
      records[id] = RecordOf(id);
      if (reads_of_[id] == 0) {
        records[id].bytes = replayed.bytes(id);
      }
      if (!popularity.empty()) {
        records[id].expected_reads = popularity[id];
      }
    }
    return BestRates(std::move(records), ids, static_cast<double>(sure_reads_),
                     static_cast<double>(reads_), capacity_bytes);
  }

 private:
  // With what was read, in hindsight.
  Placeable RecordOf(uint64_t id) const {
    const double reads = reads_of_[id];
    return {reads, reads, bytes_of_[id]};
  }

  // By key id: reads that need a placement, and the record's size at the last
  // one.
  std::vector<uint32_t> reads_of_;
  std::vector<uint32_t> bytes_of_;
  uint64_t reads_ = 0;
  uint64_t sure_reads_ = 0;
};

}  // namespace

Oracle OracleOfTrace(const OracleBudget& budget, const Trace& trace,
                     const KeySpace& key_space,
                     const std::vector<double>& popularity, uint64_t operations,
                     uint64_t final_operations) {
  assert(final_operations <= operations);
  assert(popularity.empty() || popularity.size() == trace.key_count());
  Oracle oracle;
  oracle.budget = budget;
  ReplayedRecords replayed(trace, budget.memtable_bytes);
  CountedReads whole(trace.key_count());
  CountedReads final_part(trace.key_count());
  CountedReads window(trace.key_count());
  const uint64_t windows = std::min(operations, kOracleWindows);
  uint64_t window_start = 0;
  for (uint64_t i = 0; i < operations; ++i) {
    const auto& requests = trace.requests();
    const TraceRequest& request = requests[i % requests.size()];
    if (request.operation == Operation::kRead) {
      whole.Add(replayed, request.key_id);
      window.Add(replayed, request.key_id);
      if (i >= operations - final_operations) {
        final_part.Add(replayed, request.key_id);
      }
    } else {
      replayed.Write(request);
    }
    if (i + 1 == operations * (oracle.windows.size() + 1) / windows) {
      oracle.windows.push_back(
          window.TakeWindow(i + 1 - window_start, budget.placed_bytes));
      window_start = i + 1;
    }
  }
  if (whole.reads() > 0) {
    oracle.basis = popularity.empty() ? "hindsight" : "generator";
    const std::vector<uint64_t> ids =
        key_space.IdsInKeyOrder(trace.key_count());
    oracle.whole = whole.Rates(replayed, ids, popularity, budget.placed_bytes);
    oracle.final =
        final_part.Rates(replayed, ids, popularity, budget.placed_bytes);
  }
  return oracle;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

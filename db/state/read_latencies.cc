//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/read_latencies.h"

namespace ROCKSDB_NAMESPACE {

namespace {
constexpr const char* kSourceNames[] = {
#define SOURCE(source, name, meaning) name,
#include "plugin/hotrap/db/state/read_sources.inc"
};
}  // namespace

void ReadLatencies::Add(Source source, uint64_t nanos) {
  Cores* cores = cores_.load(std::memory_order_acquire);
  if (cores == nullptr) {
    auto made = std::make_unique<Cores>();
    if (cores_.compare_exchange_strong(cores, made.get())) {
      cores = made.release();
    }
  }
  cores->Access()->nanos[static_cast<size_t>(source)].Add(nanos);
}

void ReadLatencies::AddTo(std::map<std::string, std::string>* values) const {
  const Cores* const cores = cores_.load(std::memory_order_acquire);
  for (size_t source = 0; source < kSources; source++) {
    HistogramImpl sum;
    for (size_t i = 0; cores != nullptr && i < cores->Size(); i++) {
      sum.Merge(cores->AccessAtCore(i)->nanos[source]);
    }
    HistogramData data;
    sum.Data(&data);
    const std::string name = std::string(kSourceNames[source]) + ".";
    const auto add = [&](const char* field, double nanos) {
      (*values)[name + field] = std::to_string(nanos / 1000);
    };
    (*values)[name + "count"] = std::to_string(data.count);
    add("average", data.average);
    add("p50", data.median);
    add("p95", data.percentile95);
    add("p99", data.percentile99);
    add("p999", sum.Percentile(99.9));
    add("max", data.max);
  }
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/workload_mix.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

struct NamedMix {
  const char* name;
  // In the order of enum Operation.
  std::array<double, kOperationCount> shares;
  const char* distribution;
};

constexpr NamedMix kMixes[] = {
    {"RO", {1, 0, 0, 0, 0, 0}, "hotspot"},
    {"RW", {0.75, 0.25, 0, 0, 0, 0}, "hotspot"},
    {"WH", {0.5, 0.5, 0, 0, 0, 0}, "hotspot"},
    {"UH", {0.5, 0, 0.5, 0, 0, 0}, "hotspot"},
    {"A", {0.5, 0, 0.5, 0, 0, 0}, "zipf"},
    {"B", {0.95, 0, 0.05, 0, 0, 0}, "zipf"},
    {"C", {1, 0, 0, 0, 0, 0}, "zipf"},
    {"D", {0.95, 0.05, 0, 0, 0, 0}, "latest"},
    {"E", {0, 0.05, 0, 0.95, 0, 0}, "zipf"},
    {"F", {0.5, 0, 0, 0, 0.5, 0}, "zipf"},
};

}  // namespace

Status WorkloadMix::FromName(const std::string& name, WorkloadMix* result) {
  for (const NamedMix& mix : kMixes) {
    if (name == mix.name) {
      result->shares_ = mix.shares;
      result->default_distribution_ = mix.distribution;
      return Status::OK();
    }
  }
  return Status::InvalidArgument("unknown mix (RO RW WH UH A B C D E F)", name);
}

Operation WorkloadMix::Draw(std::mt19937_64* rng) const {
  double left = std::uniform_real_distribution<double>(0, 1)(*rng);
  size_t last = 0;
  for (size_t i = 0; i < shares_.size(); ++i) {
    if (shares_[i] == 0) {
      continue;
    }
    last = i;
    left -= shares_[i];
    if (left < 0) {
      break;
    }
  }
  return static_cast<Operation>(last);
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/twitter_generator.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <sstream>

#include "plugin/hotrap/tools/bench/csv_file.h"
#include "plugin/hotrap/tools/bench/key_distribution.h"
#include "plugin/hotrap/tools/bench/key_space.h"
#include "plugin/hotrap/tools/bench/zipf_sampler.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

// Columns of the table.
constexpr size_t kName = 0;
constexpr size_t kKeyBytes = 2;
constexpr size_t kValueBytes = 3;
constexpr size_t kOneHitWonderPct = 5;
constexpr size_t kCompulsoryMissPct = 6;
constexpr size_t kOperations = 8;
constexpr size_t kZipfAlpha = 9;
constexpr size_t kColumns = 10;

Operation OperationOf(const std::string& name) {
  if (name == "get" || name == "gets") {
    return Operation::kRead;
  }
  return name == "delete" ? Operation::kDelete : Operation::kUpdate;
}

// Parses names and shares: "get:0.96 add:0.02".
Status ParseOperations(const std::string& text,
                       std::vector<std::pair<Operation, double>>* operations) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const size_t colon = word.find(':');
    const double share =
        colon == std::string::npos ? 0 : std::atof(word.c_str() + colon + 1);
    if (share <= 0) {
      return Status::Corruption("not an operation and its share", word);
    }
    operations->emplace_back(OperationOf(word.substr(0, colon)), share);
  }
  return operations->empty() ? Status::Corruption("no operations")
                             : Status::OK();
}

Status ParseRow(const std::vector<std::string>& row, TwitterCluster* cluster) {
  cluster->name = row[kName];
  cluster->key_bytes = static_cast<uint32_t>(std::atoi(row[kKeyBytes].c_str()));
  cluster->value_bytes =
      static_cast<uint32_t>(std::atoi(row[kValueBytes].c_str()));
  cluster->one_hit_wonder_fraction =
      std::atof(row[kOneHitWonderPct].c_str()) / 100;
  cluster->compulsory_miss_fraction =
      std::atof(row[kCompulsoryMissPct].c_str()) / 100;
  cluster->zipf_alpha = std::atof(row[kZipfAlpha].c_str());
  return ParseOperations(row[kOperations], &cluster->operations);
}

// Numbers of keys and requests before they are copied. Popular keys have ids
// [0, popular), loaded ones first; one-hit wonders follow. The copies of a key
// have their own ids, so that they are scattered.
struct KeyCounts {
  KeyCounts(const TwitterCluster& cluster, const TwitterTraceOptions& options)
      : copies(options.copies),
        loaded(options.loaded_keys / copies),
        requests((options.requests + copies - 1) / copies) {
    const uint64_t keys = std::clamp<uint64_t>(
        static_cast<uint64_t>(std::llround(static_cast<double>(requests) *
                                           cluster.compulsory_miss_fraction)),
        1, requests);
    wonders = static_cast<uint64_t>(static_cast<double>(keys) *
                                    cluster.one_hit_wonder_fraction);
    new_popular = std::max<uint64_t>(1, keys - wonders);
    popular = loaded + new_popular;
  }

  const uint64_t copies;
  const uint64_t loaded;
  const uint64_t requests;
  uint64_t wonders = 0;
  uint64_t new_popular = 0;
  uint64_t popular = 0;
};

SyntheticKeySpace KeySpaceOf(const TwitterCluster& cluster) {
  return SyntheticKeySpace(
      std::max<size_t>(SyntheticKeySpace::kMinKeyBytes, cluster.key_bytes));
}

}  // namespace

Status ReadTwitterCluster(const std::string& table_path,
                          const std::string& name, TwitterCluster* cluster) {
  Status row_status = Status::NotFound("no such cluster in the table", name);
  Status s = ForEachCsvRow(table_path, [&](const auto& row) {
    if (row.size() == kColumns && row[kName] == name) {
      row_status = ParseRow(row, cluster);
      return false;
    }
    return true;
  });
  return s.ok() ? row_status : s;
}

Status GenerateTwitterTrace(const TwitterCluster& cluster,
                            const TwitterTraceOptions& options, Trace* trace) {
  if (options.requests == 0 || options.copies == 0 ||
      cluster.operations.empty() || cluster.one_hit_wonder_fraction < 0 ||
      cluster.one_hit_wonder_fraction > 1 || cluster.zipf_alpha < 0) {
    return Status::InvalidArgument("cannot generate a trace from",
                                   cluster.name);
  }
  const KeyCounts counts(cluster, options);
  std::vector<double> shares;
  for (const auto& operation : cluster.operations) {
    shares.push_back(operation.second);
  }
  std::discrete_distribution<size_t> draw_operation(shares.begin(),
                                                    shares.end());
  const ZipfSampler popularity(counts.popular, cluster.zipf_alpha);
  const RankScrambler scrambler(counts.popular);
  const SyntheticKeySpace key_space = KeySpaceOf(cluster);
  const uint32_t value_bytes = cluster.value_bytes / options.value_divisor;

  std::mt19937_64 rng(options.seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  const double total = static_cast<double>(counts.requests);
  const double wonder_share = static_cast<double>(counts.wonders) / total;
  const double first_share = static_cast<double>(counts.new_popular) / total;
  uint64_t next_wonder = counts.popular;
  uint64_t next_first = counts.loaded;
  std::string key;
  for (uint64_t id = 0; id < counts.loaded * counts.copies; ++id) {
    key_space.KeyOf(id, &key);
    trace->AddLoaded(key, value_bytes);
  }
  for (uint64_t i = 0; i < counts.requests; ++i) {
    const double what = uniform(rng);
    uint64_t id = 0;
    if (what < wonder_share) {
      id = next_wonder++;
    } else if (what < wonder_share + first_share &&
               next_first < counts.popular) {
      // Every popular key occurs at least once, however low its rank.
      id = next_first++;
    } else {
      id = scrambler.IdOf(popularity.Sample(&rng));
    }
    const Operation operation = cluster.operations[draw_operation(rng)].first;
    for (uint64_t copy = 0; copy < counts.copies; ++copy) {
      key_space.KeyOf(id * counts.copies + copy, &key);
      trace->AddUnloaded(key, operation, value_bytes);
    }
  }
  return Status::OK();
}

std::vector<double> TwitterPopularity(const TwitterCluster& cluster,
                                      const TwitterTraceOptions& options,
                                      const Trace& trace) {
  const KeyCounts counts(cluster, options);
  const RankScrambler scrambler(counts.popular);
  const std::vector<double> by_rank =
      ZipfSampler(counts.popular, cluster.zipf_alpha).Probabilities();
  std::vector<double> by_id(by_rank.size());
  for (uint64_t rank = 0; rank < by_rank.size(); ++rank) {
    by_id[scrambler.IdOf(rank)] =
        by_rank[rank] / static_cast<double>(counts.copies);
  }
  const SyntheticKeySpace key_space = KeySpaceOf(cluster);
  std::vector<double> popularity(trace.key_count());
  for (uint64_t i = 0; i < popularity.size(); ++i) {
    uint64_t id = 0;
    if (key_space.IdOf(trace.key(i), &id) &&
        id / counts.copies < by_id.size()) {
      popularity[i] = by_id[id / counts.copies];
    }
  }
  return popularity;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Metrics in Prometheus' text format, for node_exporter's textfile collector.
//
// Thread safety: none.

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class MetricsText {
 public:
  // `db` becomes a label of each metric.
  explicit MetricsText(const std::string& db) : db_(db) {}

  // Adds a gauge, rocksdb_hotrap_<name>.
  void Add(const std::string& name, const std::string& meaning,
           const std::string& column_family, double value,
           const std::map<std::string, std::string>& labels = {});

  std::string ToString() const;

 private:
  struct Metric {
    std::string meaning;
    std::vector<std::string> samples;
  };

  const std::string db_;
  std::map<std::string, Metric> metrics_;
};

}  // namespace ROCKSDB_NAMESPACE

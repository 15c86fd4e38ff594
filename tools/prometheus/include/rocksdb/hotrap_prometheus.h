//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// HotRAP's metrics for Prometheus, through prometheus-cpp: a library of its
// own, librocksdb-hotrap-prometheus, which programs link that use
// prometheus-cpp.
//
//   auto collector = std::make_shared<HotRapCollector>(
//       db, std::vector<ColumnFamilyHandle*>{family}, "orders");
//   prometheus::Exposer exposer{"127.0.0.1:9464"};
//   exposer.RegisterCollectable(collector);

#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <string>
#include <vector>

#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {

// Each scrape reads the properties "rocksdb.hotrap.stats" and
// "rocksdb.hotrap.get-latency" of each column family, which takes the DB mutex
// for some microseconds. Fields of the first become rocksdb_hotrap_<field>,
// counters with "_total" behind; texts become labels of
// rocksdb_hotrap_info; the second becomes the summary
// rocksdb_hotrap_get_latency_seconds by "source". All have the labels "db" and
// "column_family".
//
// Thread safety: any thread. Exposers keep a weak reference: destroy the
// collector before the handles and the DB.
class HotRapCollector : public prometheus::Collectable {
 public:
  // `name` is the label "db". The DB and the handles must outlive this object.
  HotRapCollector(DB* db, std::vector<ColumnFamilyHandle*> families,
                  std::string name);

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  DB* const db_;
  const std::vector<ColumnFamilyHandle*> families_;
  const std::string name_;
};

}  // namespace ROCKSDB_NAMESPACE

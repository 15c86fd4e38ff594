//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A program whose HotRAP Prometheus scrapes: reads and writes a DB on two paths
// for as long as it is told, with a hotspot that fits the fast tier.
// scripts/check_prometheus.py runs it.

#include <gflags/gflags.h>
#include <prometheus/exposer.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "rocksdb/db.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/hotrap_prometheus.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"

DEFINE_string(folder, "", "where the DB and its slow path are made");
DEFINE_string(listen, "127.0.0.1:9464", "address for Prometheus");
DEFINE_int32(seconds, 60, "how long to read and write");

namespace {

constexpr int kKeys = 40000;
constexpr int kHotKeys = 2000;
constexpr int kValueBytes = 500;

std::string Key(int number) {
  char key[16];
  snprintf(key, sizeof(key), "key%08d", number);
  return key;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ROCKSDB_NAMESPACE;
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  Options options;
  options.create_if_missing = true;
  options.db_paths = {{FLAGS_folder + "/fast", 6 << 20},
                      {FLAGS_folder + "/slow", 1ull << 40}};
  options.write_buffer_size = 512 << 10;
  options.target_file_size_base = 512 << 10;
  options.max_bytes_for_level_base = 1 << 20;
  options.compression = kNoCompression;
  options.statistics = CreateDBStatistics();
  options.hotrap.enabled = true;
  // Both folders are on one disk.
  options.hotrap.promote_only_if_slower = false;
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(512 << 10);
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  std::unique_ptr<DB> db;
  Status s = DB::Open(options, FLAGS_folder + "/fast", &db);
  if (!s.ok()) {
    fprintf(stderr, "%s\n", s.ToString().c_str());
    return 1;
  }
  const auto collector = std::make_shared<HotRapCollector>(
      db.get(), std::vector<ColumnFamilyHandle*>{db->DefaultColumnFamily()},
      "example");
  prometheus::Exposer exposer{FLAGS_listen};
  exposer.RegisterCollectable(collector);
  std::mt19937 random(301);
  const std::string value(kValueBytes, 'v');
  for (int i = 0; i < kKeys && s.ok(); i++) {
    s = db->Put(WriteOptions(), Key(i), value);
  }
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(FLAGS_seconds);
  std::string read;
  while (s.ok() && std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 1000 && s.ok(); i++) {
      const bool hot = random() % 10 < 9;
      // Hot keys are spread over all of them.
      const int key = static_cast<int>(
          hot ? random() % kHotKeys * (kKeys / kHotKeys) : random() % kKeys);
      s = db->Get(ReadOptions(), Key(key), &read);
      if (s.ok() && random() % 20 == 0) {
        s = db->Put(WriteOptions(), Key(static_cast<int>(random() % kKeys)),
                    value);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (!s.ok()) {
    fprintf(stderr, "%s\n", s.ToString().c_str());
  }
  return s.ok() ? 0 : 1;
}

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include <rocksdb/db.h>
#include <rocksdb/hotrap.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>

static void Must(const rocksdb::Status& s) {
  if (!s.ok()) {
    std::cerr << s.ToString() << std::endl;
    exit(1);
  }
}

// Arguments: the DB's folder, on the fast disk, and any on the slow one.
int main(int argc, char** argv) {
  if (argc != 3) return 2;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.hotrap.enabled = true;
  options.hotrap.slow_root = argv[2];
  options.hotrap.fast_budget_bytes = 40ull << 30;
  std::unique_ptr<rocksdb::DB> db;
  Must(rocksdb::DB::Open(options, argv[1], &db));

  Must(db->Put(rocksdb::WriteOptions(), "key", "value"));
  std::string value;
  Must(db->Get(rocksdb::ReadOptions(), "key", &value));
  std::cout << "value: " << value << std::endl;

  std::map<std::string, std::string> stats;
  db->GetMapProperty(rocksdb::kHotRapStatsProperty, &stats);
  std::cout << "active: " << stats["active"] << std::endl;
  return 0;
}

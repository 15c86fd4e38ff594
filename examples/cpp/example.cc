//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include <rocksdb/db.h>
#include <rocksdb/hotrap.h>

#include <iostream>
#include <memory>
#include <string>

static void Must(const rocksdb::Status& s) {
  if (!s.ok()) {
    std::cerr << s.ToString() << std::endl;
    exit(1);
  }
}

// Arguments: a folder on the fast disk, and one on the slow disk.
int main(int argc, char** argv) {
  if (argc != 3) return 2;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.db_paths = {{argv[1], 1ull << 30}, {argv[2], 1ull << 40}};
  options.hotrap.enabled = true;
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

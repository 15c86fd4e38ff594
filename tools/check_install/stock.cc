//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A C++ program that scripts/check_install.py builds with a stock RocksDB's
// headers. It gets column family options in the way that its second argument
// says, and opens the DB in the folder of the first one.

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/utilities/options_util.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) {
    return 2;
  }
  const std::string folder = argv[1];
  const std::string how = argv[2];
  rocksdb::Status s;
  std::unique_ptr<rocksdb::DB> db;
  if (how == "options") {
    rocksdb::Options options;
    options.create_if_missing = true;
    s = rocksdb::DB::Open(options, folder, &db);
  } else if (how == "column-family-options") {
    const rocksdb::ColumnFamilyOptions options;
    printf("%p\n", static_cast<const void*>(&options));
  } else {
    rocksdb::DBOptions options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    s = how == "latest"
            ? rocksdb::LoadLatestOptions(rocksdb::ConfigOptions(), folder,
                                         &options, &families)
            : rocksdb::LoadOptionsFromFile(rocksdb::ConfigOptions(),
                                           folder + "/OPTIONS", &options,
                                           &families);
  }
  printf("went on: %s\n", s.ToString().c_str());
  return 0;
}

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// RocksDB's ldb for a DB over two paths. ldb itself supports one path: it does
// not find the files on the second, and aborts when it closes such a DB. Uses
// only the public API, so that it also links with a stock RocksDB.
//
//   two_path_ldb FAST SLOW COMMAND [FLAGS]        a command of ldb
//   two_path_ldb FAST SLOW single_delete_all      ends every key by a
//                                                 SingleDelete, and says how
//                                                 many are back afterwards
//   two_path_ldb FAST SLOW promoted_copies        how many there are
//   two_path_ldb FAST SLOW load_options           reads the OPTIONS file, as a
//   two_path_ldb FAST SLOW load_options_ignoring  tool would that finds in it
//                                                 how to open the DB

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/ldb_tool.h"
#include "rocksdb/utilities/options_util.h"

namespace ROCKSDB_NAMESPACE {
namespace {

int LoadOptions(const std::string& path, bool ignore_unknown_options) {
  ConfigOptions config_options;
  config_options.ignore_unknown_options = ignore_unknown_options;
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> column_families;
  const Status s =
      LoadLatestOptions(config_options, path, &db_options, &column_families);
  printf("%s\n", s.ToString().c_str());
  return s.ok() ? 0 : 1;
}

int CountKeys(DB* db) {
  int count = 0;
  std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    count++;
  }
  return it->status().ok() ? count : -1;
}

// Compacts the tables of a level into the next one.
Status CompactLevel(DB* db, int level) {
  ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(&metadata);
  std::vector<std::string> files;
  for (const auto& file : metadata.levels[level].files) {
    files.push_back(file.name);
  }
  return files.empty() ? Status::OK()
                       : db->CompactFiles(CompactionOptions(), files, level + 1,
                                          /*output_path_id=*/1);
}

// Deletes every key by SingleDelete, flushes, and compacts level by level.
// Prints how many keys came back at the worst point.
Status SingleDeleteAll(DB* db) {
  std::vector<std::string> keys;
  {
    std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      keys.push_back(it->key().ToString());
    }
  }
  Status s;
  for (size_t i = 0; i < keys.size() && s.ok(); i++) {
    s = db->SingleDelete(WriteOptions(), keys[i]);
  }
  if (s.ok()) {
    s = db->Flush(FlushOptions());
  }
  int back = CountKeys(db);
  for (int level = 0; level + 1 < db->NumberLevels() && s.ok(); level++) {
    s = CompactLevel(db, level);
    back = std::max(back, CountKeys(db));
  }
  printf("%zu keys ended, %d are back\n", keys.size(), back);
  return s;
}

int WithDB(const Options& options, const std::string& path,
           const std::string& command) {
  std::unique_ptr<DB> db;
  Status s = DB::Open(options, path, &db);
  if (s.ok() && command == "promoted_copies") {
    std::string copies;
    db->GetProperty("rocksdb.hotrap.promoted-copies", &copies);
    printf("%s\n", copies.c_str());
  } else if (s.ok()) {
    s = SingleDeleteAll(db.get());
  }
  fprintf(stderr, "%s\n", s.ToString().c_str());
  return s.ok() ? 0 : 1;
}

int Main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "two_path_ldb FAST SLOW COMMAND [FLAGS]\n");
    return 2;
  }
  const std::string fast_path = argv[1];
  const std::string command = argv[3];
  if (command == "load_options" || command == "load_options_ignoring") {
    return LoadOptions(fast_path, command == "load_options_ignoring");
  }
  Options options;
  options.db_paths = {{fast_path, UINT64_MAX}, {argv[2], UINT64_MAX}};
  if (command == "single_delete_all" || command == "promoted_copies") {
    options.level_compaction_dynamic_level_bytes = false;
    options.disable_auto_compactions = true;
    return WithDB(options, fast_path, command);
  }
  // The options that ldb would load do not contain the paths.
  std::vector<std::string> words = {argv[0], "--db=" + fast_path,
                                    "--try_load_options=false"};
  words.insert(words.end(), argv + 3, argv + argc);
  std::vector<char*> pointers;
  for (auto& word : words) {
    pointers.push_back(word.data());
  }
  LDBTool().Run(static_cast<int>(pointers.size()), pointers.data(), options);
  return 0;
}

}  // namespace
}  // namespace ROCKSDB_NAMESPACE

int main(int argc, char** argv) { return ROCKSDB_NAMESPACE::Main(argc, argv); }

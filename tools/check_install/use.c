/*  This source code is licensed under both the GPLv2 (found in the
 *  COPYING file in the root directory) and Apache 2.0 License
 *  (found in the LICENSE.Apache file in the root directory).
 *
 *  A C program that uses the installed library: scripts/check_install.py.
 */

#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* error = NULL;

static void Must(int holds, const char* what) {
  if (!holds || error != NULL) {
    fprintf(stderr, "%s: %s\n", what, error != NULL ? error : "wrong");
    exit(1);
  }
}

int main(int argc, char** argv) {
  rocksdb_options_t* const base = rocksdb_options_create();
  rocksdb_options_t* const options = rocksdb_options_create();
  const rocksdb_dbpath_t* paths[2];
  char fast[1000];
  char slow[1000];
  size_t length = 0;
  char* text;
  rocksdb_t* db;
  rocksdb_writeoptions_t* const write_options = rocksdb_writeoptions_create();
  rocksdb_readoptions_t* const read_options = rocksdb_readoptions_create();

  Must(argc == 2, "argument: a folder");
  snprintf(fast, sizeof(fast), "%s/fast", argv[1]);
  snprintf(slow, sizeof(slow), "%s/slow", argv[1]);
  rocksdb_get_options_from_string(
      base, "create_if_missing=true;hotrap={enabled=true;}", options, &error);
  Must(1, "options");
  paths[0] = rocksdb_dbpath_create(fast, (uint64_t)1 << 30);
  paths[1] = rocksdb_dbpath_create(slow, (uint64_t)1 << 40);
  rocksdb_options_set_db_paths(options, paths, 2);
  db = rocksdb_open(options, fast, &error);
  Must(db != NULL, "open");
  rocksdb_put(db, write_options, "key", 3, "value", 5, &error);
  Must(1, "put");
  text = rocksdb_get(db, read_options, "key", 3, &length, &error);
  Must(text != NULL && length == 5 && memcmp(text, "value", 5) == 0, "get");
  rocksdb_free(text);
  text = rocksdb_property_value(db, "rocksdb.hotrap.stats");
  Must(text != NULL && strstr(text, "active: 1\n") != NULL, "active");
  rocksdb_free(text);
  rocksdb_close(db);
  rocksdb_readoptions_destroy(read_options);
  rocksdb_writeoptions_destroy(write_options);
  rocksdb_dbpath_destroy((rocksdb_dbpath_t*)paths[0]);
  rocksdb_dbpath_destroy((rocksdb_dbpath_t*)paths[1]);
  rocksdb_options_destroy(options);
  rocksdb_options_destroy(base);
  return 0;
}

/*  This source code is licensed under both the GPLv2 (found in the
 *  COPYING file in the root directory) and Apache 2.0 License
 *  (found in the LICENSE.Apache file in the root directory). */

#include <rocksdb/hotrap_c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop_at(char* error) {
  if (error != NULL) {
    fprintf(stderr, "%s\n", error);
    exit(1);
  }
}

/* Arguments: the DB's folder, on the fast disk, and any on the slow one. */
int main(int argc, char** argv) {
  if (argc != 3) return 2;
  char hotrap[1000];
  snprintf(hotrap, sizeof(hotrap),
           "enabled=true;slow_root=%s;fast_budget_bytes=40G", argv[2]);
  char* error = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_hotrap_set_options(options, hotrap, &error);
  stop_at(error);
  rocksdb_t* db = rocksdb_open(options, argv[1], &error);
  stop_at(error);

  rocksdb_writeoptions_t* write_options = rocksdb_writeoptions_create();
  rocksdb_put(db, write_options, "key", 3, "value", 5, &error);
  stop_at(error);
  size_t length = 0;
  rocksdb_readoptions_t* read_options = rocksdb_readoptions_create();
  char* value = rocksdb_get(db, read_options, "key", 3, &length, &error);
  stop_at(error);
  printf("value: %.*s\n", (int)length, value);
  rocksdb_free(value);

  rocksdb_hotrap_stats_t* stats = rocksdb_hotrap_stats_create(db, NULL);
  printf("active: %d\n", rocksdb_hotrap_stats_active(stats));
  rocksdb_hotrap_stats_destroy(stats);

  rocksdb_readoptions_destroy(read_options);
  rocksdb_writeoptions_destroy(write_options);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  return 0;
}

/*  This source code is licensed under both the GPLv2 (found in the
 *  COPYING file in the root directory) and Apache 2.0 License
 *  (found in the LICENSE.Apache file in the root directory).
 *
 *  Uses rocksdb/hotrap_c.h as a C program would. Prints what was wrong and
 *  exits with 1. Argument: an empty folder. */

#include "rocksdb/hotrap_c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) Check((condition) != 0, #condition, __LINE__)

static char* error = NULL;

static void Check(int holds, const char* what, int line) {
  if (!holds || error != NULL) {
    fprintf(stderr, "line %d: %s: %s\n", line, what,
            error != NULL ? error : "wrong");
    exit(1);
  }
}

/* The last call must have failed, with a message that contains `text`. */
static void CheckFails(const char* text, int line) {
  if (error == NULL || strstr(error, text) == NULL) {
    fprintf(stderr, "line %d: not '%s' but: %s\n", line, text,
            error != NULL ? error : "no error");
    exit(1);
  }
  rocksdb_free(error);
  error = NULL;
}

static int Compare(void* state, const char* a, size_t a_length, const char* b,
                   size_t b_length) {
  const size_t length = a_length < b_length ? a_length : b_length;
  const int order = memcmp(b, a, length);
  (void)state;
  return order != 0 ? order : (b_length > a_length) - (b_length < a_length);
}

static void Destroy(void* state) { (void)state; }

static const char* Name(void* state) {
  (void)state;
  return "backwards";
}

static void Options(rocksdb_options_t* options) {
  rocksdb_hotrap_set_options(options, "enabled=true;cached_hit_sampling=3",
                             &error);
  CHECK(1);
  /* What cannot be meant changes nothing. */
  rocksdb_hotrap_set_options(options, "cached_hit_sampling=5;no_such_field=1",
                             &error);
  CheckFails("no_such_field", __LINE__);
  rocksdb_hotrap_set_options(options, "cached_hit_sampling=many", &error);
  CheckFails("cached_hit_sampling", __LINE__);
}

static rocksdb_hotrap_stats_t* Stats(rocksdb_t* db) {
  rocksdb_hotrap_stats_t* const stats = rocksdb_hotrap_stats_create(db, NULL);
  CHECK(stats != NULL);
  return stats;
}

static void Statistics(rocksdb_t* db, const char* active, const char* reason) {
  rocksdb_hotrap_stats_t* const stats = Stats(db);
  uint64_t number = 77;
  double real = 77.5;
  const char* text = rocksdb_hotrap_stats_text(stats, "inactive_reason");
  CHECK(rocksdb_hotrap_stats_active(stats) == (active[0] == '1'));
  CHECK(text != NULL && strstr(text, reason) != NULL);
  text = rocksdb_hotrap_stats_text(stats, "active");
  CHECK(text != NULL && strcmp(text, active) == 0);
  CHECK(rocksdb_hotrap_stats_text(stats, "no such") == NULL);
  CHECK(!rocksdb_hotrap_stats_uint64(stats, "no such", &number));
  CHECK(!rocksdb_hotrap_stats_double(stats, "no such", &real));
  CHECK(number == 77 && real == 77.5);
  if (active[0] == '1') {
    CHECK(rocksdb_hotrap_stats_uint64(stats, "get_hits_slow", &number));
    CHECK(number == 0);
    CHECK(rocksdb_hotrap_stats_double(stats, "get_hits_slow", &real));
    CHECK(real == 0);
    CHECK(rocksdb_hotrap_stats_promoted_records(stats) == 0);
    CHECK(rocksdb_hotrap_stats_promoted_bytes(stats) == 0);
  } else {
    CHECK(!rocksdb_hotrap_stats_uint64(stats, "inactive_reason", &number));
    CHECK(!rocksdb_hotrap_stats_double(stats, "inactive_reason", &real));
  }
  rocksdb_hotrap_stats_destroy(stats);
}

static void Live(rocksdb_t* db, rocksdb_column_family_handle_t* family) {
  rocksdb_hotrap_stats_t* stats;
  rocksdb_hotrap_change_options(db, NULL, "enabled=false", &error);
  CHECK(1);
  Statistics(db, "0", "hotrap.enabled is false");
  rocksdb_hotrap_change_options(db, NULL, "no_such_field=1", &error);
  CheckFails("no_such_field", __LINE__);
  rocksdb_hotrap_change_options(db, NULL, "enabled=true", &error);
  CHECK(1);
  rocksdb_hotrap_change_options(db, NULL, "cached_hit_sampling=0", &error);
  CheckFails("cached_hit_sampling", __LINE__);
  Statistics(db, "1", "");

  /* Another column family, which has HotRAP off. */
  stats = rocksdb_hotrap_stats_create(db, family);
  CHECK(stats != NULL && !rocksdb_hotrap_stats_active(stats));
  rocksdb_hotrap_stats_destroy(stats);
  rocksdb_hotrap_change_options(db, family, "enabled=true", &error);
  CHECK(1);
  stats = rocksdb_hotrap_stats_create(db, family);
  CHECK(stats != NULL && rocksdb_hotrap_stats_active(stats));
  rocksdb_hotrap_stats_destroy(stats);
}

static void Tickers(rocksdb_options_t* options) {
  static const char* const names[] = {"rocksdb.hotrap.crossing.compactions",
                                      "rocksdb.hotrap.retained.records",
                                      "rocksdb.hotrap.flush.promoted.records"};
  uint32_t ticker = 0;
  uint32_t last = 0;
  size_t i;
  for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    CHECK(rocksdb_hotrap_ticker(names[i], &ticker));
    CHECK(ticker > last);
    CHECK(rocksdb_options_statistics_get_ticker_count(options, ticker) == 0);
    last = ticker;
  }
  /* One of RocksDB's own. */
  CHECK(!rocksdb_hotrap_ticker("rocksdb.block.cache.miss", &ticker));
  CHECK(ticker == last);
}

int main(int argc, char** argv) {
  rocksdb_options_t* const options = rocksdb_options_create();
  rocksdb_options_t* const family_options = rocksdb_options_create();
  rocksdb_writeoptions_t* const write_options = rocksdb_writeoptions_create();
  rocksdb_comparator_t* const comparator =
      rocksdb_comparator_create(NULL, Destroy, Compare, Name);
  rocksdb_column_family_handle_t* family;
  rocksdb_iterator_t* iterator;
  rocksdb_readoptions_t* const read_options = rocksdb_readoptions_create();
  const rocksdb_dbpath_t* paths[2];
  rocksdb_t* db;
  const char* text;
  char fast[1000];
  char slow[1000];
  size_t length = 0;

  CHECK(argc == 2);
  snprintf(fast, sizeof(fast), "%s/fast", argv[1]);
  snprintf(slow, sizeof(slow), "%s/slow", argv[1]);
  text = rocksdb_hotrap_version();
  CHECK(strstr(text, "-hotrap.") != NULL);

  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_comparator(options, comparator);
  rocksdb_options_enable_statistics(options);
  paths[0] = rocksdb_dbpath_create(fast, (uint64_t)1 << 30);
  paths[1] = rocksdb_dbpath_create(slow, (uint64_t)1 << 40);
  rocksdb_options_set_db_paths(options, paths, 2);
  Options(options);
  /* The failures above have changed nothing. */
  db = rocksdb_open(options, fast, &error);
  CHECK(db != NULL);
  Statistics(db, "1", "");
  family = rocksdb_create_column_family(db, family_options, "other", &error);
  CHECK(family != NULL);
  Live(db, family);
  Tickers(options);

  /* Options that no string expresses were left alone. */
  rocksdb_put(db, write_options, "a", 1, "1", 1, &error);
  rocksdb_put(db, write_options, "b", 1, "2", 1, &error);
  CHECK(1);
  iterator = rocksdb_create_iterator(db, read_options);
  rocksdb_iter_seek_to_first(iterator);
  CHECK(rocksdb_iter_valid(iterator));
  text = rocksdb_iter_key(iterator, &length);
  CHECK(length == 1 && text[0] == 'b');
  rocksdb_iter_destroy(iterator);

  rocksdb_column_family_handle_destroy(family);
  rocksdb_close(db);
  /* A value out of range is an error of rocksdb_open(). */
  rocksdb_hotrap_set_options(options, "cached_hit_sampling=0", &error);
  CHECK(1);
  rocksdb_open(options, fast, &error);
  CheckFails("cached_hit_sampling", __LINE__);
  return 0;
}

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

/*  What HotRAP adds to rocksdb/c.h. See rocksdb/hotrap.h for the options, the
 *  tickers, and the names in the property "rocksdb.hotrap.stats".
 *
 *    char* error = NULL;
 *    rocksdb_options_t* options = rocksdb_options_create();
 *    rocksdb_hotrap_set_options(
 *        options, "enabled=true;slow_root=/hdd;fast_budget_bytes=40G", &error);
 *    rocksdb_t* db = rocksdb_open(options, "/nvme/db", &error);
 *
 *  As in c.h, a function that can fail has an argument errptr: it must point
 *  to NULL or to a message that malloc() returned; a failure replaces that with
 *  a message for the caller to free with rocksdb_free().
 *
 *  Functions may be called from several threads at once, as long as no other
 *  thread changes or destroys what a call is given. */

#ifndef ROCKSDB_HOTRAP_C_H_
#define ROCKSDB_HOTRAP_C_H_

#include "rocksdb/c.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rocksdb_hotrap_stats_t rocksdb_hotrap_stats_t;

/* Returns the version of the library that the program runs with, RocksDB's
 * followed by ours, e.g. "11.8.1-hotrap.1". It is constant; do not free it. */
extern ROCKSDB_LIBRARY_API const char* rocksdb_hotrap_version(void);

/* ---- Options ------------------------------------------------------------ */

/* Sets fields of HotRapOptions in `options`, and leaves all its other options
 * as they are: those of HotRAP that `fields` does not name, and those that
 * strings cannot express (comparators, filters, environments). `fields` has the
 * form "name=value;name=value", e.g. "enabled=true;auto_tune=false".
 *
 * An unknown name or a value that is none fails and changes nothing. A value
 * that is out of range is an error of rocksdb_open(). */
extern ROCKSDB_LIBRARY_API void rocksdb_hotrap_set_options(
    rocksdb_options_t* options, const char* fields, char** errptr);

/* Changes fields of HotRapOptions of an open DB. `family` NULL is the default
 * column family. The other fields stay as they are. Fails, and changes nothing,
 * if a name is unknown or a value wrong or out of range. */
extern ROCKSDB_LIBRARY_API void rocksdb_hotrap_change_options(
    rocksdb_t* db, rocksdb_column_family_handle_t* family, const char* fields,
    char** errptr);

/* ---- Statistics --------------------------------------------------------- */

/* Returns the statistics of a column family at this moment, for the caller to
 * destroy. `family` NULL is the default one. NULL if there are none, because
 * the column family was dropped. */
extern ROCKSDB_LIBRARY_API rocksdb_hotrap_stats_t* rocksdb_hotrap_stats_create(
    rocksdb_t* db, rocksdb_column_family_handle_t* family);
extern ROCKSDB_LIBRARY_API void rocksdb_hotrap_stats_destroy(
    rocksdb_hotrap_stats_t* stats);

/* Returns 1 if HotRAP works for the column family, otherwise 0; then
 * rocksdb_hotrap_stats_text(stats, "inactive_reason") says why not. */
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_hotrap_stats_active(
    const rocksdb_hotrap_stats_t* stats);

/* Return what was promoted since the DB was opened, by flushes and by
 * compactions: records, and bytes of keys and values. */
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_hotrap_stats_promoted_records(const rocksdb_hotrap_stats_t* stats);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_hotrap_stats_promoted_bytes(const rocksdb_hotrap_stats_t* stats);

/* Gets a statistic by its name in the property "rocksdb.hotrap.stats", e.g.
 * "get_hits_fast". Return 1, or 0 if there is none of that name, or it is not
 * such a number; *value does not change then. */
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_hotrap_stats_uint64(
    const rocksdb_hotrap_stats_t* stats, const char* name, uint64_t* value);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_hotrap_stats_double(
    const rocksdb_hotrap_stats_t* stats, const char* name, double* value);

/* Returns a statistic as text, NULL if there is none of that name. It lives as
 * long as `stats`; do not free it. */
extern ROCKSDB_LIBRARY_API const char* rocksdb_hotrap_stats_text(
    const rocksdb_hotrap_stats_t* stats, const char* name);

/* Gets the number of one of HotRAP's tickers by its name, e.g.
 * "rocksdb.hotrap.retained.records", for
 * rocksdb_options_statistics_get_ticker_count(). Returns 1, or 0 if there is
 * none of that name. */
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_hotrap_ticker(
    const char* name, uint32_t* ticker);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ROCKSDB_HOTRAP_C_H_ */

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Called when a column family gets a SuperVersion, when a DB closes, and when
// it is destroyed. REQUIRES, unless a comment says otherwise: DB mutex held.

#pragma once

#include <string>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class DBImpl;
class FileSystem;

class HotRapLifecycle {
 public:
  // The column family got a new SuperVersion: at DB::Open, when it was created,
  // or later. Applies changed options.
  static void OnSuperVersionInstalled(DBImpl* db, ColumnFamilyData* cfd);

  // The DB is about to close. Does nothing, except in the forced mode of tests
  // (HotRapForce). REQUIRES: DB mutex not held.
  static void BeforeClose(DBImpl* db);

  // The DB closes: ends HotRAP's jobs. Releases the mutex while it waits.
  static void StopJobs(DBImpl* db);

  // All background work has ended, including the compactions, which query RALT.
  // Flushes and closes RALT, and waits until the RALTs of dropped column
  // families are torn down. Releases the mutex while it waits.
  static void CloseRalt(DBImpl* db);

  // For DestroyDB: removes every RALT folder from a path. Needs no mutex.
  static void DestroyFolders(const std::string& path, FileSystem* fs);
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Compiles RocksDB's repair under another name, because RepairDB() itself is in
// repair_plan.cc. CMakeLists.txt substitutes this file for db/repair.cc.

#include "rocksdb/db.h"

#define RepairDB StockRepairDB
#include "db/repair.cc"
#undef RepairDB

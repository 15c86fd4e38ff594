//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// RocksDB's repair under another name, as RepairDB() itself is in
// repair_plan.cc. CMakeLists.txt puts this file in the place of db/repair.cc.

#include "rocksdb/db.h"

#define RepairDB StockRepairDB
#include "db/repair.cc"
#undef RepairDB

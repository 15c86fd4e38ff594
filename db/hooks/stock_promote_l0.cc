//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Compiles RocksDB's DBImpl::PromoteL0() under another name, because
// PromoteL0() itself is in promote_l0.cc. CMakeLists.txt substitutes this file
// for db/db_impl/db_impl_experimental.cc.

#include "db/db_impl/db_impl.h"

#define PromoteL0 StockPromoteL0
#include "db/db_impl/db_impl_experimental.cc"
#undef PromoteL0

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <memory>

#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {

// Sets *db to what open(&opened) opens, where `opened` is a
// std::unique_ptr<DB>, or to nullptr. The caller deletes it.
template <typename Function>
Status OpenBy(DB** db, const Function& open) {
  std::unique_ptr<DB> opened;
  const Status s = open(&opened);
  *db = opened.release();
  return s;
}

}  // namespace ROCKSDB_NAMESPACE

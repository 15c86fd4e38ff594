//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The kinds of operation that a workload is made of.

#pragma once

#include <cstddef>
#include <cstdint>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

enum class Operation : uint8_t {
  kRead,
  kInsert,
  kUpdate,
  kScan,
  kReadModifyWrite,
  kDelete,
};

constexpr size_t kOperationCount = 6;

inline const char* OperationName(Operation operation) {
  switch (operation) {
    case Operation::kRead:
      return "read";
    case Operation::kInsert:
      return "insert";
    case Operation::kUpdate:
      return "update";
    case Operation::kScan:
      return "scan";
    case Operation::kReadModifyWrite:
      return "read_modify_write";
    case Operation::kDelete:
      return "delete";
  }
  return "";
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

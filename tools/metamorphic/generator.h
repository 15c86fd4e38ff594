//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Generates the list of operations of a seed. Each seed has its own frequencies
// of verbs, number of keys, value sizes and hot keys. A seed gives the same
// list everywhere.

#pragma once

#include <cstdint>
#include <vector>

#include "plugin/hotrap/tools/metamorphic/operation.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

std::vector<Operation> GenerateOperations(uint64_t seed, int count);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

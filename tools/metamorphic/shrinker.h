//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Shrinks a failing list (delta debugging): leaves out pieces, large ones
// first, as long as the rest fails; then does the same with operations inside
// others.

#pragma once

#include <functional>
#include <vector>

#include "plugin/hotrap/tools/metamorphic/operation.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

// `fails` tells whether a list fails. It may miss failures, which only makes
// the result longer. Stops once `give_up` returns true.
std::vector<Operation> Shrink(
    std::vector<Operation> operations,
    const std::function<bool(const std::vector<Operation>&)>& fails,
    const std::function<bool()>& give_up);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

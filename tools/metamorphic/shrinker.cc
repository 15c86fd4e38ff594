//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/shrinker.h"

#include <algorithm>
#include <utility>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {

// Removes elements as long as `fails` holds for the rest. Returns whether any
// were removed.
bool LeaveOut(std::vector<Operation>* list,
              const std::function<bool(const std::vector<Operation>&)>& fails,
              const std::function<bool()>& give_up) {
  bool any = false;
  size_t piece = std::max<size_t>(1, list->size() / 2);
  while (!list->empty()) {
    // Start from the end, because an operation's effects come after it.
    for (size_t end = list->size(); end > 0 && !give_up();) {
      const size_t begin = end > piece ? end - piece : 0;
      std::vector<Operation> rest(list->begin(), list->begin() + begin);
      rest.insert(rest.end(), list->begin() + end, list->end());
      if (fails(rest)) {
        *list = std::move(rest);
        any = true;
      }
      end = begin;
    }
    if (piece == 1 || give_up()) {
      break;
    }
    piece = (piece + 1) / 2;
  }
  return any;
}

}  // namespace

std::vector<Operation> Shrink(
    std::vector<Operation> operations,
    const std::function<bool(const std::vector<Operation>&)>& fails,
    const std::function<bool()>& give_up) {
  bool any = true;
  while (any && !give_up()) {
    any = LeaveOut(&operations, fails, give_up);
    for (size_t i = 0; i < operations.size(); i++) {
      std::vector<Operation> parts = operations[i].parts;
      any |= LeaveOut(
          &parts,
          [&](const std::vector<Operation>& rest) {
            std::vector<Operation> trial = operations;
            trial[i].parts = rest;
            return fails(trial);
          },
          give_up);
      operations[i].parts = std::move(parts);
    }
  }
  return operations;
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

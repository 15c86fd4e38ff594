//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Computes the answers that a list of operations must give. Column families are
// maps in memory; snapshots and iterators are copies of them. Not thread-safe.

#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/metamorphic/answer.h"
#include "plugin/hotrap/tools/metamorphic/operation.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

// Copies share the entries, which never change.
using ModelMap = std::map<std::string, std::shared_ptr<const Columns>>;
using ModelState = std::array<ModelMap, kNumColumnFamilies>;

class Model {
 public:
  // The answer.
  std::string Run(const Operation& operation);

 private:
  struct HeldIterator {
    int cf = 0;
    ModelState state;
  };

  void Write(const Operation& write);
  void Ingest(const std::vector<Operation>& writes);
  void Merge(int cf, const std::string& key, const std::string& operand);
  std::string Walk(const Operation& operation) const;

  ModelState state_;
  std::map<int, ModelState> snapshots_;
  std::map<int, HeldIterator> iterators_;
};

std::vector<std::string> ModelAnswers(const std::vector<Operation>& operations);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

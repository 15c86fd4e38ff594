//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// One moment of a store, in memory or on disk, and the reads of a list as text:
// the same code asks both.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plugin/hotrap/tools/metamorphic/operation.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

struct KeyInFamily {
  int cf = 0;
  int key = 0;
};

class View {
 public:
  virtual ~View() = default;

  // Texts as in answer.h.
  virtual std::string Get(const KeyInFamily& key) = 0;
  virtual std::string GetEntity(const KeyInFamily& key) = 0;
  virtual std::vector<std::string> MultiGet(
      const std::vector<KeyInFamily>& keys) = 0;
  virtual std::vector<std::string> MultiGetEntity(
      const std::vector<KeyInFamily>& keys) = 0;
  // The entries of [begin, end), the last one first if `back`.
  virtual std::string Scan(int cf, int begin, int end, bool back) = 0;
};

// What a scan needs no bounds for.
inline bool IsWholeRange(int begin, int end) {
  return begin == 0 && end >= kNumKeys;
}

// The answer of a read, kGet to kCheck.
std::string ReadAnswer(const Operation& operation, View* view);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A view of a store at one moment, in memory or on disk, that returns the
// results of reads as text. The same code queries both.

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

  // Results are texts as in answer.h.
  virtual std::string Get(const KeyInFamily& key) = 0;
  virtual std::string GetEntity(const KeyInFamily& key) = 0;
  virtual std::vector<std::string> MultiGet(
      const std::vector<KeyInFamily>& keys) = 0;
  virtual std::vector<std::string> MultiGetEntity(
      const std::vector<KeyInFamily>& keys) = 0;
  // Returns the entries of [begin, end), in reverse order if `back`.
  virtual std::string Scan(int cf, int begin, int end, bool back) = 0;
};

// Returns whether a scan of the range needs no bounds.
inline bool IsWholeRange(int begin, int end) {
  return begin == 0 && end >= kNumKeys;
}

// The answer of a read, kGet to kCopy.
std::string ReadAnswer(const Operation& operation, View* view);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

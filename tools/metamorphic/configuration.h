//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The configurations under which the same list of operations is run. No
// configuration may change an answer.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/metamorphic/setup.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

// Whether records are promoted or retained in the course of a campaign.
enum class Moves { kNever, kPerhaps, kAlways };

struct Configuration {
  const char* name;
  const char* what;
  std::function<void(Setup*)> change;
  Moves moves = Moves::kAlways;
  // "mixed" chooses at most one configuration of each group, and never one
  // without a group.
  const char* group = nullptr;
  // Whether records are promoted while there is a compaction filter.
  bool promotes_with_filter = false;
};

const std::vector<Configuration>& AllConfigurations();
// Returns nullptr if there is no configuration of this name.
const Configuration* FindConfiguration(const std::string& name);

// Returns whether files in the folder can be opened for direct I/O. If not, the
// configuration "direct_io" is the same as "on".
bool SupportsDirectIo(const std::string& folder);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

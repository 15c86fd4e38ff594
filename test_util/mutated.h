//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Which guard is taken out of this process. scripts/mutation_check.py includes
// this at the head of the files that it edits in its copy of the tree: one
// build holds all the edits of test_util/mutations.toml, and a run chooses one.

#pragma once

#include <cstdlib>
#include <cstring>

// HOTRAP_MUTATION names one or several, each `id` between commas: ",a,b,".
// Thread safe.
inline bool HotRapMutated(const char* id) {
  static const char* const taken_out = std::getenv("HOTRAP_MUTATION");
  return taken_out != nullptr && std::strstr(taken_out, id) != nullptr;
}

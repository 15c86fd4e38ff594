//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tells which guards are removed in this process. scripts/mutation_check.py
// includes this file at the top of the files that it edits in its copy of the
// tree. One build contains all edits of test_util/mutations.toml, and each run
// selects one.

#pragma once

#include <cstdlib>
#include <cstring>

// HOTRAP_MUTATION names one or more ids, each between commas: ",a,b,".
// Thread-safe.
inline bool HotRapMutated(const char* id) {
  static const char* const taken_out = std::getenv("HOTRAP_MUTATION");
  return taken_out != nullptr && std::strstr(taken_out, id) != nullptr;
}

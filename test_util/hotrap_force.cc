//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/test_util/hotrap_force.h"

#if defined(NDEBUG) && defined(OS_LINUX)
#include <dlfcn.h>
#endif

#include <cstdlib>

#include "plugin/hotrap/test_util/forced_build.h"

namespace ROCKSDB_NAMESPACE {

namespace {

HotRapForce* Find() {
#ifndef NDEBUG
  return std::getenv("HOTRAP_FORCE") != nullptr ? LinkedForcedMode() : nullptr;
#elif defined(OS_LINUX)
  // nullptr in a set-uid program.
  if (secure_getenv("HOTRAP_FORCE") == nullptr) {
    return nullptr;
  }
  using Function = HotRapForce* (*)(const HotRapForceBuild*);
  const auto function =
      reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "hotrap_forced"));
  // An object of another build says so on stderr, and returns nullptr.
  const HotRapForceBuild build;
  return function != nullptr ? function(&build) : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace

HotRapForce* HotRapForce::Get() {
  static HotRapForce* const force = Find();
  return force;
}

}  // namespace ROCKSDB_NAMESPACE

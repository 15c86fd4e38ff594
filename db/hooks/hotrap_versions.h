//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tells the promotion cache what a version edit changes. Every change of a
// column family's files passes here. Does nothing with HotRAP off.

#pragma once

#include "rocksdb/rocksdb_namespace.h"
#include "util/autovector.h"

namespace ROCKSDB_NAMESPACE {

class Version;
class VersionEdit;

class HotRapVersions {
 public:
  // `next` is about to become the current version through `edits`, which may
  // include edits of other column families.
  // REQUIRES: DB mutex held
  static void BeforeVersionInstall(const autovector<VersionEdit*>& edits,
                                   Version* next);
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What a compilation has of HotRapForce::Build. Included by the seam in the
// library and by the preload object.

#pragma once

#include "plugin/hotrap/ralt/ralt_options.h"
#include "plugin/hotrap/test_util/hotrap_force.h"
#include "rocksdb/options.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

inline HotRapForce::Build ThisBuild() {
  return {HotRapForce::Build::kVersion,
          {ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH},
          sizeof(ColumnFamilyOptions),
          sizeof(RaltOptions)};
}

}  // namespace ROCKSDB_NAMESPACE

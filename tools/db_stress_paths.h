//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Included in front of db_stress_test_base.cc by the compiler's command line:
// the listener of db_stress asserts that every table lies in a folder that
// db_stress has chosen, and is told of the slow tier that HotRapForce adds. It
// asserts, too, that no two tables have one unique ID: a table that was moved
// is the same one.
// DbStressListener is complete here, so that the macro meets its use only.

#pragma once

#ifdef GFLAGS

#include "db_stress_tool/db_stress_listener.h"
#include "plugin/hotrap/db/hotrap_force.h"

namespace ROCKSDB_NAMESPACE {
class HotRapStressListener : public DbStressListener {
 public:
  using DbStressListener::DbStressListener;

  void OnTableFileCreationStarted(
      const TableFileCreationBriefInfo& info) override {
    if (info.reason != TableFileCreationReason::kMisc) {
      DbStressListener::OnTableFileCreationStarted(info);
    }
  }
  void OnTableFileCreated(const TableFileCreationInfo& info) override {
    if (info.reason != TableFileCreationReason::kMisc) {
      DbStressListener::OnTableFileCreated(info);
    }
  }
};
}  // namespace ROCKSDB_NAMESPACE

#define DbStressListener(db_name, db_paths, ...)                              \
  HotRapStressListener(db_name, HotRapForce::WithSlowPath(db_name, db_paths), \
                       __VA_ARGS__)

#endif

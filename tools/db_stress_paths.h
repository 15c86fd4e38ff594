//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Included before db_stress_test_base.cc by the compiler's command line. The
// listener of db_stress asserts that every table lies in a folder chosen by
// db_stress, so it must know the slow tier that HotRapForce adds. It also
// asserts that unique IDs of tables are unique, but a relocated table keeps its
// ID. DbStressListener is fully defined here, so that the macro affects only
// its use.

#pragma once

#ifdef GFLAGS

#include "db_stress_tool/db_stress_listener.h"
#include "plugin/hotrap/test_util/hotrap_force.h"

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

#define DbStressListener(db_name, db_paths, ...)                \
  HotRapStressListener(                                         \
      db_name,                                                  \
      HotRapForce::Get() != nullptr                             \
          ? HotRapForce::Get()->WithSlowPath(db_name, db_paths) \
          : db_paths,                                           \
      __VA_ARGS__)

#endif

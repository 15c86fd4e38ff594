//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Included in front of db_stress_test_base.cc by the compiler's command line:
// the listener of db_stress asserts that every table lies in a folder that
// db_stress has chosen, and is told of the slow tier that HotRapForce adds.
// DbStressListener is complete here, so that the macro meets its use only.

#pragma once

#ifdef GFLAGS

#include "db_stress_tool/db_stress_listener.h"
#include "plugin/hotrap/db/hotrap_force.h"

#define DbStressListener(db_name, db_paths, ...)                          \
  DbStressListener(db_name, HotRapForce::WithSlowPath(db_name, db_paths), \
                   __VA_ARGS__)

#endif

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// For DB::Open, DestroyDB and readers of the MANIFEST: the folders that a DB
// uses, and where its tables lie.

#pragma once

#include "plugin/hotrap/db/paths/destroy_plan.h"
#include "plugin/hotrap/db/paths/known_paths.h"
#include "plugin/hotrap/db/paths/table_search.h"

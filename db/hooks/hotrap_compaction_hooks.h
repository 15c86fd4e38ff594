//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// For Compaction, CompactionPicker and CompactionJob: HotRAP's part in a
// compaction, and in each of its subcompactions.

#pragma once

#include "plugin/hotrap/db/compaction/hotrap_compaction.h"
#include "plugin/hotrap/db/compaction/hotrap_subcompactions.h"

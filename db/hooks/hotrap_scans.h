//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// For MergingIterator: two levels may hold one internal key.

#pragma once

#include "plugin/hotrap/table/merging_heap.h"

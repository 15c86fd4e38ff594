//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// For DBImpl::DeleteFilesInRanges: promoted copies go with their originals.

#pragma once

#include "plugin/hotrap/db/copies/copy_removal.h"

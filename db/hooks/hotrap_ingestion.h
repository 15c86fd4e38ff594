//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// For ExternalSstFileIngestionJob: the path of a table that will be ingested.

#pragma once

#include "plugin/hotrap/db/placement/ingestion_path.h"

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Operations that change no answer: flushes, compactions, HotRAP's options.

#pragma once

#include <string>
#include <vector>

#include "plugin/hotrap/tools/metamorphic/configuration.h"
#include "plugin/hotrap/tools/metamorphic/operation.h"
#include "rocksdb/db.h"
#include "rocksdb/hotrap.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

Status FlushAll(DB* db, const std::vector<ColumnFamilyHandle*>& handles);
// kCompactRange and kCompactFiles.
Status CompactPart(const Operation& operation, DB* db,
                   ColumnFamilyHandle* handle);
Status CompactSomeFiles(const Operation& operation, DB* db,
                        ColumnFamilyHandle* handle);
// The answer of these two. Their status depends on what else is running.
std::string CompactionAnswer(const Status& s);

// Does nothing if HotRAP is not `configured`.
Status SetHotRap(HotRapMode mode, const HotRapOptions& configured, DB* db,
                 const std::vector<ColumnFamilyHandle*>& handles);
// Waits for background work to end. TimedOut names what is still to do.
Status WaitForRest(DB* db, const std::vector<ColumnFamilyHandle*>& handles,
                   const CompactionReasons& compactions);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

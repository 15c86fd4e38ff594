//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Options and answer of the property "rocksdb.hotrap.heat".
//
// Thread safety: any thread.

#pragma once

#include <string>

#include "plugin/hotrap/ralt/heat/heat_survey.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

struct HeatReportOptions {
  HeatOptions heat;
  // How keys and prefixes are shown: "text", with \x.. for bytes that cannot be
  // printed; "hex"; or "hidden", as a hash, for what others may read.
  std::string keys = "text";
};

// Parses what follows the property's name: nothing, or an options string in
// which all are optional: ".{prefix_bytes=4;delimiter=:;top=20;keys=hex;}".
Status ParseHeatOptions(const Slice& text, HeatReportOptions* options);

// As `keys` says.
std::string ShowKey(const Slice& key, const std::string& keys);

// The answer as JSON. `share_of_db`: the column family's share of the accesses
// of all column families.
std::string HeatJson(const HeatSurvey& survey, const HeatReportOptions& options,
                     double share_of_db);

}  // namespace ROCKSDB_NAMESPACE

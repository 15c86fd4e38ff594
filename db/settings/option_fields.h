//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The fields of the option group "hotrap={...}" as text: names, sizes with K,
// M, G and T, and errors that say what would be right.
//
// Thread safety: any thread.

#pragma once

#include <string>
#include <unordered_map>

#include "rocksdb/hotrap.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/options_type.h"

namespace ROCKSDB_NAMESPACE {

// The value of HotRapOptions::source for what the program gave as a string.
inline constexpr char kSourceProgram[] = "program";
// What the values of HotRapOptions::source for the environment begin with.
inline constexpr char kSourceEnvironment[] = "ROCKSDB_HOTRAP";

bool IsFromEnvironment(const HotRapOptions& options);

// Returns whether the program has left all fields as they are. What an earlier
// DB took from the environment is not the program's.
bool IsLeftToTheEnvironment(const HotRapOptions& options);

// The fields by name.
const std::unordered_map<std::string, OptionTypeInfo>& HotRapFields();

// Parses the whole group (`name` is "hotrap") or one field of it ("hotrap.x",
// or "x"), and sets `source`. Changes nothing if it fails.
Status ParseHotRapGroup(const ConfigOptions& config_options,
                        const std::string& name, const std::string& value,
                        HotRapOptions* options);

// Returns InvalidArgument if a value is out of range, whatever the other
// options are.
Status ValidateHotRapFields(const HotRapOptions& options);

}  // namespace ROCKSDB_NAMESPACE

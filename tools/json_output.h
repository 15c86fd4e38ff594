//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Prints JSON as such, or as text.
//
// Thread safety: any thread.

#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// Keeps the order of insertion.
using Json = nlohmann::ordered_json;

// Prints an object: indented JSON, or "name: value" lines, and lists with one
// item per line.
void PrintJson(const Json& object, bool as_text, std::ostream* out);

}  // namespace ROCKSDB_NAMESPACE

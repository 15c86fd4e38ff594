//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Reads a CSV file row by row with libcsv.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// Gets one row; returns true to go on, false to stop reading.
using CsvRowFunction = std::function<bool(const std::vector<std::string>& row)>;

// Calls `on_row` for each row of the file. IOError if it cannot be read,
// Corruption if it is not CSV.
Status ForEachCsvRow(const std::string& path, const CsvRowFunction& on_row);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

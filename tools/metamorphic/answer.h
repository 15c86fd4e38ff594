//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Converts the numbers in operations to keys and values, and results to text.
// The text of a value is short: its beginning, its length and a hash.

#pragma once

#include <map>
#include <string>

#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/wide_columns.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

// Columns by name. A plain value is a single column with an empty name.
using Columns = std::map<std::string, std::string>;

std::string KeyOf(int key);
std::string ValueOf(int value, int bytes);
// Returns one to three columns of `bytes` bytes in total. The default column,
// with the empty name, which plain reads return, is sometimes missing.
Columns EntityOf(int value, int bytes);
// Points into `columns`.
WideColumns AsWideColumns(const Columns& columns);

// A compaction filter appends this to values. Answers omit it.
constexpr char kFilterMark = '\x01';

std::string ShortText(const Slice& marked_value);
// The answer of a read: the value, or the status.
std::string ReadText(const Status& s, const Slice& value);
// The answer of an entity read: all columns.
std::string ColumnsText(const WideColumns& columns);
// The current entry of an iterator: "key=value", and the columns of an entity.
std::string EntryText(const Slice& key, const Slice& value,
                      const WideColumns& columns);

constexpr char kNotFound[] = "NotFound";
// The answer of an operation without a result.
constexpr char kDone[] = "ok";
// The answer of an operation that refers to a missing snapshot or iterator.
constexpr char kNothing[] = "nothing";

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Keys and values as operations name them, and what is found as text. The text
// of a value is short: its beginning, its length and a hash.

#pragma once

#include <map>
#include <string>

#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/wide_columns.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

// By name. A plain value is one column, whose name is empty.
using Columns = std::map<std::string, std::string>;

std::string KeyOf(int key);
std::string ValueOf(int value, int bytes);
// One to three columns of these bytes in all; without the empty name now and
// then, which is what plain reads ask for.
Columns EntityOf(int value, int bytes);
// Points into `columns`.
WideColumns AsWideColumns(const Columns& columns);

// What a compaction filter puts at the end of values. Answers leave it out.
constexpr char kFilterMark = '\x01';

std::string ShortText(const Slice& marked_value);
// A read's answer: the value, or what the status says.
std::string ReadText(const Status& s, const Slice& value);
// An entity's answer: every column.
std::string ColumnsText(const WideColumns& columns);
// What an iterator stands on: "key=value", and the columns of an entity.
std::string EntryText(const Slice& key, const Slice& value,
                      const WideColumns& columns);

constexpr char kNotFound[] = "NotFound";
// Of an operation without a result.
constexpr char kDone[] = "ok";
// Of one that refers to a snapshot or an iterator that isn't there.
constexpr char kNothing[] = "nothing";

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/csv_file.h"

#include <csv.h>

#include <array>
#include <fstream>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

constexpr size_t kReadBytes = size_t{1} << 16;

// What the C callbacks of libcsv collect.
struct Collector {
  const CsvRowFunction* on_row = nullptr;
  std::vector<std::string> row;
  bool stopped = false;
};

void OnField(void* data, size_t length, void* collector) {
  static_cast<Collector*>(collector)->row.emplace_back(
      static_cast<const char*>(data), length);
}

void OnRow(int /*terminator*/, void* argument) {
  auto* const collector = static_cast<Collector*>(argument);
  if (!collector->stopped) {
    collector->stopped = !(*collector->on_row)(collector->row);
  }
  collector->row.clear();
}

}  // namespace

Status ForEachCsvRow(const std::string& path, const CsvRowFunction& on_row) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Status::IOError("cannot open", path);
  }
  csv_parser parser;
  if (csv_init(&parser, CSV_APPEND_NULL) != 0) {
    return Status::Aborted("libcsv does not start");
  }
  Collector collector;
  collector.on_row = &on_row;
  Status s;
  std::array<char, kReadBytes> buffer;
  while (s.ok() && !collector.stopped && file) {
    file.read(buffer.data(), buffer.size());
    const size_t bytes = static_cast<size_t>(file.gcount());
    if (csv_parse(&parser, buffer.data(), bytes, OnField, OnRow, &collector) !=
        bytes) {
      s = Status::Corruption(path, csv_strerror(csv_error(&parser)));
    }
  }
  if (s.ok() && file.bad()) {
    s = Status::IOError("cannot read", path);
  }
  if (s.ok() && csv_fini(&parser, OnField, OnRow, &collector) != 0) {
    s = Status::Corruption(path, csv_strerror(csv_error(&parser)));
  }
  csv_free(&parser);
  return s;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

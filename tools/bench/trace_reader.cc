//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/trace_reader.h"

#include <charconv>
#include <fstream>
#include <vector>

#include "plugin/hotrap/tools/bench/csv_file.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

constexpr size_t kBlockKeyDigits = 20;

template <typename Number>
bool ParseNumber(const std::string& text, Number* number) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, *number);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

// Calls `parse_row` for each row and adds the line number to its errors.
Status ReadRows(
    const std::string& path, bool has_heading,
    const TraceReaderOptions& options, Trace* trace,
    const std::function<bool(const std::vector<std::string>& row)>& parse_row) {
  uint64_t line = 0;
  Status row_status;
  Status s = ForEachCsvRow(path, [&](const std::vector<std::string>& row) {
    ++line;
    if (has_heading && line == 1) {
      return true;
    }
    if (!parse_row(row)) {
      row_status = Status::Corruption(
          path, "line " + std::to_string(line) + " is not a trace request");
      return false;
    }
    return options.max_requests == 0 ||
           trace->requests().size() < options.max_requests;
  });
  if (s.ok()) {
    s = row_status;
  }
  if (s.ok() && trace->requests().empty()) {
    s = Status::Corruption(path, "no request in it");
  }
  return s;
}

}  // namespace

Status ReadCloudPhysicsTrace(const std::string& path,
                             const TraceReaderOptions& options, Trace* trace) {
  constexpr size_t kColumns = 5;
  constexpr size_t kOperationColumn = 2;
  constexpr size_t kSizeColumn = 3;
  constexpr size_t kBlockColumn = 4;
  return ReadRows(
      path, /*has_heading=*/true, options, trace,
      [&](const std::vector<std::string>& row) {
        uint32_t value_bytes = 0;
        uint64_t block = 0;
        if (row.size() != kColumns ||
            !ParseNumber(row[kSizeColumn], &value_bytes) ||
            !ParseNumber(row[kBlockColumn], &block)) {
          return false;
        }
        const std::string& code = row[kOperationColumn];
        if (code != "28" && code != "2a") {
          return false;
        }
        std::string key = std::to_string(block);
        key.insert(0, kBlockKeyDigits - key.size(), '0');
        trace->Add(key, code == "28" ? Operation::kRead : Operation::kUpdate,
                   value_bytes / options.value_divisor);
        return true;
      });
}

Status ReadTwitterTrace(const std::string& path,
                        const TraceReaderOptions& options, Trace* trace) {
  constexpr size_t kColumns = 7;
  constexpr size_t kKeyColumn = 1;
  constexpr size_t kValueBytesColumn = 3;
  constexpr size_t kOperationColumn = 5;
  return ReadRows(path, /*has_heading=*/false, options, trace,
                  [&](const std::vector<std::string>& row) {
                    uint32_t value_bytes = 0;
                    if (row.size() != kColumns ||
                        !ParseNumber(row[kValueBytesColumn], &value_bytes)) {
                      return false;
                    }
                    Operation operation = Operation::kUpdate;
                    const std::string& name = row[kOperationColumn];
                    if (name == "get" || name == "gets") {
                      operation = Operation::kRead;
                    } else if (name == "delete") {
                      operation = Operation::kDelete;
                    }
                    trace->Add(row[kKeyColumn], operation,
                               value_bytes / options.value_divisor);
                    return true;
                  });
}

Status WriteTwitterTrace(const Trace& trace, const std::string& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  uint64_t timestamp_secs = 0;
  for (const TraceRequest& request : trace.requests()) {
    const char* name = "set";
    if (request.operation == Operation::kRead) {
      name = "get";
    } else if (request.operation == Operation::kDelete) {
      name = "delete";
    }
    const std::string& key = trace.key(request.key_id);
    file << timestamp_secs++ << ',' << key << ',' << key.size() << ','
         << request.value_bytes << ",0," << name << ",0\n";
  }
  file.close();
  return file ? Status::OK() : Status::IOError("cannot write", path);
}

Status ReadTrace(const std::string& format, const std::string& path,
                 const TraceReaderOptions& options, Trace* trace) {
  if (format == "cloudphysics") {
    return ReadCloudPhysicsTrace(path, options, trace);
  }
  if (format == "twitter") {
    return ReadTwitterTrace(path, options, trace);
  }
  return Status::InvalidArgument("unknown trace format (cloudphysics, twitter)",
                                 format);
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The names in db_bench's --benchmarks as a stream that is read one name at a
// time, which tells when a benchmark has ended: db_bench asks for the next name
// then.
//
// Thread safety: none.

#pragma once

#include <functional>
#include <sstream>
#include <streambuf>
#include <string>
#include <utility>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class BenchmarkNames : public std::streambuf {
 public:
  // Calls `ended` with the name of each benchmark that has run.
  BenchmarkNames(const std::string& names,
                 std::function<void(const std::string&)> ended)
      : names_(names), ended_(std::move(ended)) {}

 protected:
  int_type underflow() override {
    if (!name_.empty()) {
      ended_(name_);
    }
    if (!std::getline(names_, name_, ',')) {
      name_.clear();
      return traits_type::eof();
    }
    // Names end in a comma, so that the last one is not read to the end.
    text_ = name_ + ",";
    setg(text_.data(), text_.data(), text_.data() + text_.size());
    return traits_type::to_int_type(text_.front());
  }

 private:
  std::istringstream names_;
  const std::function<void(const std::string&)> ended_;
  std::string name_;
  std::string text_;
};

}  // namespace ROCKSDB_NAMESPACE

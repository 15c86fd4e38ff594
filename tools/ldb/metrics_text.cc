//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ldb/metrics_text.h"

#include <cstdio>

namespace ROCKSDB_NAMESPACE {

namespace {

// As a value of a label.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') {
      quoted += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') {
      quoted.push_back('\\');
    }
    quoted.push_back(c);
  }
  return quoted + "\"";
}

}  // namespace

void MetricsText::Add(const std::string& name, const std::string& meaning,
                      const std::string& column_family, double value,
                      const std::map<std::string, std::string>& labels) {
  Metric& metric = metrics_["rocksdb_hotrap_" + name];
  metric.meaning = meaning;
  std::string sample =
      "{db=" + Quoted(db_) + ",column_family=" + Quoted(column_family);
  for (const auto& [label, text] : labels) {
    sample += "," + label + "=" + Quoted(text);
  }
  char number[32];
  snprintf(number, sizeof(number), "%.17g", value);
  metric.samples.push_back(sample + "} " + number);
}

std::string MetricsText::ToString() const {
  std::string text;
  for (const auto& [name, metric] : metrics_) {
    text += "# HELP " + name + " " + metric.meaning + "\n# TYPE " + name +
            " gauge\n";
    for (const std::string& sample : metric.samples) {
      text += name + sample + "\n";
    }
  }
  return text;
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/ghost_filter.h"

#include <cinttypes>
#include <cstdio>

#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {
constexpr char kPrefix[] = "ghost|";
constexpr size_t kPrefixBytes = sizeof(kPrefix) - 1;
constexpr size_t kTimeDigits = 8;
constexpr size_t kValueBytes = 100;
}  // namespace

std::string GhostFilter::Value(Fate fate, uint64_t time, uint64_t number) {
  char text[64];
  snprintf(text, sizeof(text), "%s%c%08" PRIu64 "|%" PRIu64, kPrefix,
           static_cast<char>(fate), time, number);
  std::string value = text;
  value.resize(kValueBytes, '.');
  return value;
}

std::string GhostFilter::Changed(const std::string& value) {
  return "changed|" + value;
}

class GhostFilter::Filter : public CompactionFilter {
 public:
  Filter(GhostFilter* ghosts, bool checks_order)
      : ghosts_(ghosts), checks_order_(checks_order) {}

  const char* Name() const override { return "GhostFilter"; }

  Decision FilterV2(int /*level*/, const Slice& key, ValueType type,
                    const Slice& value, std::string* new_value,
                    std::string* skip_until) const override {
    if (checks_order_) {
      if (key.compare(last_key_) < 0) {
        ghosts_->in_order_.store(false, std::memory_order_relaxed);
      }
      last_key_ = key.ToString();
    }
    if (type != ValueType::kValue || !value.starts_with(kPrefix)) {
      return Decision::kKeep;
    }
    const std::string text = value.ToString();
    if (ParseUint64(text.substr(kPrefixBytes + 1, kTimeDigits)) >
        ghosts_->now()) {
      return Decision::kKeep;
    }
    switch (static_cast<Fate>(text[kPrefixBytes])) {
      case Fate::kStays:
        return Decision::kKeep;
      case Fate::kRemoved:
        return Decision::kRemove;
      case Fate::kChanged:
        *new_value = Changed(text);
        return Decision::kChangeValue;
      case Fate::kPurged:
        return Decision::kPurge;
      case Fate::kSkipped:
        *skip_until = ghosts_->skip_until_;
        return Decision::kRemoveAndSkipUntil;
    }
    return Decision::kKeep;
  }

 private:
  GhostFilter* const ghosts_;
  const bool checks_order_;
  mutable std::string last_key_;
};

class GhostFilter::Factory : public CompactionFilterFactory {
 public:
  explicit Factory(GhostFilter* ghosts) : ghosts_(ghosts) {}

  const char* Name() const override { return "GhostFilterFactory"; }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context&) override {
    return std::make_unique<Filter>(ghosts_, /*checks_order=*/true);
  }

 private:
  GhostFilter* const ghosts_;
};

std::unique_ptr<CompactionFilter> GhostFilter::NewFilter() {
  return std::make_unique<Filter>(this, /*checks_order=*/false);
}

std::shared_ptr<CompactionFilterFactory> GhostFilter::NewFactory() {
  return std::make_shared<Factory>(this);
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What the property "rocksdb.hotrap.stats" is made of. Each part adds its
// figures; only those that are asked for are computed.
//
// Thread safety: none.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>

#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

class Figures {
 public:
  // Collects all of them.
  Figures() = default;
  // Collects the one of this name, which must outlive this object.
  explicit Figures(const Slice& only) : only_(only) {}

  // Whether figures that begin with `prefix` are asked for: for parts that
  // compute many figures together.
  bool Wants(const Slice& prefix) const {
    return !only_.has_value() || only_->starts_with(prefix);
  }

  // Adds what `get` returns: a text, a real or a whole number, or a flag. Calls
  // it only if the figure is asked for.
  template <typename Get>
  void Add(const Slice& name, const Get& get) {
    if (only_.has_value() && *only_ != name) {
      return;
    }
    using Value = std::decay_t<decltype(get())>;
    if constexpr (std::is_integral_v<Value>) {
      number_ = static_cast<uint64_t>(get());
      values_[name.ToString()] = std::to_string(number_.value());
    } else if constexpr (std::is_floating_point_v<Value>) {
      values_[name.ToString()] = std::to_string(get());
    } else {
      values_[name.ToString()] = get();
    }
  }

  const std::map<std::string, std::string>& values() const { return values_; }
  // The figure that was asked for, if it is a whole number.
  std::optional<uint64_t> number() const {
    return only_.has_value() ? number_ : std::nullopt;
  }

 private:
  const std::optional<Slice> only_;
  std::optional<uint64_t> number_;
  std::map<std::string, std::string> values_;
};

}  // namespace ROCKSDB_NAMESPACE

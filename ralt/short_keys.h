//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Bounds of runs and blocks: keys, and what stands for a long one. Else an
// index of keys of 64 KiB were as large as the data.
//
// Thread safety: plain functions.

#pragma once

#include <algorithm>
#include <string>

#include "plugin/hotrap/ralt/key_order.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Keys up to this length stay as they are: bounds that are keys make
// HotBytes() exact where a range begins at one.
constexpr size_t kShortKeyBytes = 64;

// A key in (above, key], as short as the comparator makes it.
// REQUIRES: above < key
inline std::string ShortLowerBound(const KeyOrder& order, const Slice& above,
                                   const Slice& key) {
  if (key.size() <= kShortKeyBytes) {
    return key.ToString();
  }
  if (order.is_bytewise()) {
    const size_t differs = key.difference_offset(above);
    return std::string(
        key.data(),
        std::min(key.size(), std::max(differs + 1, kShortKeyBytes)));
  }
  std::string bound = above.ToString();
  order.comparator()->FindShortestSeparator(&bound, key);
  return bound.size() < key.size() && order.Less(above, bound) &&
                 order.Less(bound, key)
             ? bound
             : key.ToString();
}

// A key <= this one where nothing is known of those below.
inline std::string ShortLowerBound(const KeyOrder& order, const Slice& key) {
  return order.is_bytewise() && key.size() > kShortKeyBytes
             ? std::string(key.data(), kShortKeyBytes)
             : key.ToString();
}

// The least key of so many bytes that is above all that begin with the same as
// this one; empty where there is none.
inline std::string AfterPrefix(const Slice& key, size_t bytes) {
  std::string bound(key.data(), bytes);
  while (!bound.empty() && bound.back() == '\xff') {
    bound.pop_back();
  }
  if (!bound.empty()) {
    ++bound.back();
  }
  return bound;
}

// A key in [key, below), or >= key where nothing is known of those above it.
// REQUIRES: key < *below
inline std::string ShortUpperBound(const KeyOrder& order, const Slice& key,
                                   const Slice* below) {
  const auto usable = [&](const std::string& bound) {
    return !bound.empty() && bound.size() < key.size() &&
           order.Less(key, bound) &&
           (below == nullptr || order.Less(bound, *below));
  };
  if (order.is_bytewise() && key.size() > kShortKeyBytes) {
    const size_t differs = below == nullptr ? 0 : key.difference_offset(*below);
    std::string bound = AfterPrefix(
        key, std::min(key.size(), std::max(differs + 1, kShortKeyBytes)));
    if (usable(bound)) {
      return bound;
    }
  }
  std::string bound = key.ToString();
  if (key.size() > kShortKeyBytes) {
    if (below != nullptr) {
      order.comparator()->FindShortestSeparator(&bound, *below);
    } else {
      order.comparator()->FindShortSuccessor(&bound);
    }
  }
  return usable(bound) ? bound : key.ToString();
}

}  // namespace ROCKSDB_NAMESPACE::ralt

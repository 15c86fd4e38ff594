//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Short bounds of runs and blocks, as replacements for long keys. Without them,
// an index of 64 KiB keys would be as large as the data.
//
// Thread safety: plain functions.

#pragma once

#include <algorithm>
#include <string>

#include "plugin/hotrap/ralt/access/key_order.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Keys up to this length are not shortened. Bounds that are keys make
// HotBytes() exact for ranges that begin at such a key.
constexpr size_t kShortKeyBytes = 64;

// Returns a key in (above, key], as short as the comparator can make it.
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

// Returns a key <= `key`, if nothing is known about smaller keys.
inline std::string ShortLowerBound(const KeyOrder& order, const Slice& key) {
  return order.is_bytewise() && key.size() > kShortKeyBytes
             ? std::string(key.data(), kShortKeyBytes)
             : key.ToString();
}

// Returns the smallest key of at most `bytes` bytes that is above all keys with
// the same first `bytes` bytes as `key`; empty if there is none.
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

// Returns a key in [key, *below), or a key >= `key` if `below` is nullptr.
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

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The mapping between key ids (0, 1, 2, ...: dense, what distributions draw
// and what the verifier's arrays are indexed by) and the keys in the DB.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// Constant after construction; safe to share between threads.
class KeySpace {
 public:
  virtual ~KeySpace() = default;

  virtual void KeyOf(uint64_t id, std::string* key) const = 0;

  // Returns false if no id has this key.
  virtual bool IdOf(const Slice& key, uint64_t* id) const = 0;

  // The ids [0, count) in the order of their keys, by which the DB stores them.
  virtual std::vector<uint64_t> IdsInKeyOrder(uint64_t count) const = 0;
};

// Keys of a fixed length: a constant prefix and 16 hexadecimal digits of id *
// kMultiplier mod 2^64. Multiplication by an odd number is a bijection, so keys
// are unique, and consecutive ids are far apart. Loads and inserts thus come in
// random key order, as with YCSB's hashed keys.
class SyntheticKeySpace : public KeySpace {
 public:
  static constexpr size_t kMinKeyBytes = 16;

  // REQUIRES: key_bytes >= kMinKeyBytes
  explicit SyntheticKeySpace(size_t key_bytes);

  void KeyOf(uint64_t id, std::string* key) const override;
  bool IdOf(const Slice& key, uint64_t* id) const override;
  std::vector<uint64_t> IdsInKeyOrder(uint64_t count) const override;

 private:
  // Constant after construction.
  const std::string prefix_;
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

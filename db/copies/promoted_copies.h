//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The table property that names the promoted copies in a table.
//
// A promoted copy has the internal key of its original, which stays on the slow
// tier. Compactions must not mistake the copy for the only record with that
// key. So each table that may hold copies names them in a user property: a
// count, and a Bloom filter over (user key, sequence number) and (user key, any
// number): a compaction may set the number of an original to 0. Tables without
// the property hold no copies. A stock RocksDB keeps the property in tables
// that it moves, and omits it from tables that it writes.
//
// Thread safety: const members may be called from any thread.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/dbformat.h"
#include "rocksdb/slice.h"
#include "rocksdb/table_properties.h"

namespace ROCKSDB_NAMESPACE {

// Name of the property. Its value, version 2:
//   1 byte    version
//   varint64  count
//   1 byte    probes of the filter
//   the rest  the filter's bits, a multiple of 64 bytes
constexpr char kPromotedCopiesProperty[] = "hotrap.promoted.copies";

// Points into the property, which must outlive it.
class PromotedCopies {
 public:
  // None.
  PromotedCopies() = default;

  // Returns the copies of a table with these properties. If the property cannot
  // be parsed, any record may be a copy.
  static PromotedCopies In(const TableProperties& properties);
  // For a table about which nothing is known: any record may be a copy.
  static PromotedCopies Unknown();

  // The number of copies; 1 if it is unknown.
  uint64_t count() const { return count_; }
  // Stands for any sequence number.
  static constexpr SequenceNumber kAnySeq = kMaxSequenceNumber;

  // Returns whether the record may be a copy. No false negatives; about 1 in
  // 2,000 false positives.
  bool MayContain(const Slice& user_key, SequenceNumber seq) const;

 private:
  uint64_t count_ = 0;
  int num_probes_ = 0;
  Slice filter_;  // if empty, every record
};

// Collects the copies in a table that is being built.
class PromotedCopiesBuilder {
 public:
  void Add(const Slice& user_key, SequenceNumber seq);
  uint64_t count() const { return hashes_.size() / 2; }
  // Returns the property's value. REQUIRES: count() > 0
  std::string Finish() const;

 private:
  std::vector<uint64_t> hashes_;  // two of each copy
};

}  // namespace ROCKSDB_NAMESPACE

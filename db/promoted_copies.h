//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What a table says of the promoted copies in it.
//
// A promoted copy has the internal key of its original, which stays where it
// was in the slow tier. Compactions must not take it for the only record with
// that key, so each table that may hold copies names them: in a user property,
// as a count and a Bloom filter over (user key, sequence number). Tables
// without the property have none. A stock RocksDB keeps the property in tables
// that it moves, and leaves it out of those that it writes.
//
// Thread safety: const members from any thread.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/dbformat.h"
#include "rocksdb/slice.h"
#include "rocksdb/table_properties.h"

namespace ROCKSDB_NAMESPACE {

// Name of the property. Its value, version 1:
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

  // Of a table with these properties. A property that cannot be read counts as
  // one that names every record.
  static PromotedCopies In(const TableProperties& properties);
  // Of a table of which nothing is known: any record may be a copy.
  static PromotedCopies Unknown();

  // How many there are; 1 where it is not known.
  uint64_t count() const { return count_; }
  // Whether the record may be a copy: no false negative, and one false positive
  // in some 2,000.
  bool MayContain(const Slice& user_key, SequenceNumber seq) const;

 private:
  uint64_t count_ = 0;
  int num_probes_ = 0;
  Slice filter_;  // empty: every record
};

// Gathers the copies of a table that is being built.
class PromotedCopiesBuilder {
 public:
  void Add(const Slice& user_key, SequenceNumber seq);
  uint64_t count() const { return hashes_.size(); }
  // The property's value. REQUIRES: count() > 0
  std::string Finish() const;

 private:
  std::vector<uint64_t> hashes_;
};

}  // namespace ROCKSDB_NAMESPACE

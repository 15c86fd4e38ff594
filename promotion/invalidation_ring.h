//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Remembers which key ranges the last version edits changed, so that a record
// read from an older version is not taken for current. Where it has forgotten
// too much it refuses a record, which then is read once more.
//
// Thread safe. Versions are pushed in the order in which they are installed.

#pragma once

#include <deque>
#include <string>

#include "port/port.h"
#include "rocksdb/comparator.h"
#include "rocksdb/slice.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

class InvalidationRing {
 public:
  enum Kind {
    // The newest version in the slow tier may have changed for keys in range.
    kSlowTierChanged,
    // A file came into the fast tier past the memtables: newer versions of the
    // keys in range may be there.
    kFastTierAdded,
  };

  struct Entry {
    uint64_t version_number;
    Kind kind;
    std::string smallest;  // user keys, both inclusive
    std::string largest;
  };

  explicit InvalidationRing(const Comparator* ucmp) : ucmp_(ucmp) {}

  // The version `version_number` changes the range.
  void Push(Entry entry);

  // What happened up to the version `version_number` was not pushed here.
  void Forget(uint64_t version_number);

  // Whether the slow tier may have changed for the key after the version
  // `version_number`, which a read saw, or, with `fast_too`, the fast tier past
  // the memtables. Also true when the ring has forgotten too much to tell.
  bool ChangedSince(uint64_t version_number, const Slice& user_key,
                    bool fast_too) const;

 private:
  // Crossing compactions come at a few a second at most, a read takes seconds
  // at most. What is promoted is watched over by TakenRecords, which forgets
  // nothing.
  static constexpr size_t kCapacity = 512;

  const Comparator* const ucmp_;
  mutable port::Mutex mutex_;
  std::deque<Entry> entries_;      // oldest first
  uint64_t newest_forgotten_ = 0;  // version number
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Remembers the key ranges that the latest version edits changed, so that a
// record read from an older version is not mistaken for current. If the ring
// has forgotten an edit that a record depends on, it refuses the record, which
// is admitted on a later read.
//
// Thread-safe. Versions are pushed in the order of their installation.

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
    // The newest version on the slow tier may have changed for keys in the
    // range.
    kSlowTierChanged,
    // A file entered the fast tier without passing through a memtable, and may
    // hold newer versions of keys in the range.
    kFastTierAdded,
  };

  struct Entry {
    uint64_t version_number;
    Kind kind;
    std::string smallest;  // user keys, both inclusive
    std::string largest;
  };

  explicit InvalidationRing(const Comparator* ucmp) : ucmp_(ucmp) {}

  // Records that a version changes a key range.
  void Push(Entry entry);

  // Declares that changes up to and including `version_number` were not pushed.
  void Forget(uint64_t version_number);

  // Returns whether the slow tier may have changed for the key after
  // `version_number`, the version that a read saw. With `fast_too`, also
  // whether a file may have entered the fast tier without passing through a
  // memtable. Returns true if the ring has forgotten too much to tell.
  bool ChangedSince(uint64_t version_number, const Slice& user_key,
                    bool fast_too) const;

 private:
  // There are at most a few crossing compactions per second, and a read takes
  // seconds at most. Records under promotion do not depend on this capacity:
  // TakenRecords watches them and forgets nothing.
  static constexpr size_t kCapacity = 512;

  const Comparator* const ucmp_;
  mutable port::Mutex mutex_;
  std::deque<Entry> entries_;      // oldest first
  uint64_t newest_forgotten_ = 0;  // version number
};

}  // namespace ROCKSDB_NAMESPACE

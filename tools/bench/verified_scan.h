//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Iterator reads that check their results.
//
// Thread safety: unless a comment says otherwise, every function may be called
// from any thread while others read and write.

#pragma once

#include <cstdint>
#include <vector>

#include "plugin/hotrap/tools/bench/key_space.h"
#include "plugin/hotrap/tools/bench/verifier.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// Scans up to `max_keys` keys from `start_key` and checks order, uniqueness,
// versions and that no key is missing. It scans twice, because the keys are not
// known before the scan: the first pass finds the keys, then their floors are
// read, and the second pass must satisfy them.
Status VerifiedScan(DB* db, const KeySpace& key_space, const Verifier& verifier,
                    const Slice& start_key, uint64_t max_keys, uint64_t* keys);

// Adopts the versions of all keys in an existing DB, checks order and
// uniqueness, and returns the number of keys and the largest id.
// REQUIRES: no other reader or writer
Status AdoptWholeDb(DB* db, const KeySpace& key_space, Verifier* verifier,
                    uint64_t* keys, uint64_t* max_id);

// Scans the whole DB and checks that it holds exactly the keys and versions
// that the verifier knows, ids [0, id_limit).
// REQUIRES: no writer
Status VerifyWholeDb(DB* db, const KeySpace& key_space,
                     const Verifier& verifier, uint64_t id_limit,
                     uint64_t* keys);

// Reads some keys through a snapshot, and again later; both must agree. Used by
// one thread.
class SnapshotProbe {
 public:
  explicit SnapshotProbe(DB* db) : db_(db) {}
  ~SnapshotProbe() { Release(); }
  SnapshotProbe(const SnapshotProbe&) = delete;
  SnapshotProbe& operator=(const SnapshotProbe&) = delete;

  bool active() const { return snapshot_ != nullptr; }
  // Reads the keys for the first time. REQUIRES: !active()
  Status Start(std::vector<std::string> keys);
  // Reads them again, compares, and releases the snapshot. REQUIRES: active()
  Status Finish();

 private:
  Status ReadAll(std::vector<std::string>* results) const;
  void Release();

  DB* const db_;
  const Snapshot* snapshot_ = nullptr;
  std::vector<std::string> keys_;
  std::vector<std::string> first_results_;
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

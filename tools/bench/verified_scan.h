//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Iterator reads that know what they must find.
//
// Thread safety: all functions may be called from any thread while others read
// and write, except where said.

#pragma once

#include <cstdint>
#include <vector>

#include "plugin/hotrap/tools/bench/key_space.h"
#include "plugin/hotrap/tools/bench/verifier.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// Scans up to `max_keys` keys from `start_key` and checks order, uniqueness,
// versions and that no key is missing. A scan cannot know which keys will come
// before it starts, so it scans twice: the first pass says which keys there
// are, then their floors are taken, and the second pass is held to them.
Status VerifiedScan(DB* db, const KeySpace& key_space, const Verifier& verifier,
                    const Slice& start_key, uint64_t max_keys, uint64_t* keys);

// Takes over the versions of all keys of an existing DB, checks order and
// uniqueness, and reports the number of keys and the largest id.
// REQUIRES: no other reader or writer
Status AdoptWholeDb(DB* db, const KeySpace& key_space, Verifier* verifier,
                    uint64_t* keys, uint64_t* max_id);

// Scans the whole DB and checks that it holds exactly the keys and versions
// that the verifier knows, ids [0, id_limit).
// REQUIRES: no writer
Status VerifyWholeDb(DB* db, const KeySpace& key_space,
                     const Verifier& verifier, uint64_t id_limit,
                     uint64_t* keys);

// Reads some keys through a snapshot, and again later: both must agree.
// Used by one thread.
class SnapshotProbe {
 public:
  explicit SnapshotProbe(DB* db) : db_(db) {}
  ~SnapshotProbe() { Release(); }
  SnapshotProbe(const SnapshotProbe&) = delete;
  SnapshotProbe& operator=(const SnapshotProbe&) = delete;

  bool active() const { return snapshot_ != nullptr; }
  // Reads the keys for the first time. REQUIRES: !active()
  Status Start(std::vector<std::string> keys);
  // Reads them again, compares, and lets the snapshot go. REQUIRES: active()
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

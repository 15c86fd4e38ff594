//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/verified_scan.h"

#include <cassert>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

using EntryFunction =
    std::function<Status(uint64_t id, const Slice& key, const Slice& value)>;

// Calls `on_entry` for up to `max_keys` entries from `start_key`, and checks
// that keys are strictly ascending; a repeated key is an error.
Status ForEachEntry(DB* db, const KeySpace& key_space, const Slice& start_key,
                    uint64_t max_keys, const EntryFunction& on_entry) {
  ReadOptions read_options;
  read_options.total_order_seek = true;
  std::unique_ptr<Iterator> it(db->NewIterator(read_options));
  if (start_key.empty()) {
    it->SeekToFirst();
  } else {
    it->Seek(start_key);
  }
  std::string previous(start_key.data(), start_key.size());
  Status s;
  for (uint64_t n = 0; s.ok() && n < max_keys && it->Valid(); ++n) {
    const Slice key = it->key();
    const int order = key.compare(previous);
    uint64_t id = 0;
    if (order < 0 || (n > 0 && order == 0)) {
      s = Status::Corruption("iterator: key " + key.ToString() +
                             " comes after key " + previous);
    } else if (!key_space.IdOf(key, &id)) {
      s = Status::Corruption("iterator: unknown key", key);
    } else {
      s = on_entry(id, key, it->value());
    }
    previous.assign(key.data(), key.size());
    it->Next();
  }
  return s.ok() ? it->status() : s;
}

struct ExpectedKey {
  std::string key;
  uint32_t floor = 0;
  bool seen = false;
};

}  // namespace

Status VerifiedScan(DB* db, const KeySpace& key_space, const Verifier& verifier,
                    const Slice& start_key, uint64_t max_keys, uint64_t* keys) {
  std::unordered_map<uint64_t, ExpectedKey> expected;
  Status s =
      ForEachEntry(db, key_space, start_key, max_keys,
                   [&](uint64_t id, const Slice& key, const Slice& value) {
                     expected[id].key = key.ToString();
                     return verifier.CheckFound(id, /*floor=*/0, value);
                   });
  for (auto& [id, entry] : expected) {
    entry.floor = verifier.Floor(id);
  }
  std::string last_key;
  uint64_t found = 0;
  if (s.ok()) {
    s = ForEachEntry(db, key_space, start_key, max_keys,
                     [&](uint64_t id, const Slice& key, const Slice& value) {
                       ++found;
                       last_key.assign(key.data(), key.size());
                       uint32_t floor = 0;
                       const auto entry = expected.find(id);
                       if (entry != expected.end()) {
                         entry->second.seen = true;
                         floor = entry->second.floor;
                       }
                       return verifier.CheckFound(id, floor, value);
                     });
  }
  // A scan that ended before max_keys has seen all keys.
  const bool ended_early = found < max_keys;
  for (const auto& [id, entry] : expected) {
    if (s.ok() && !entry.seen && (ended_early || entry.key <= last_key)) {
      s = verifier.CheckMissing(id, entry.floor);
    }
  }
  *keys = found;
  return s;
}

Status AdoptWholeDb(DB* db, const KeySpace& key_space, Verifier* verifier,
                    uint64_t* keys, uint64_t* max_id) {
  *keys = 0;
  *max_id = 0;
  return ForEachEntry(
      db, key_space, Slice(), UINT64_MAX,
      [&](uint64_t id, const Slice& /*key*/, const Slice& value) {
        ++*keys;
        *max_id = std::max(*max_id, id);
        return verifier->Adopt(id, value);
      });
}

Status VerifyWholeDb(DB* db, const KeySpace& key_space,
                     const Verifier& verifier, uint64_t id_limit,
                     uint64_t* keys) {
  *keys = 0;
  std::vector<bool> seen(id_limit);
  Status s = ForEachEntry(
      db, key_space, Slice(), UINT64_MAX,
      [&](uint64_t id, const Slice& /*key*/, const Slice& value) {
        ++*keys;
        if (id >= id_limit) {
          return Status::Corruption("a key that was never written",
                                    std::to_string(id));
        }
        seen[id] = true;
        return verifier.MustExist(id)
                   ? verifier.CheckFound(id, verifier.Floor(id), value)
                   : Status::Corruption("a deleted key is back",
                                        std::to_string(id));
      });
  for (uint64_t id = 0; s.ok() && id < id_limit; ++id) {
    if (!seen[id]) {
      s = verifier.CheckMissing(id, verifier.Floor(id));
    }
  }
  return s;
}

Status SnapshotProbe::Start(std::vector<std::string> keys) {
  assert(!active());
  keys_ = std::move(keys);
  snapshot_ = db_->GetSnapshot();
  Status s = ReadAll(&first_results_);
  if (!s.ok()) {
    Release();
  }
  return s;
}

Status SnapshotProbe::Finish() {
  assert(active());
  std::vector<std::string> results;
  Status s = ReadAll(&results);
  Release();
  for (size_t i = 0; s.ok() && i < keys_.size(); ++i) {
    if (results[i] != first_results_[i]) {
      s = Status::Corruption("a snapshot read changed", keys_[i]);
    }
  }
  return s;
}

Status SnapshotProbe::ReadAll(std::vector<std::string>* results) const {
  ReadOptions read_options;
  read_options.snapshot = snapshot_;
  results->clear();
  for (const std::string& key : keys_) {
    std::string value;
    Status s = db_->Get(read_options, key, &value);
    if (!s.ok() && !s.IsNotFound()) {
      return s;
    }
    // Values are never empty: the empty string stands for "not found".
    results->push_back(std::move(value));
  }
  return Status::OK();
}

void SnapshotProbe::Release() {
  if (snapshot_ != nullptr) {
    db_->ReleaseSnapshot(snapshot_);
    snapshot_ = nullptr;
  }
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Ralt, the Recent Access Lookup Table (paper section 3.2): tracks which keys
// of a store are hot in a small LSM-tree of its own.
//
// Thread safety: every method may be called from any thread at any time, but
// for the destructor, which must come last. No method but Open, Flush,
// WaitForIdle, the iterator's and the destructor does I/O or waits for it.
//
// Invariants:
// 1. Nothing that happens to RALT's files fails the caller's store: the worst
//    outcome is that nothing is hot.
// 2. IsHot() and the hot key iterator speak of flushed accesses only. A key
//    that is hot in the current version is never reported as cold.
// 3. A hot key iterator sees the version it was made from, whatever merges
//    and evictions do meanwhile; it must be destroyed before the Ralt.
//
// The parts are in namespace ralt, since some of them are called what parts of
// RocksDB are called.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "plugin/hotrap/ralt/ralt_options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

// A snapshot of a Ralt's figures. Counters start at 0 at Open.
struct RaltStats {
  // Accesses taken into a buffer, and dropped (buffers full, tracking paused,
  // or every buffer busy). Not weighted.
  uint64_t accesses = 0;
  uint64_t accesses_dropped = 0;
  // Of keys that are too long to be tracked within the physical limit
  // (RaltOptions::MaxKeyBytes). They pass no time.
  uint64_t accesses_too_large = 0;
  // Keys that were left out of a flush, the coldest first, as there was no room
  // within the physical limit.
  uint64_t records_without_room = 0;
  // HotRAP bytes accessed over RALT's whole life, weighted.
  uint64_t accessed_bytes = 0;

  uint64_t flushes = 0;
  uint64_t merges = 0;
  uint64_t evictions = 0;
  // By flushes, and in all: their quotient is the write amplification.
  uint64_t bytes_flushed = 0;
  uint64_t bytes_written = 0;
  uint64_t bytes_read = 0;
  uint64_t background_micros = 0;
  uint64_t background_errors = 0;
  // Times that damaged, foreign or unknown files made RALT start empty.
  uint64_t resets = 0;

  // The current version. A key counts once a level, but for hot_set_bytes,
  // which is an estimate that counts it once.
  uint64_t runs = 0;
  uint64_t levels = 0;
  uint64_t records = 0;
  uint64_t hot_records = 0;
  uint64_t hot_set_bytes = 0;
  uint64_t tracked_bytes = 0;  // HotRAP bytes of all records
  uint64_t physical_bytes = 0;

  // The limits in force, and what the last eviction found.
  uint64_t hot_set_limit_bytes = 0;
  uint64_t physical_limit_bytes = 0;
  // What of it the records may take once they are merged.
  uint64_t record_limit_bytes = 0;
  uint64_t stable_bytes = 0;
  // Score a stable record needs to be hot. 0: any.
  double hot_score_threshold = 0;

  // Memory.
  uint64_t buffer_memory_bytes = 0;
  uint64_t filter_memory_bytes = 0;
  uint64_t index_memory_bytes = 0;

  uint64_t tick = 0;
  bool learning = false;
  bool paused = false;

  std::string ToString() const;
};

// Walks the hot keys of one version in key order. Not thread safe.
class HotKeyIterator {
 public:
  virtual ~HotKeyIterator() = default;

  virtual bool Valid() const = 0;
  virtual void SeekToFirst() = 0;
  // Goes to the first hot key >= target.
  virtual void Seek(const Slice& target) = 0;
  // REQUIRES: Valid()
  virtual void Next() = 0;
  // Points into the iterator until it moves. REQUIRES: Valid()
  virtual Slice key() const = 0;
  // Length of the value when it was accessed last. REQUIRES: Valid()
  virtual uint64_t value_bytes() const = 0;
  // Not OK: the walk ended early.
  virtual Status status() const = 0;
};

class Ralt {
 public:
  // Fails on options that can't be meant only: a folder that can't be read,
  // created or understood gives an empty Ralt, which may be paused. Reads the
  // manifest and, if small, the filters and indexes; large ones are read in
  // the background.
  static Status Open(const RaltOptions& options, std::unique_ptr<Ralt>* opened);

  // Removes RALT's files from the folder and, if empty then, the folder.
  // REQUIRES: no Ralt is open there.
  static Status Destroy(const std::string& path, FileSystem* fs);

  // Stops background work, waits for it, then writes the buffers out (best
  // effort, in the calling thread).
  virtual ~Ralt() = default;

  // Notes an access to a record. Never blocks. `weight` is how many accesses
  // this one stands for when the caller samples. `fast`: it was found on the
  // fast tier, so that nobody will ask whether it IsHotOnceMore().
  virtual void RecordAccess(const Slice& user_key, uint64_t value_bytes,
                            uint32_t weight = 1, bool fast = false) = 0;

  // Whether the key's flushed accesses make it hot. False positives at the
  // rate of the Bloom filters.
  virtual bool IsHot(const Slice& user_key) const = 0;

  // Whether the access that was just noted makes the key hot: RALT knows the
  // key from others, flushed or, as long as no other key took its place in
  // memory, noted as not fast since the flush before the last one; and it needs
  // no higher score than that of one access. False positives as above, and
  // never false where IsHot() is true.
  virtual bool IsHotOnceMore(const Slice& user_key) const = 0;

  // Whether one access makes hot what was accessed before: no higher score is
  // needed.
  virtual bool TwoAccessesAreEnough() const = 0;

  // The caller sees whether a hot set is being learnt. While it is, Ralt
  // remembers as many records that are not stable as the largest hot set has
  // (R_hs), as far as its first physical limit goes, and not only D_hs: else
  // few of a large hot set's keys are still known when they are accessed again.
  // And it merges whatever it flushes, for keys of two runs to be hot at once.
  // Without auto-tuning limits stay. Does not survive a restart. Never blocks.
  virtual void SetLearning(bool learning) = 0;

  // HotRAP bytes of the hot keys in [begin, end), from memory: an estimate
  // that counts half of a block at each edge.
  // *error, if asked for, is what it may be wrong by either way.
  virtual uint64_t HotBytes(const Slice& begin, const Slice& end,
                            uint64_t* error = nullptr) const = 0;

  // Of the current version's files. From memory; nothing while the files that
  // were there at opening have not been read.
  virtual std::optional<uint64_t> PhysicalBytes() const = 0;

  // Positioned nowhere at first. Keeps a version's files open.
  virtual std::unique_ptr<HotKeyIterator> NewHotKeyIterator() const = 0;

  // Seals the buffers, has them flushed and merged, and waits for that.
  virtual Status Flush() = 0;

  // Waits until no background work is due. Returns the last background error.
  virtual Status WaitForIdle() = 0;

  // The store is about to close: background work stops at its next step and
  // no new one starts; RecordAccess becomes a no-op. What is in the buffers
  // is still written by the destructor. Returns at once.
  virtual void CancelWork() = 0;

  virtual RaltStats GetStats() const = 0;

  // OK, or the error that has tracking paused.
  virtual Status BackgroundError() const = 0;
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Connects point reads (Version::Get and MultiGet) to the promotion cache and
// RALT.
//
// A lookup consults the promotion cache when it is about to read its first file
// at a level >= FS: cached records are no newer than anything above FS, and the
// newest of their keys from FS on. A hit in a file is an access for RALT; a hit
// on the slow tier is also a candidate for the cache. While HotRAP is off, all
// of this costs one load and one branch per lookup. While reads of the slow
// tier are not slower (TierSpeeds), one read in 64 is an access, and the others
// pay for two random numbers, two counters and a look at the empty cache.

#pragma once

#include "db/column_family.h"
#include "db/dbformat.h"
#include "plugin/hotrap/db/state/read_timer.h"
#include "plugin/hotrap/db/tier/hotrap_tier.h"
#include "rocksdb/options.h"
#include "table/get_context.h"
#include "table/multiget_context.h"

namespace ROCKSDB_NAMESPACE {

struct FdWithKeyRange;
struct LevelFilesBrief;
class Version;

// One Get in one version. Lives on the reader's stack.
class HotRapGet {
 public:
  // `key` holds the sequence number of the read. `timed`: its latency is that
  // of a Get, and not of a batch.
  HotRapGet(Version* version, ColumnFamilyData* cfd,
            const ReadOptions& read_options, const Slice& internal_key,
            bool timed = true)
      : tier_(cfd->hotrap.active()),
        version_(version),
        read_options_(read_options),
        internal_key_(internal_key) {
    if (tier_ != nullptr) {
      first_slow_level_ = tier_->state().first_slow_level();
      if (first_slow_level_ == 0) {
        tier_ = nullptr;  // being switched off
      } else if (timed) {
        timer_.Start(tier_->state().tracker().speeds(),
                     tier_->state().latencies());
      }
    }
  }

  // Called before a file of `level` is read. Returns true if the promotion
  // cache answered the lookup; *s is then the result of Get.
  bool Serve(unsigned int level, GetContext* get_context, Status* s) {
    return tier_ != nullptr && !asked_ &&
           static_cast<int>(level) >= first_slow_level_ &&
           AskCache(get_context, s);
  }

  // Called when the lookup has found a value in a file of `level`. If other
  // lookups were made in the file together with this one, `batch_io` has the
  // block cache hits and misses of all of them.
  void OnFound(unsigned int level, const FdWithKeyRange& file,
               const PinnableSlice* value, const PinnableWideColumns* columns,
               const GetContext& get_context,
               const GetContextStats* batch_io = nullptr) {
    if (tier_ != nullptr) {
      Found(static_cast<int>(level), file, value, columns, get_context,
            batch_io != nullptr ? *batch_io : get_context.get_context_stats_);
    }
  }

 private:
  bool AskCache(GetContext* get_context, Status* s);
  void Found(int level, const FdWithKeyRange& file, const PinnableSlice* value,
             const PinnableWideColumns* columns, const GetContext& get_context,
             const GetContextStats& io);
  // `weight` is the number of accesses that this one represents.
  void Admit(int level, uint32_t weight, const FdWithKeyRange& file,
             const PinnableSlice* value, const PinnableWideColumns* columns,
             const GetContext& get_context);
  bool NewestInSlowTier(int level) const;

  HotRapTier* tier_;
  Version* const version_;
  const ReadOptions& read_options_;
  const Slice internal_key_;
  int first_slow_level_ = 0;
  bool asked_ = false;
  ReadTimer timer_;
  // Number of blocks that the lookup had to read in the fast levels.
  uint64_t misses_above_ = 0;
};

// The lookups of a MultiGet in one file.
class HotRapMultiGet {
 public:
  // Called before the file is read for `keys`.
  HotRapMultiGet(Version* version, const ReadOptions& read_options,
                 const MultiGetRange& keys);

  // Called after the file, which is `file`, has been read for `keys`.
  void OnRead(const FdWithKeyRange& file, const MultiGetRange& keys);

  // Called when the lookup of `key` has found a value in a file of `level`.
  void OnFound(int level, const FdWithKeyRange& file, const KeyContext& key);

  // Called when the lookups in `range` proceed to `level`, which has files.
  // Marks those that the promotion cache answers as done.
  static void Serve(unsigned int level,
                    const autovector<LevelFilesBrief>& level_files,
                    MultiGetRange* range);

 private:
  Version* const version_;
  const ReadOptions& read_options_;
  // Of all keys, after the file was read, and before.
  GetContextStats io_;
  uint64_t misses_before_ = 0;
  ReadTimer timer_;
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Point reads: where Version::Get and MultiGet meet the promotion cache and
// RALT.
//
// The promotion cache is asked when a lookup is about to read its first file
// at a level >= FS: what it holds is newer than nothing above and as new as
// everything below. A hit in a file becomes an access for RALT and, from the
// slow tier, a candidate for the cache. While HotRAP is off all of it costs
// one load and one branch a lookup.

#pragma once

#include "db/column_family.h"
#include "db/dbformat.h"
#include "plugin/hotrap/db/hotrap_tier.h"
#include "rocksdb/options.h"
#include "table/get_context.h"
#include "table/multiget_context.h"

namespace ROCKSDB_NAMESPACE {

struct FdWithKeyRange;
struct LevelFilesBrief;
class Version;

// One Get in one version. Made, used and dropped on the reader's stack.
class HotRapGet {
 public:
  // `key` holds the sequence number of the read.
  HotRapGet(Version* version, ColumnFamilyData* cfd,
            const ReadOptions& read_options, const Slice& internal_key)
      : tier_(cfd->hotrap.active()),
        version_(version),
        read_options_(read_options),
        internal_key_(internal_key) {
    if (tier_ != nullptr) {
      first_slow_level_ = tier_->first_slow_level();
      if (first_slow_level_ == 0) {
        tier_ = nullptr;  // just being switched off
      }
    }
  }

  // A file of `level` is to be read next. True when the promotion cache has
  // ended the lookup; *s then is what Get returns.
  bool Serve(unsigned int level, GetContext* get_context, Status* s) {
    return tier_ != nullptr && !asked_ &&
           static_cast<int>(level) >= first_slow_level_ &&
           AskCache(get_context, s);
  }

  // The lookup has found a value, in a file of `level`. `batch_io` has the
  // block cache hits and misses of all lookups in the file, where there are
  // others.
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
  // `weight`: how many accesses this one stands for.
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
  // Blocks that the lookup had to read in the fast levels.
  uint64_t misses_above_ = 0;
};

// The keys of a MultiGet that are looked up in one file.
class HotRapMultiGet {
 public:
  // The file has been read for them.
  HotRapMultiGet(Version* version, const ReadOptions& read_options,
                 const MultiGetRange& keys);

  // The lookup of a key has found a value, in a file of `level`.
  void OnFound(int level, const FdWithKeyRange& file, const KeyContext& key);

  // The lookups in `range` go on to `level`, which has files. Those that the
  // promotion cache answers are marked as done in it.
  static void Serve(unsigned int level,
                    const autovector<LevelFilesBrief>& level_files,
                    MultiGetRange* range);

 private:
  Version* const version_;
  const ReadOptions& read_options_;
  GetContextStats io_;
};

}  // namespace ROCKSDB_NAMESPACE

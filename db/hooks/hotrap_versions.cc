//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/hooks/hotrap_versions.h"

#include <algorithm>
#include <vector>

#include "db/column_family.h"
#include "db/version_edit.h"
#include "db/version_set.h"
#include "plugin/hotrap/db/placement/level_tier.h"
#include "plugin/hotrap/db/tier/hotrap_tier.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Ranges per edit: the ring remembers a few hundred.
constexpr size_t kMaxHulls = 16;

// A range of user keys, both ends inclusive.
struct Hull {
  bool empty = true;
  Slice smallest;
  Slice largest;

  void Add(const FileMetaData& file, const Comparator* ucmp) {
    if (empty || ucmp->Compare(file.smallest.user_key(), smallest) < 0) {
      smallest = file.smallest.user_key();
    }
    if (empty || ucmp->Compare(file.largest.user_key(), largest) > 0) {
      largest = file.largest.user_key();
    }
    empty = false;
  }
};

// What one edit changes in the tiers.
struct TierChange {
  bool slow = false;  // adds or deletes a file at a level >= FS
  bool fast = false;  // ... at a level < FS
  bool added = false;
  bool slow_added = false;
  bool slow_deleted = false;
  bool fast_deleted = false;
  // A table of a level < FS is now in one >= FS, as it was.
  bool moved_down = false;
  uint64_t newest_added_epoch = 0;
  uint64_t newest_deleted_epoch = 0;
  Hull all;
  std::vector<Hull> files;  // one per file; incomplete if there are too many
  Hull deleted_fast;

  void Add(const FileMetaData& file, const Comparator* ucmp) {
    all.Add(file, ucmp);
    if (files.size() <= kMaxHulls) {
      files.emplace_back();
      files.back().Add(file, ucmp);
    }
  }

  // Returns whether the added files consist of the deleted ones: a compaction,
  // or files that change their level. Not so for ingestion, import and files
  // deleted by range.
  bool Rewrites() const {
    return added && (slow_deleted || fast_deleted) &&
           newest_added_epoch <= newest_deleted_epoch;
  }
};

TierChange Examine(const VersionEdit& edit, const VersionStorageInfo& current,
                   int first_slow_level, const Comparator* ucmp) {
  TierChange change;
  for (const auto& [level, file] : edit.GetNewFiles()) {
    const bool slow = !IsFastLevel(level, first_slow_level);
    (slow ? change.slow : change.fast) = true;
    change.added = true;
    change.slow_added |= slow;
    change.newest_added_epoch =
        std::max(change.newest_added_epoch, file.epoch_number);
    change.Add(file, ucmp);
  }
  for (const auto& [level, number] : edit.GetDeletedFiles()) {
    const FileMetaData* file = current.GetFileMetaDataByNumber(number);
    if (file == nullptr) {
      continue;
    }
    const bool slow = !IsFastLevel(level, first_slow_level);
    (slow ? change.slow : change.fast) = true;
    (slow ? change.slow_deleted : change.fast_deleted) = true;
    change.newest_deleted_epoch =
        std::max(change.newest_deleted_epoch, file->epoch_number);
    change.Add(*file, ucmp);
    if (!slow) {
      change.deleted_fast.Add(*file, ucmp);
      change.moved_down |=
          std::any_of(edit.GetNewFiles().begin(), edit.GetNewFiles().end(),
                      [&, deleted = number](const auto& added) {
                        return added.second.fd.GetNumber() == deleted &&
                               !IsFastLevel(added.first, first_slow_level);
                      });
    }
  }
  return change;
}

}  // namespace

void HotRapVersions::BeforeVersionInstall(const autovector<VersionEdit*>& edits,
                                          Version* next) {
  ColumnFamilyData* const cfd = next->cfd();
  HotRapTier* const tier = cfd->hotrap.active();
  if (tier == nullptr) {
    return;
  }
  const Comparator* const ucmp = cfd->user_comparator();
  for (const VersionEdit* edit : edits) {
    if (edit->GetColumnFamily() != cfd->GetID() ||
        edit == tier->state().fences().promotion_edit()) {
      continue;
    }
    const TierChange change = Examine(*edit, *cfd->current()->storage_info(),
                                      tier->state().first_slow_level(), ucmp);
    if (change.slow_added && (change.moved_down || !change.Rewrites()) &&
        tier->state().rules().PinsAny(change.all.smallest,
                                      change.all.largest)) {
      tier->state().rules().figures().RequestLift();
    }
    InvalidationRing::Kind kind = InvalidationRing::kSlowTierChanged;
    // Files that are only added or only removed do not affect the keys between
    // them.
    std::vector<Hull> hulls = {change.all};
    if (!change.Rewrites() && change.files.size() <= kMaxHulls) {
      hulls = change.files;
    }
    if (change.slow) {
      if (change.Rewrites() && !change.fast) {
        // A slow-to-slow rewrite: its outputs are no newer than its inputs.
        continue;
      }
      if (change.Rewrites() && change.fast_deleted) {
        // Other records that it takes from the slow tier return there, or are
        // moved up.
        hulls = {change.deleted_fast};
      }
    } else if (change.fast && edit->GetDeletedFiles().empty() &&
               !edit->HasLogNumber()) {
      // Neither a compaction nor a flush.
      kind = InvalidationRing::kFastTierAdded;
    } else {
      continue;
    }
    for (const Hull& hull : hulls) {
      tier->state().stats().Count(
          HotRapCounter::kInvalidated,
          tier->state().cache().Invalidate({next->GetVersionNumber(), kind,
                                            hull.smallest.ToString(),
                                            hull.largest.ToString()}));
    }
  }
}

}  // namespace ROCKSDB_NAMESPACE

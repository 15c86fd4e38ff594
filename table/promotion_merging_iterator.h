//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include "db/dbformat.h"
#include "table/internal_iterator.h"

namespace ROCKSDB_NAMESPACE {

// The input of a compaction: its files, merged with records from the promotion
// cache. RocksDB's merging iterator is of no use here, because it would hide
// the range tombstone sentinels of the files' iterator
// (IsDeleteRangeSentinelKey).
//
// Moves forward only, which is all that CompactionIterator needs. Of two equal
// internal keys the promoted one comes first, since the other is its original.
// Not thread-safe.
class PromotionMergingIterator : public InternalIterator {
 public:
  PromotionMergingIterator(InternalIterator* files, InternalIterator* promoted,
                           const InternalKeyComparator* icmp)
      : files_(files), promoted_(promoted), icmp_(icmp) {}

  bool Valid() const override { return current_ != nullptr; }
  void SeekToFirst() override {
    files_->SeekToFirst();
    promoted_->SeekToFirst();
    Choose();
  }
  void Seek(const Slice& target) override {
    files_->Seek(target);
    // There are few records, so that a linear walk is good enough.
    promoted_->SeekToFirst();
    while (promoted_->Valid() && icmp_->Compare(promoted_->key(), target) < 0) {
      promoted_->Next();
    }
    Choose();
  }
  void Next() override {
    assert(Valid());
    current_->Next();
    Choose();
  }
  Slice key() const override { return current_->key(); }
  Slice value() const override { return current_->value(); }
  bool PrepareValue() override { return current_->PrepareValue(); }
  Status status() const override {
    Status s = files_->status();
    return s.ok() ? promoted_->status() : s;
  }
  bool IsDeleteRangeSentinelKey() const override {
    return current_ == files_ && files_->IsDeleteRangeSentinelKey();
  }
  void SetPinnedItersMgr(PinnedIteratorsManager* manager) override {
    files_->SetPinnedItersMgr(manager);
  }
  // Promoted values stay in memory, but the key is rebuilt at each step.
  bool IsKeyPinned() const override {
    return current_ == files_ && files_->IsKeyPinned();
  }
  bool IsValuePinned() const override {
    return current_ == promoted_ || files_->IsValuePinned();
  }

  void SeekToLast() override { assert(false); }
  void SeekForPrev(const Slice& /*target*/) override { assert(false); }
  void Prev() override { assert(false); }

 private:
  void Choose() {
    if (!files_->Valid()) {
      // Emit nothing after an error.
      current_ =
          promoted_->Valid() && files_->status().ok() ? promoted_ : nullptr;
    } else if (promoted_->Valid() &&
               icmp_->Compare(promoted_->key(), files_->key()) <= 0) {
      current_ = promoted_;
    } else {
      current_ = files_;
    }
  }

  InternalIterator* const files_;
  InternalIterator* const promoted_;
  const InternalKeyComparator* const icmp_;
  InternalIterator* current_ = nullptr;
};

}  // namespace ROCKSDB_NAMESPACE

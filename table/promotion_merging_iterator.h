//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include "db/dbformat.h"
#include "table/internal_iterator.h"

namespace ROCKSDB_NAMESPACE {

// The input of a compaction: its files with the records from the promotion
// cache between them. RocksDB's merging iterator would lose what the files'
// iterator says of range tombstones (IsDeleteRangeSentinelKey).
//
// Forward only, as CompactionIterator reads. Of two equal internal keys the
// promoted one comes first: the other is its source. Not thread safe.
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
    // Few records: a walk is as good as a search.
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
  // What is promoted is in memory, but its key is made anew at each step.
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
      // Nothing may be emitted past an error.
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

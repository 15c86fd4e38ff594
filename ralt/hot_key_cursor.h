//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <memory>

#include "plugin/hotrap/ralt/merging_cursor.h"
#include "plugin/hotrap/ralt/ralt.h"
#include "plugin/hotrap/ralt/version.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Iterates over the hot keys of a version: those that are hot in at least one
// of its runs, and thus in its filters.
class HotKeyCursor : public HotKeyIterator {
 public:
  // `scoring` must outlive the cursor.
  HotKeyCursor(std::shared_ptr<const Version> version, const KeyOrder& order,
               const Scoring& scoring, LogicalTime now)
      : version_(std::move(version)),
        records_(MakeLevelCursors(version_->levels, order, kReadaheadBytes,
                                  /*release_passed=*/false),
                 order, scoring, now) {}

  bool Valid() const override { return records_.Valid(); }
  void SeekToFirst() override {
    records_.SeekToFirst();
    SkipCold();
  }
  void Seek(const Slice& target) override {
    records_.Seek(target);
    SkipCold();
  }
  void Next() override {
    records_.Next();
    SkipCold();
  }
  Slice key() const override { return records_.record().key; }
  uint64_t value_bytes() const override {
    return records_.record().value_bytes;
  }
  Status status() const override { return records_.status(); }

 private:
  static constexpr uint64_t kReadaheadBytes = 128 << 10;

  void SkipCold() {
    while (records_.Valid() && !records_.record().hot) {
      records_.Next();
    }
  }

  const std::shared_ptr<const Version> version_;
  MergingCursor records_;
};

}  // namespace ROCKSDB_NAMESPACE::ralt

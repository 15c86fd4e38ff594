//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <memory>
#include <vector>

#include "plugin/hotrap/ralt/access/key_order.h"
#include "plugin/hotrap/ralt/access/record_cursor.h"
#include "plugin/hotrap/ralt/tree/version.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Iterates over the slices of one level of a version. Not thread-safe.
class LevelCursor : public RecordCursor {
 public:
  // With `release_passed`, a file is released once the cursor has left it, and
  // the cursor can be positioned only once. REQUIRES: the slices are in key
  // order and do not overlap.
  LevelCursor(std::vector<RunSlice> slices, uint64_t readahead_bytes,
              bool release_passed)
      : slices_(std::move(slices)),
        readahead_bytes_(readahead_bytes),
        release_passed_(release_passed) {}

  bool Valid() const override { return cursor_ && cursor_->Valid(); }
  void SeekToFirst() override;
  void Next() override;
  const AccessRecord& record() const override { return cursor_->record(); }
  Status status() const override { return status_; }

 private:
  // Moves to the first record of a slice, if there is such a slice.
  void OpenSlice(size_t slice);
  // Moves to the next slices while the current one is at its end.
  void SkipEnds();

  std::vector<RunSlice> slices_;
  const uint64_t readahead_bytes_;
  const bool release_passed_;
  size_t slice_ = 0;
  std::unique_ptr<RunCursor> cursor_;
  Status status_;
};

// Merges cursors, and merges the records of one key into one. Not thread-safe.
// There are few inputs, one per level, so a linear search for the smallest is
// good enough.
class MergingCursor : public RecordCursor {
 public:
  // `inputs` are ordered newest first. `scoring` must outlive the cursor.
  MergingCursor(std::vector<std::unique_ptr<RecordCursor>> inputs,
                const KeyOrder& order, const Scoring& scoring, LogicalTime now)
      : inputs_(std::move(inputs)),
        order_(order),
        scoring_(scoring),
        now_(now) {
    current_.reserve(inputs_.size());
  }

  bool Valid() const override { return !current_.empty(); }
  void SeekToFirst() override;
  void Next() override;
  const AccessRecord& record() const override { return record_; }
  Status status() const override;

 private:
  // Finds the inputs at the smallest key and merges their records.
  void Fold();

  const std::vector<std::unique_ptr<RecordCursor>> inputs_;
  const KeyOrder order_;
  const Scoring& scoring_;
  const LogicalTime now_;
  // The inputs positioned at record_.key.
  std::vector<RecordCursor*> current_;
  AccessRecord record_;
};

// Returns one cursor for each run of level 0 and one for each deeper level,
// newest first. See LevelCursor for `release_passed`.
std::vector<std::unique_ptr<RecordCursor>> MakeLevelCursors(
    const std::vector<std::vector<RunSlice>>& levels, uint64_t readahead_bytes,
    bool release_passed);

}  // namespace ROCKSDB_NAMESPACE::ralt

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/merging_cursor.h"

#include <cassert>

namespace ROCKSDB_NAMESPACE::ralt {

void LevelCursor::OpenSlice(size_t slice) {
  slice_ = slice;
  cursor_.reset();
  if (slice >= slices_.size()) {
    return;
  }
  cursor_ = std::make_unique<RunCursor>(slices_[slice].file, readahead_bytes_);
  // Never call the comparator for an empty key, which may be invalid or sort
  // last.
  if (slices_[slice].begin.empty()) {
    cursor_->SeekToFirst();
  } else {
    cursor_->Seek(slices_[slice].begin);
  }
}

void LevelCursor::SkipEnds() {
  while (cursor_ && !cursor_->Valid()) {
    status_ = cursor_->status();
    if (!status_.ok()) {
      cursor_.reset();
      return;
    }
    if (release_passed_) {
      slices_[slice_].file.reset();
    }
    OpenSlice(slice_ + 1);
  }
}

void LevelCursor::SeekToFirst() {
  status_ = Status::OK();
  OpenSlice(0);
  SkipEnds();
}

void LevelCursor::Next() {
  assert(Valid());
  cursor_->Next();
  SkipEnds();
}

void MergingCursor::SeekToFirst() {
  for (const auto& input : inputs_) {
    input->SeekToFirst();
  }
  Fold();
}

void MergingCursor::Next() {
  assert(Valid());
  for (RecordCursor* input : current_) {
    input->Next();
  }
  Fold();
}

void MergingCursor::Fold() {
  current_.clear();
  for (const auto& input : inputs_) {
    if (!input->Valid()) {
      if (!input->status().ok()) {
        // A merge that continued would drop the rest of this input.
        current_.clear();
        return;
      }
      continue;
    }
    const int order = current_.empty()
                          ? -1
                          : order_.Compare(input->record().key,
                                           current_.front()->record().key);
    if (order < 0) {
      current_.clear();
    }
    if (order <= 0) {
      current_.push_back(input.get());
    }
  }
  if (current_.empty()) {
    return;
  }
  record_ = current_.front()->record();
  for (size_t i = 1; i < current_.size(); ++i) {
    const AccessRecord& older = current_[i]->record();
    const bool hot = record_.hot || older.hot;
    scoring_.Merge(now_, older, &record_);
    record_.hot = hot;
  }
}

Status MergingCursor::status() const {
  for (const auto& input : inputs_) {
    const Status s = input->status();
    if (!s.ok()) {
      return s;
    }
  }
  return Status::OK();
}

std::vector<std::unique_ptr<RecordCursor>> MakeLevelCursors(
    const std::vector<std::vector<RunSlice>>& levels, uint64_t readahead_bytes,
    bool release_passed) {
  std::vector<std::unique_ptr<RecordCursor>> cursors;
  for (size_t level = 0; level < levels.size(); ++level) {
    if (level == 0) {
      for (const RunSlice& slice : levels[0]) {
        cursors.push_back(std::make_unique<LevelCursor>(
            std::vector<RunSlice>{slice}, readahead_bytes, release_passed));
      }
    } else if (!levels[level].empty()) {
      cursors.push_back(std::make_unique<LevelCursor>(
          levels[level], readahead_bytes, release_passed));
    }
  }
  return cursors;
}

}  // namespace ROCKSDB_NAMESPACE::ralt

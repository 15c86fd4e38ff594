//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/ghost_keys.h"

#include <cstdio>
#include <memory>
#include <vector>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

std::string GhostKeys::KeyText(int key) {
  char text[16];
  snprintf(text, sizeof(text), "ghost%04d", key);
  return text;
}

Status GhostKeys::Put(int key, Fate fate, uint64_t time, DB* db,
                      ColumnFamilyHandle* family) {
  keys_[key] = {true, fate, time, /*changed=*/false,
                GhostFilter::Value(fate, time, values_++)};
  return db->Put(WriteOptions(), family, KeyText(key), keys_[key].value);
}

Status GhostKeys::Write(int key, DB* db, ColumnFamilyHandle* family) {
  Key& entry = keys_[key];
  const std::string text = KeyText(key);
  const bool single = key >= kSingleBegin;
  if (single ? entry.there : rnd_.OneIn(6)) {
    entry.there = false;
    return single ? db->SingleDelete(WriteOptions(), family, text)
                  : db->Delete(WriteOptions(), family, text);
  }
  Fate fate = Fate::kStays;
  if (rnd_.OneIn(2)) {
    fate = single          ? Fate::kPurged
           : rnd_.OneIn(2) ? Fate::kRemoved
                           : Fate::kChanged;
  }
  return Put(key, fate, filter_->now() + rnd_.Uniform(4), db, family);
}

Status GhostKeys::WriteSome(DB* db, ColumnFamilyHandle* family) {
  const int begin = static_cast<int>(rnd_.Uniform(kBlockBegin));
  Status s;
  for (int key = begin; s.ok() && key < kBlockBegin && key < begin + 20;
       key++) {
    s = Write(key, db, family);
  }
  return s.ok() ? WriteBlock(db, family) : s;
}

Status GhostKeys::WriteBlock(DB* db, ColumnFamilyHandle* family) {
  for (int key = kBlockBegin; key < kNumKeys; key++) {
    if (keys_[key].there) {
      return Status::OK();
    }
  }
  const uint64_t time = filter_->now() + rnd_.Uniform(6);
  Status s;
  for (int key = kBlockBegin; s.ok() && key < kNumKeys; key++) {
    s = Put(key, Fate::kSkipped, time, db, family);
  }
  return s;
}

std::string GhostKeys::Check(int key, const char* how,
                             const std::string* found) {
  Key& entry = keys_[key];
  std::string wrong;
  if (found == nullptr) {
    if (entry.there && (!MayHaveActed(entry) || entry.fate == Fate::kChanged)) {
      wrong = "is missing";
    }
    entry.there = false;
  } else if (!entry.there) {
    wrong = "is back: " + *found;
  } else if (entry.fate == Fate::kChanged && MayHaveActed(entry) &&
             *found == GhostFilter::Changed(entry.value)) {
    entry.changed = true;
  } else if (*found != entry.value) {
    wrong = "is " + *found + ", not " + entry.value;
  } else if (entry.changed) {
    wrong = "is no longer changed: " + *found;
  }
  return wrong.empty() ? wrong : KeyText(key) + " " + wrong + " by " + how;
}

std::string GhostKeys::ReadHot(DB* db, ColumnFamilyHandle* family) {
  // The hot keys are of each kind, in turn.
  const int begin = rnd_.OneIn(3)
                        ? kBlockBegin - kHotKeys / 2
                        : static_cast<int>(rnd_.Uniform(3)) * kHotKeys / 2;
  for (int key = begin; key < begin + kHotKeys; key++) {
    std::string value;
    const Status s = db->Get(ReadOptions(), family, KeyText(key), &value);
    if (!s.ok() && !s.IsNotFound()) {
      return s.ToString();
    }
    const std::string wrong = Check(key, "Get", s.ok() ? &value : nullptr);
    if (!wrong.empty()) {
      return wrong;
    }
  }
  return "";
}

std::string GhostKeys::CheckAll(DB* db, ColumnFamilyHandle* family) {
  std::array<std::string, kNumKeys> texts;
  std::vector<Slice> slices;
  for (int key = 0; key < kNumKeys; key++) {
    texts[key] = KeyText(key);
    slices.emplace_back(texts[key]);
  }
  std::vector<PinnableSlice> values(kNumKeys);
  std::vector<Status> statuses(kNumKeys);
  db->MultiGet(ReadOptions(), family, kNumKeys, slices.data(), values.data(),
               statuses.data());
  std::string wrong;
  for (int key = 0; wrong.empty() && key < kNumKeys; key++) {
    if (!statuses[key].ok() && !statuses[key].IsNotFound()) {
      return statuses[key].ToString();
    }
    const std::string value = values[key].ToString();
    wrong = Check(key, "MultiGet", statuses[key].ok() ? &value : nullptr);
  }
  const std::unique_ptr<Iterator> iterator(
      db->NewIterator(ReadOptions(), family));
  iterator->SeekToFirst();
  for (int key = 0; wrong.empty() && key < kNumKeys; key++) {
    const bool found = iterator->Valid() && iterator->key() == slices[key];
    const std::string value = found ? iterator->value().ToString() : "";
    wrong = Check(key, "an iterator", found ? &value : nullptr);
    if (found) {
      iterator->Next();
    }
  }
  return iterator->status().ok() ? wrong : iterator->status().ToString();
}

Status GhostKeys::CompactPart(DB* db, ColumnFamilyHandle* family) {
  const std::string begin_text = KeyText(static_cast<int>(rnd_.Uniform(200)));
  const std::string end_text = KeyText(static_cast<int>(rnd_.Uniform(400)));
  const Slice begin = begin_text;
  const Slice end = end_text;
  CompactRangeOptions options;
  options.bottommost_level_compaction =
      rnd_.OneIn(2) ? BottommostLevelCompaction::kForce
                    : BottommostLevelCompaction::kIfHaveCompactionFilter;
  return begin_text < end_text
             ? db->CompactRange(options, family, &begin, &end)
             : db->CompactRange(options, family, nullptr, nullptr);
}

std::string GhostKeys::CompactAll(DB* db, ColumnFamilyHandle* family) {
  const Options options = db->GetOptions(family);
  if (options.compaction_filter == nullptr &&
      options.compaction_filter_factory == nullptr) {
    return "";
  }
  CompactRangeOptions everything;
  everything.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  std::string left;
  for (int i = 0; i < kMaxFullCompactions; i++) {
    const Status s = db->CompactRange(everything, family, nullptr, nullptr);
    const std::string wrong = s.ok() ? CheckAll(db, family) : s.ToString();
    if (!wrong.empty()) {
      return wrong;
    }
    left.clear();
    for (int key = 0; key < kNumKeys; key++) {
      const Key& entry = keys_[key];
      if (entry.there && MayHaveActed(entry) && !entry.changed) {
        left += " " + KeyText(key);
      }
    }
    if (left.empty()) {
      return "";
    }
  }
  return "after compactions of everything the filter has not decided about" +
         left;
}

std::string GhostKeys::Step(DB* db, ColumnFamilyHandle* family) {
  Status s;
  if (rnd_.OneIn(8)) {
    filter_->Advance();
  }
  if (rnd_.OneIn(3)) {
    s = WriteSome(db, family);
  }
  if (s.ok() && rnd_.OneIn(8)) {
    s = db->Flush(FlushOptions(), family);
  }
  if (s.ok() && rnd_.OneIn(16)) {
    s = CompactPart(db, family);
  }
  if (!s.ok()) {
    return s.ToString();
  }
  if (!filter_->in_order()) {
    return "a filter was not asked in the order of keys";
  }
  std::string wrong = rnd_.OneIn(64) ? CompactAll(db, family) : "";
  if (wrong.empty()) {
    wrong = ReadHot(db, family);
  }
  return wrong.empty() && rnd_.OneIn(6) ? CheckAll(db, family) : wrong;
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

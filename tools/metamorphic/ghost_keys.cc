//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/ghost_keys.h"

#include <cstdio>
#include <memory>
#include <vector>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {

constexpr char kUnwanted[] = "unwanted:";

class RemovingFilter : public CompactionFilter {
 public:
  const char* Name() const override { return "RemovingFilter"; }
  bool Filter(int /*level*/, const Slice& /*key*/, const Slice& value,
              std::string* /*new_value*/,
              bool* /*value_changed*/) const override {
    return value.starts_with(kUnwanted);
  }
};

}  // namespace

const CompactionFilter* GhostKeys::Filter() {
  static const RemovingFilter filter;
  return &filter;
}

std::string GhostKeys::KeyText(int key) {
  char text[16];
  snprintf(text, sizeof(text), "ghost%04d", key);
  return text;
}

Status GhostKeys::Write(int key, DB* db, ColumnFamilyHandle* family) {
  Key& entry = keys_[key];
  const std::string text = KeyText(key);
  const bool single = key >= kSingleBegin;
  if (single ? entry.state == State::kThere : rnd_.OneIn(6)) {
    entry.state = State::kGone;
    return single ? db->SingleDelete(WriteOptions(), family, text)
                  : db->Delete(WriteOptions(), family, text);
  }
  const bool unwanted = !single && rnd_.OneIn(2);
  entry.state = unwanted ? State::kMayBeGone : State::kThere;
  entry.value = (unwanted ? kUnwanted : "wanted:") + std::to_string(values_++);
  entry.value.resize(100, '.');
  return db->Put(WriteOptions(), family, text, entry.value);
}

Status GhostKeys::WriteSome(DB* db, ColumnFamilyHandle* family) {
  const int begin = static_cast<int>(rnd_.Uniform(kNumKeys));
  Status s;
  for (int key = begin; s.ok() && key < kNumKeys && key < begin + 20; key++) {
    s = Write(key, db, family);
  }
  return s;
}

std::string GhostKeys::Check(int key, const char* how,
                             const std::string* found) {
  Key& entry = keys_[key];
  std::string wrong;
  if (found == nullptr) {
    if (entry.state == State::kThere) {
      wrong = "is missing";
    }
    entry.state = State::kGone;
  } else if (entry.state == State::kGone) {
    wrong = "is back: " + *found;
  } else if (*found != entry.value) {
    wrong = "is " + *found + ", not " + entry.value;
  }
  return wrong.empty() ? wrong : KeyText(key) + " " + wrong + " by " + how;
}

std::string GhostKeys::ReadHot(DB* db, ColumnFamilyHandle* family) {
  const int begin = static_cast<int>(rnd_.Uniform(3)) * kHotKeys / 2;
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

std::string GhostKeys::Step(DB* db, ColumnFamilyHandle* family) {
  Status s;
  if (rnd_.OneIn(3)) {
    s = WriteSome(db, family);
  }
  if (s.ok() && rnd_.OneIn(8)) {
    s = db->Flush(FlushOptions(), family);
  }
  if (s.ok() && rnd_.OneIn(16)) {
    const std::string begin_text = KeyText(static_cast<int>(rnd_.Uniform(200)));
    const std::string end_text = KeyText(static_cast<int>(rnd_.Uniform(400)));
    const Slice begin = begin_text;
    const Slice end = end_text;
    CompactRangeOptions options;
    options.bottommost_level_compaction =
        rnd_.OneIn(2) ? BottommostLevelCompaction::kForce
                      : BottommostLevelCompaction::kIfHaveCompactionFilter;
    s = begin_text < end_text
            ? db->CompactRange(options, family, &begin, &end)
            : db->CompactRange(options, family, nullptr, nullptr);
  }
  if (!s.ok()) {
    return s.ToString();
  }
  const std::string wrong = ReadHot(db, family);
  return wrong.empty() && rnd_.OneIn(6) ? CheckAll(db, family) : wrong;
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

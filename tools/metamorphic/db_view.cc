//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/db_view.h"

#include <limits>
#include <map>
#include <memory>

#include "plugin/hotrap/tools/metamorphic/answer.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/metadata.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {

// The arguments of a MultiGet, which point into each other.
struct MultiGetKeys {
  MultiGetKeys(const std::vector<KeyInFamily>& keys,
               const std::vector<ColumnFamilyHandle*>& handles)
      : statuses(keys.size()) {
    for (const KeyInFamily& key : keys) {
      texts.push_back(KeyOf(key.key));
      families.push_back(handles[key.cf]);
    }
    slices.assign(texts.begin(), texts.end());
  }

  std::vector<std::string> texts;
  std::vector<Slice> slices;
  std::vector<ColumnFamilyHandle*> families;
  std::vector<Status> statuses;
};

std::string EntityText(const Status& s, const PinnableWideColumns& columns) {
  return s.ok() ? ColumnsText(columns.columns()) : ReadText(s, "");
}

}  // namespace

std::string DbView::Get(const KeyInFamily& key) {
  PinnableSlice value;
  const std::string text = KeyOf(key.key);
  const Status s = db_->Get(options_, handles_[key.cf], text, &value);
  std::string value_in_memory;
  if (s.ok() &&
      !db_->KeyMayExist(options_, handles_[key.cf], text, &value_in_memory)) {
    return "KeyMayExist() denies it: " + ReadText(s, value);
  }
  return ReadText(s, value);
}

std::string DbView::GetEntity(const KeyInFamily& key) {
  PinnableWideColumns columns;
  const Status s =
      db_->GetEntity(options_, handles_[key.cf], KeyOf(key.key), &columns);
  return EntityText(s, columns);
}

std::vector<std::string> DbView::MultiGet(
    const std::vector<KeyInFamily>& keys) {
  MultiGetKeys arguments(keys, handles_);
  std::vector<PinnableSlice> values(keys.size());
  db_->MultiGet(options_, keys.size(), arguments.families.data(),
                arguments.slices.data(), values.data(),
                arguments.statuses.data());
  std::vector<std::string> texts;
  for (size_t i = 0; i < keys.size(); i++) {
    texts.push_back(ReadText(arguments.statuses[i], values[i]));
  }
  return texts;
}

std::vector<std::string> DbView::MultiGetEntity(
    const std::vector<KeyInFamily>& keys) {
  MultiGetKeys arguments(keys, handles_);
  std::vector<PinnableWideColumns> values(keys.size());
  db_->MultiGetEntity(options_, keys.size(), arguments.families.data(),
                      arguments.slices.data(), values.data(),
                      arguments.statuses.data());
  std::vector<std::string> texts;
  for (size_t i = 0; i < keys.size(); i++) {
    texts.push_back(EntityText(arguments.statuses[i], values[i]));
  }
  return texts;
}

std::string DbView::Scan(int cf, int begin, int end, bool back) {
  if (prepare_scans_ && !back && end - begin > 1) {
    return ScanPrepared(cf, begin, end);
  }
  const std::string lower = KeyOf(begin);
  const std::string upper = KeyOf(end);
  const Slice lower_bound = lower;
  const Slice upper_bound = upper;
  ReadOptions options = options_;
  if (!IsWholeRange(begin, end)) {
    options.iterate_lower_bound = &lower_bound;
    options.iterate_upper_bound = &upper_bound;
  }
  std::unique_ptr<Iterator> iterator(db_->NewIterator(options, handles_[cf]));
  if (back) {
    iterator->SeekToLast();
  } else {
    iterator->SeekToFirst();
  }
  return EntriesText(iterator.get(), std::numeric_limits<int>::max(), back);
}

std::string DbView::ScanPrepared([[maybe_unused]] int cf,
                                 [[maybe_unused]] int begin,
                                 [[maybe_unused]] int end) {
  std::string text;
#if ROCKSDB_MAJOR >= 11
  const std::string bounds[] = {KeyOf(begin), KeyOf((begin + end) / 2),
                                KeyOf(end)};
  MultiScanArgs ranges(handles_[cf]->GetComparator());
  Slice upper_bound = bounds[1];
  ReadOptions options = options_;
  options.iterate_upper_bound = &upper_bound;
  std::unique_ptr<Iterator> iterator(db_->NewIterator(options, handles_[cf]));
  ranges.insert(bounds[0], bounds[1]);
  ranges.insert(bounds[1], bounds[2]);
  iterator->Prepare(ranges);
  for (int i = 0; i < 2; i++) {
    upper_bound = bounds[i + 1];  // RocksDB wants the range's own
    iterator->Seek(bounds[i]);
    text += EntriesText(iterator.get(), std::numeric_limits<int>::max(),
                        /*back=*/false);
  }
#endif
  return text;
}

SplitKeysView::SplitKeysView(DB* db,
                             const std::vector<ColumnFamilyHandle*>& handles,
                             const ReadOptions& options,
                             const KeySet& missed_before)
    : DbView(db, handles, options), missed_keys_(missed_before) {
  for (int cf = 0; cf < kNumColumnFamilies; cf++) {
    ColumnFamilyMetaData family;
    db->GetColumnFamilyMetaData(handles[cf], &family);
    std::set<std::string> split;
    for (const LevelMetaData& level : family.levels) {
      for (size_t i = 1; level.level > 0 && i < level.files.size(); i++) {
        if (level.files[i - 1].largestkey == level.files[i].smallestkey) {
          split.insert(level.files[i].smallestkey);
        }
      }
    }
    for (int key = 0; !split.empty() && key < kNumKeys; key++) {
      if (split.count(KeyOf(key)) > 0 && FilesAnswerWrongly({cf, key})) {
        missed_keys_.emplace(cf, key);
      }
    }
  }
}

bool SplitKeysView::FilesAnswerWrongly(const KeyInFamily& key) {
  const auto cache_hits = [&] {
    std::map<std::string, std::string> stats;
    db_->GetMapProperty(handles_[key.cf], kHotRapStatsProperty, &stats);
    return stats["get_hits_promotion_cache"];
  };
  const std::string hits_before = cache_hits();
  const bool wrong = DbView::Get(key) != Iterate(key, false);
  return wrong && cache_hits() == hits_before;
}

std::string SplitKeysView::Get(const KeyInFamily& key) {
  return IsMissed(key) ? Iterate(key, false) : DbView::Get(key);
}

std::string SplitKeysView::GetEntity(const KeyInFamily& key) {
  return IsMissed(key) ? Iterate(key, true) : DbView::GetEntity(key);
}

std::string SplitKeysView::Iterate(const KeyInFamily& key, bool entity) {
  const std::string text = KeyOf(key.key);
  std::unique_ptr<Iterator> iterator(
      db_->NewIterator(options_, handles_[key.cf]));
  iterator->Seek(text);
  if (!iterator->Valid() || iterator->key() != Slice(text)) {
    return iterator->status().ok() ? kNotFound : iterator->status().ToString();
  }
  return entity ? ColumnsText(iterator->columns())
                : ReadText(Status::OK(), iterator->value());
}

std::string EntriesText(Iterator* iterator, int count, bool back) {
  std::string text;
  for (int left = count; left > 0 && iterator->Valid(); left--) {
    text += EntryText(iterator->key(), iterator->value(), iterator->columns());
    if (back) {
      iterator->Prev();
    } else {
      iterator->Next();
    }
  }
  const Status s = iterator->status();
  return s.ok() ? text : text + s.ToString();
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

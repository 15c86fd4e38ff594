//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/model.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "plugin/hotrap/tools/metamorphic/view.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {

const std::string& DefaultColumn(const Columns& columns) {
  static const std::string kEmpty;
  const auto it = columns.find("");
  return it == columns.end() ? kEmpty : it->second;
}

std::string Entry(const ModelMap::value_type& entry) {
  return EntryText(entry.first, DefaultColumn(*entry.second),
                   AsWideColumns(*entry.second));
}

class ModelView : public View {
 public:
  explicit ModelView(const ModelState& state) : state_(state) {}

  std::string Get(const KeyInFamily& key) override {
    const Columns* const columns = Find(key);
    return columns == nullptr ? kNotFound : ShortText(DefaultColumn(*columns));
  }
  std::string GetEntity(const KeyInFamily& key) override {
    const Columns* const columns = Find(key);
    return columns == nullptr ? kNotFound
                              : ColumnsText(AsWideColumns(*columns));
  }
  std::vector<std::string> MultiGet(
      const std::vector<KeyInFamily>& keys) override {
    std::vector<std::string> texts;
    for (const KeyInFamily& key : keys) {
      texts.push_back(Get(key));
    }
    return texts;
  }
  std::vector<std::string> MultiGetEntity(
      const std::vector<KeyInFamily>& keys) override {
    std::vector<std::string> texts;
    for (const KeyInFamily& key : keys) {
      texts.push_back(GetEntity(key));
    }
    return texts;
  }
  std::string Scan(int cf, int begin, int end, bool back) override {
    std::vector<std::string> entries;
    for (const auto& entry : state_[cf]) {
      if (IsWholeRange(begin, end) ||
          (entry.first >= KeyOf(begin) && entry.first < KeyOf(end))) {
        entries.push_back(Entry(entry));
      }
    }
    if (back) {
      std::reverse(entries.begin(), entries.end());
    }
    std::string text;
    for (const std::string& entry : entries) {
      text += entry;
    }
    return text;
  }

 private:
  const Columns* Find(const KeyInFamily& key) const {
    const auto it = state_[key.cf].find(KeyOf(key.key));
    return it == state_[key.cf].end() ? nullptr : it->second.get();
  }

  const ModelState& state_;
};

void EraseRange(int begin, int end, ModelMap* map) {
  if (begin < end) {
    map->erase(map->lower_bound(KeyOf(begin)), map->lower_bound(KeyOf(end)));
  }
}

std::shared_ptr<const Columns> Plain(std::string value) {
  return std::make_shared<const Columns>(Columns{{"", std::move(value)}});
}

}  // namespace

// Like MergeOperator::FullMergeV3 with the appending operator: appends to an
// entity's default column, which is created if missing.
void Model::Merge(int cf, const std::string& key, const std::string& operand) {
  std::shared_ptr<const Columns>& entry = state_[cf][key];
  if (entry == nullptr) {
    entry = Plain(operand);
    return;
  }
  Columns columns = *entry;
  columns[""] += "," + operand;
  entry = std::make_shared<const Columns>(std::move(columns));
}

void Model::Write(const Operation& write) {
  ModelMap* const map = &state_[write.cf];
  const std::string key = KeyOf(write.key);
  switch (write.verb) {
    case Verb::kPut:
      (*map)[key] = Plain(ValueOf(write.value, write.bytes));
      break;
    case Verb::kPutEntity:
      (*map)[key] =
          std::make_shared<const Columns>(EntityOf(write.value, write.bytes));
      break;
    case Verb::kMerge:
      Merge(write.cf, key, ValueOf(write.value, write.bytes));
      break;
    case Verb::kSinglePut:
      map->emplace(key, Plain(ValueOf(write.value, write.bytes)));
      break;
    case Verb::kDelete:
    case Verb::kSingleDelete:
      map->erase(key);
      break;
    case Verb::kDeleteRange:
      EraseRange(write.key, write.end, map);
      break;
    case Verb::kLoad:
      for (int i = write.key; i < write.end; i++) {
        (*map)[KeyOf(i)] =
            Plain(ValueOf(write.value + i - write.key, write.bytes));
      }
      break;
    default:
      assert(false);
  }
}

// The file's range tombstones do not cover its own keys.
void Model::Ingest(const std::vector<Operation>& writes) {
  std::set<std::pair<int, int>> seen;
  for (const bool ranges : {true, false}) {
    for (const Operation& write : writes) {
      const bool is_range = write.verb == Verb::kDeleteRange;
      if (is_range == ranges &&
          (is_range || seen.emplace(write.cf, write.key).second)) {
        Write(write);
      }
    }
  }
}

std::string Model::Walk(const Operation& operation) const {
  const auto held = iterators_.find(operation.slot);
  if (held == iterators_.end()) {
    return kNothing;
  }
  const ModelMap& map = held->second.state[held->second.cf];
  std::string text;
  int left = operation.count;
  if (operation.verb == Verb::kWalk) {
    auto it = map.lower_bound(KeyOf(operation.key));
    for (; left > 0 && it != map.end(); ++it, --left) {
      text += Entry(*it);
    }
  } else {
    auto it = std::make_reverse_iterator(map.upper_bound(KeyOf(operation.key)));
    for (; left > 0 && it != map.rend(); ++it, --left) {
      text += Entry(*it);
    }
  }
  return text;
}

std::string Model::Run(const Operation& operation) {
  if (IsWrite(operation.verb)) {
    Write(operation);
    return kDone;
  }
  switch (operation.verb) {
    case Verb::kBatch:
      for (const Operation& write : operation.parts) {
        Write(write);
      }
      return kDone;
    case Verb::kIngest:
      Ingest(operation.parts);
      return kDone;
    case Verb::kSnapshot:
      snapshots_[operation.slot] = state_;
      return kDone;
    case Verb::kRelease:
      snapshots_.erase(operation.slot);
      return kDone;
    case Verb::kIterator:
      iterators_[operation.slot] = {operation.cf, state_};
      return kDone;
    case Verb::kCloseIterator:
      iterators_.erase(operation.slot);
      return kDone;
    case Verb::kWalk:
    case Verb::kWalkBack:
      return Walk(operation);
    case Verb::kFlush:
    case Verb::kCompactRange:
    case Verb::kCompactFiles:
    case Verb::kHotRap:
    case Verb::kDisturb:
    case Verb::kWait:
      return kDone;
    case Verb::kReopen:
      snapshots_.clear();
      iterators_.clear();
      return kDone;
    default: {
      const auto snapshot = snapshots_.find(operation.slot);
      if (operation.slot != Operation::kNow && snapshot == snapshots_.end()) {
        return kNothing;
      }
      ModelView view(operation.slot == Operation::kNow ? state_
                                                       : snapshot->second);
      return ReadAnswer(operation, &view);
    }
  }
}

std::vector<std::string> ModelAnswers(
    const std::vector<Operation>& operations) {
  Model model;
  std::vector<std::string> answers;
  for (const Operation& operation : operations) {
    answers.push_back(model.Run(operation));
  }
  return answers;
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

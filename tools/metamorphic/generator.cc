//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/generator.h"

#include <algorithm>
#include <numeric>

#include "util/random.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {

struct Frequency {
  Verb verb;
  int weight;
  // No seed omits these, because without them no record becomes hot or moves.
  bool always;
};
constexpr Frequency kFrequencies[] = {
    {Verb::kPut, 200, true},          {Verb::kPutEntity, 40, false},
    {Verb::kMerge, 60, false},        {Verb::kDelete, 60, false},
    {Verb::kDeleteRange, 25, false},  {Verb::kSinglePut, 40, false},
    {Verb::kSingleDelete, 25, false}, {Verb::kLoad, 20, true},
    {Verb::kBatch, 50, false},        {Verb::kIngest, 15, false},
    {Verb::kGet, 60, true},           {Verb::kGetEntity, 20, false},
    {Verb::kMultiGet, 50, false},     {Verb::kMultiGetEntity, 10, false},
    {Verb::kScan, 30, false},         {Verb::kScanBack, 30, false},
    {Verb::kHot, 40, true},           {Verb::kCheck, 4, false},
    {Verb::kSnapshot, 20, false},     {Verb::kRelease, 12, false},
    {Verb::kIterator, 8, false},      {Verb::kWalk, 15, false},
    {Verb::kWalkBack, 15, false},     {Verb::kCloseIterator, 5, false},
    {Verb::kFlush, 30, true},         {Verb::kCompactRange, 12, false},
    {Verb::kCompactFiles, 50, true},  {Verb::kHotRap, 10, false},
    {Verb::kDisturb, 10, false},      {Verb::kWait, 6, false},
    {Verb::kReopen, 6, false},
};
constexpr int kMaxHotKeys = 40;
// An entry too large for the tiny promotion caches and files.
constexpr int kLargeBytes = 3000;

class Generator {
 public:
  explicit Generator(uint64_t seed) : seed_(seed), rnd_(seed) {
    for (const Frequency& frequency : kFrequencies) {
      constexpr int kFactors[] = {0, 1, 2, 2, 4};
      int factor = kFactors[Uniform(std::size(kFactors))];
      if (frequency.always) {
        factor = std::max(1, factor);
      }
      weights_.push_back(frequency.weight * factor);
    }
    // Use a separate generator, so that the lists of the other seeds do not
    // change.
    if (Random64(~seed).OneIn(8)) {
      MakeFrequent(Verb::kIngest);
    }
    num_keys_ = 40 + Uniform(kSingleBegin - 40);
    max_bytes_ = 20 + Uniform(400);
    num_single_keys_ = 5 + Uniform(kNumKeys - kSingleBegin - 5);
    ChooseHotKeys();
  }

  std::vector<Operation> Generate(int count) {
    std::vector<Operation> operations;
    if (Uniform(8) > 0) {
      LoadSlowTier(&operations);
    }
    // The other operations of a seed do not depend on these.
    Random64 copies(~seed_ - 1);
    for (int left = count - static_cast<int>(operations.size()); left > 0;
         left--) {
      operations.push_back(Any());
      if (copies.OneIn(100)) {
        operations.push_back(Plain(Verb::kCopy));
        operations.back().mode = static_cast<int>(copies.Uniform(2));
      }
    }
    // Finds whatever is wrong by now, at the latest after reopening.
    for (int slot = Operation::kNow; slot < kNumSlots; slot++) {
      operations.push_back(Check(slot));
    }
    operations.push_back(Plain(Verb::kReopen));
    operations.push_back(Check(Operation::kNow));
    return operations;
  }

 private:
  int Uniform(int n) { return static_cast<int>(rnd_.Uniform(n)); }
  bool OneIn(int n) { return Uniform(n) == 0; }

  static Operation Plain(Verb verb) {
    Operation operation;
    operation.verb = verb;
    return operation;
  }
  static Operation Check(int slot) {
    Operation operation = Plain(Verb::kCheck);
    operation.slot = slot;
    return operation;
  }

  // Makes the verb as frequent as all single writes together.
  void MakeFrequent(Verb verb) {
    for (size_t i = 0; i < weights_.size(); i++) {
      if (kFrequencies[i].verb == verb) {
        weights_[i] = kFrequencies[i].weight * 20;
      }
    }
  }

  void ChooseHotKeys() {
    hot_end_ = 5 + Uniform(kMaxHotKeys);
    hot_begin_ = Uniform(std::max(1, num_keys_ - hot_end_));
    hot_end_ = std::min(num_keys_, hot_begin_ + hot_end_);
  }

  int AnyKey() {
    if (OneIn(2)) {
      return hot_begin_ + Uniform(hot_end_ - hot_begin_);
    }
    return Uniform(num_keys_);
  }
  int AnySingleKey() { return kSingleBegin + Uniform(num_single_keys_); }
  int AnyReadKey() { return OneIn(8) ? AnySingleKey() : AnyKey(); }
  int AnySlot() { return Uniform(kNumSlots); }
  int AnySnapshotOrNow() { return OneIn(3) ? AnySlot() : Operation::kNow; }

  void SetRange(int longest, int limit, Operation* operation) {
    operation->key = std::min(AnyKey(), limit - 1);
    operation->end = std::min(limit, operation->key + 1 + Uniform(longest));
  }
  void SetValue(Operation* operation) {
    operation->value = next_value_++;
    operation->bytes = Uniform(max_bytes_);
    if (OneIn(60)) {
      operation->bytes = Uniform(kLargeBytes);
    }
  }

  Verb AnyOf(const std::vector<Verb>& verbs) {
    return verbs[Uniform(static_cast<int>(verbs.size()))];
  }

  Operation AnyWrite(Verb verb) {
    Operation operation = Plain(verb);
    operation.cf = Uniform(kNumColumnFamilies);
    operation.key = AnyKey();
    switch (verb) {
      case Verb::kSinglePut:
      case Verb::kSingleDelete:
        operation.key = AnySingleKey();
        break;
      case Verb::kDeleteRange:
        SetRange(OneIn(10) ? num_keys_ : 12, num_keys_, &operation);
        break;
      case Verb::kLoad:
        SetRange(30, num_keys_, &operation);
        break;
      default:
        break;
    }
    SetValue(&operation);
    if (verb == Verb::kLoad) {
      operation.bytes = Uniform(max_bytes_);
      next_value_ += operation.end - operation.key;
    } else if (verb == Verb::kMerge) {
      operation.bytes = std::min(operation.bytes, 40);
    }
    return operation;
  }

  void AddParts(const std::vector<Verb>& verbs, int most, Operation* outer) {
    const int count = 1 + Uniform(most);
    for (int i = 0; i < count; i++) {
      outer->parts.push_back(AnyWrite(AnyOf(verbs)));
    }
  }

  // A table may contain an entity and a range tombstone over it. But if the
  // tombstone, or a fragment of it, begins at the entity, scanning fails an
  // assert of stock RocksDB 10.4.2 (MergingIterator::SkipNextDeleted), because
  // at equal sequence numbers the entity's type sorts first.
  static void SpareAssert(std::vector<Operation>* parts) {
    for (Operation& part : *parts) {
      const bool covered = std::any_of(
          parts->begin(), parts->end(), [&](const Operation& range) {
            return range.verb == Verb::kDeleteRange && range.cf == part.cf &&
                   range.key <= part.key && part.key < range.end;
          });
      if (part.verb == Verb::kPutEntity && covered) {
        part.verb = Verb::kPut;
      }
    }
  }

  Operation AnyMultiGet(Verb verb) {
    Operation operation = Plain(verb);
    operation.slot = AnySnapshotOrNow();
    const int count = 1 + Uniform(12);
    for (int i = 0; i < count; i++) {
      Operation get = Plain(Verb::kGet);
      get.cf = Uniform(kNumColumnFamilies);
      get.key = AnyReadKey();
      operation.parts.push_back(get);
    }
    return operation;
  }

  Operation AnyHot() {
    if (OneIn(6)) {
      ChooseHotKeys();
    }
    Operation operation = Plain(Verb::kHot);
    operation.cf = Uniform(kNumColumnFamilies);
    operation.key = hot_begin_;
    operation.end = hot_end_;
    if (OneIn(4)) {
      operation.key = kSingleBegin;
      operation.end = kSingleBegin + num_single_keys_;
    }
    operation.count = 2 + Uniform(20);
    return operation;
  }

  Operation Any() {
    const int sum = std::accumulate(weights_.begin(), weights_.end(), 0);
    int left = Uniform(sum);
    size_t i = 0;
    for (; left >= weights_[i]; i++) {
      left -= weights_[i];
    }
    return AnyWith(kFrequencies[i].verb);
  }

  Operation AnyWith(Verb verb) {
    if (IsWrite(verb)) {
      return AnyWrite(verb);
    }
    Operation operation = Plain(verb);
    operation.cf = Uniform(kNumColumnFamilies);
    switch (verb) {
      case Verb::kBatch:
        AddParts({Verb::kPut, Verb::kPut, Verb::kPutEntity, Verb::kMerge,
                  Verb::kDelete, Verb::kDeleteRange, Verb::kSinglePut,
                  Verb::kSingleDelete},
                 8, &operation);
        break;
      case Verb::kIngest:
        AddParts({Verb::kPut, Verb::kPut, Verb::kPut, Verb::kPutEntity,
                  Verb::kMerge, Verb::kDelete, Verb::kDeleteRange},
                 10, &operation);
        SpareAssert(&operation.parts);
        break;
      case Verb::kGet:
      case Verb::kGetEntity:
        operation.key = AnyReadKey();
        operation.slot = AnySnapshotOrNow();
        break;
      case Verb::kMultiGet:
      case Verb::kMultiGetEntity:
        return AnyMultiGet(verb);
      case Verb::kScan:
      case Verb::kScanBack:
        SetRange(OneIn(4) ? kNumKeys : 20, kNumKeys, &operation);
        operation.slot = AnySnapshotOrNow();
        break;
      case Verb::kHot:
        return AnyHot();
      case Verb::kCheck:
        operation.slot = AnySnapshotOrNow();
        break;
      case Verb::kWalk:
      case Verb::kWalkBack:
        operation.slot = AnySlot();
        operation.key = AnyReadKey();
        operation.count = 1 + Uniform(30);
        break;
      case Verb::kSnapshot:
      case Verb::kRelease:
      case Verb::kIterator:
      case Verb::kCloseIterator:
        operation.slot = AnySlot();
        break;
      case Verb::kCompactRange:
        SetRange(OneIn(3) ? kNumKeys : 40, kNumKeys, &operation);
        operation.level = OneIn(5) ? Uniform(4) : Operation::kNoLevel;
        operation.mode = Uniform(4);
        break;
      case Verb::kCompactFiles:
        operation.level = Uniform(4);
        operation.mask = OneIn(2) ? 0xffff : 1 + Uniform(0xffff);
        break;
      case Verb::kHotRap:
        // Mostly return to the configuration's own settings.
        operation.mode = OneIn(2) ? static_cast<int>(HotRapMode::kAsConfigured)
                                  : Uniform(static_cast<int>(HotRapMode::kEnd));
        break;
      case Verb::kReopen:
        operation.mode = Uniform(2);
        break;
      default:
        break;
    }
    return operation;
  }

  // Fills both column families and moves them to the slow tier, so that records
  // are promoted soon after their first reads.
  void LoadSlowTier(std::vector<Operation>* operations) {
    for (int cf = 0; cf < kNumColumnFamilies; cf++) {
      Operation load = AnyWrite(Verb::kLoad);
      load.cf = cf;
      load.key = 0;
      load.end = num_keys_;
      load.bytes = max_bytes_;
      next_value_ += num_keys_;
      operations->push_back(load);
      Operation singles = Plain(Verb::kBatch);
      for (int i = 0; i < num_single_keys_; i++) {
        singles.parts.push_back(AnyWrite(Verb::kSinglePut));
        singles.parts.back().cf = cf;
        singles.parts.back().key = kSingleBegin + i;
      }
      operations->push_back(singles);
    }
    operations->push_back(Plain(Verb::kFlush));
    for (int cf = 0; cf < kNumColumnFamilies; cf++) {
      for (int level = 0; level < 2 + Uniform(2); level++) {
        Operation compact = Plain(Verb::kCompactFiles);
        compact.cf = cf;
        compact.level = level;
        compact.mask = 0xffff;
        operations->push_back(compact);
      }
    }
  }

  const uint64_t seed_;
  Random64 rnd_;
  std::vector<int> weights_;
  int num_keys_ = 0;
  int num_single_keys_ = 0;
  int max_bytes_ = 0;
  int hot_begin_ = 0;
  int hot_end_ = 0;
  int next_value_ = 1;
};

}  // namespace

std::vector<Operation> GenerateOperations(uint64_t seed, int count) {
  return Generator(seed).Generate(count);
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

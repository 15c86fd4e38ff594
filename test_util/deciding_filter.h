//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A compaction filter that a test tells what to decide, and that can block the
// thread that asks it: a compaction or a promotion.
//
// Thread-safe.

#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/compaction_filter.h"

namespace ROCKSDB_NAMESPACE {

class DecidingFilter : public CompactionFilter {
 public:
  // Whose question is meant. A thread is a compaction's while it has an object
  // of class InCompaction, and CompactFiles() runs in the caller's thread.
  enum class Asker { kCompaction, kPromotion };
  class InCompaction {
   public:
    InCompaction() { in_compaction_ = true; }
    ~InCompaction() { in_compaction_ = false; }
  };

  const char* Name() const override { return "DecidingFilter"; }

  // From now on decides so about keys in [begin, end), and keeps all others. A
  // changed value begins with "new|" and is kept. Records are skipped up to
  // `end`.
  void Decide(Decision decision, const std::string& begin,
              const std::string& end) {
    std::lock_guard<std::mutex> lock(mutex_);
    decision_ = decision;
    begin_ = begin;
    end_ = end;
  }

  // Blocks the first such question about a key that is not less.
  void Hold(Asker asker, const std::string& key) {
    std::lock_guard<std::mutex> lock(mutex_);
    holds_ = true;
    held_ = false;
    held_asker_ = asker;
    held_from_ = key;
  }
  // Waits until a question is blocked. Returns false after a minute.
  bool WaitHeld() {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1),
                             [this] { return held_; });
  }
  bool held() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return held_;
  }
  void LetGo() {
    std::lock_guard<std::mutex> lock(mutex_);
    holds_ = false;
    changed_.notify_all();
  }

  // How often it was asked about the key.
  int asked(Asker asker, const std::string& key) const {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto it = asked_.find({asker, key});
    return it == asked_.end() ? 0 : it->second;
  }
  // The level, type and value of the last question.
  int last_level() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return last_level_;
  }
  ValueType last_type() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return last_type_;
  }
  std::string last_value() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return last_value_;
  }

  Decision FilterV3(int level, const Slice& key, ValueType type,
                    const Slice* existing_value,
                    const WideColumns* existing_columns, std::string* new_value,
                    std::vector<std::pair<std::string, std::string>>* columns,
                    std::string* skip_until) const override {
    std::unique_lock<std::mutex> lock(mutex_);
    const Asker asker = in_compaction_ ? Asker::kCompaction : Asker::kPromotion;
    const std::string name = key.ToString();
    asked_[{asker, name}]++;
    last_level_ = level;
    last_type_ = type;
    last_value_ = existing_value != nullptr
                      ? existing_value->ToString()
                      : existing_columns->front().value().ToString();
    if (holds_ && !held_ && asker == held_asker_ && name >= held_from_) {
      held_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return !holds_; });
    }
    if (name < begin_ || name >= end_) {
      return Decision::kKeep;
    }
    switch (decision_) {
      case Decision::kChangeValue:
        if (last_value_.compare(0, 4, "new|") == 0) {
          return Decision::kKeep;
        }
        *new_value = "new|" + last_value_;
        break;
      case Decision::kChangeWideColumnEntity:
        if (last_value_.compare(0, 4, "new|") == 0) {
          return Decision::kKeep;
        }
        *columns = {{"", "new|" + last_value_}};
        break;
      case Decision::kRemoveAndSkipUntil:
        *skip_until = end_;
        break;
      default:
        break;
    }
    return decision_;
  }

 private:
  static inline thread_local bool in_compaction_ = false;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Decision decision_ = Decision::kKeep;
  std::string begin_;
  std::string end_;
  bool holds_ = false;
  mutable bool held_ = false;
  Asker held_asker_ = Asker::kCompaction;
  std::string held_from_;
  mutable std::map<std::pair<Asker, std::string>, int> asked_;
  mutable int last_level_ = -1;
  mutable ValueType last_type_ = ValueType::kValue;
  mutable std::string last_value_;
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The verbs of scenario scripts, which promotion/testdata/README.md describes.
// Each function takes the verb's arguments and returns its result as a word.

#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "plugin/hotrap/db/state/figures.h"
#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"
#include "plugin/hotrap/test_util/scenario_script.h"
#include "rocksdb/convenience.h"
#include "rocksdb/sst_file_writer.h"
#include "utilities/merge_operators.h"

namespace ROCKSDB_NAMESPACE {

class HotRapScenarioTestBase : public HotRapCrossingTestBase {
 public:
  using HotRapCrossingTestBase::HotRapCrossingTestBase;

  using Words = std::vector<std::string>;

  Options ScenarioOptions() {
    Options options = TrapOptions();
    options.merge_operator = MergeOperators::CreateStringAppendOperator();
    return options;
  }

  // ---- Words ---------------------------------------------------------------

  static std::string ToWord(const Status& s) {
    return s.ok() ? "ok" : "failed:" + s.ToString();
  }

  static std::vector<std::string> ToKeys(const std::string& word) {
    const auto [begin, end] = ScenarioKeys(word);
    return Keys(begin, end);
  }

  // Pads the value, so that about 14 records fill the promotion cache.
  static std::string ToValue(std::string word) {
    word.resize(kValueBytes, '.');
    return word;
  }
  static std::string FromValue(std::string value) {
    value.erase(std::remove(value.begin(), value.end(), '.'), value.end());
    return value == "NOT_FOUND" ? "nothing" : value;
  }

  // Returns the word that all words are equal to, else the list of words.
  static std::string All(const Words& words) {
    std::string list;
    for (const auto& word : words) {
      list += " " + word;
    }
    return std::equal(words.begin() + 1, words.end(), words.begin())
               ? words[0]
               : "differ:" + list;
  }

  // ---- Verbs: writes -------------------------------------------------------

  // Adds all keys to one batch and writes it.
  template <typename Add>
  std::string WriteEach(const std::string& keys, const Add& add) {
    WriteBatch batch;
    for (const auto& key : ToKeys(keys)) {
      EXPECT_OK(add(&batch, key));
    }
    return ToWord(db_->Write(WriteOptions(), &batch));
  }
  std::string Put(const Words& args) {
    return WriteEach(args[0], [&](WriteBatch* batch, const std::string& key) {
      return batch->Put(key, ToValue(args[1]));
    });
  }
  std::string Merge(const Words& args) {
    return WriteEach(args[0], [&](WriteBatch* batch, const std::string& key) {
      return batch->Merge(key, ToValue(args[1]));
    });
  }
  std::string Delete(const Words& args) {
    return WriteEach(args[0], [](WriteBatch* batch, const std::string& key) {
      return batch->Delete(key);
    });
  }
  std::string SingleDelete(const Words& args) {
    return WriteEach(args[0], [](WriteBatch* batch, const std::string& key) {
      return batch->SingleDelete(key);
    });
  }
  std::string DeleteRange(const Words& args) {
    const auto [begin, end] = ScenarioKeys(args[0]);
    return ToWord(db_->DeleteRange(WriteOptions(), Key(begin), Key(end)));
  }
  std::string Ingest(const Words& args) {
    const std::string path = dbname_ + "/to_ingest.sst";
    SstFileWriter writer(EnvOptions(), ScenarioOptions());
    EXPECT_OK(writer.Open(path));
    for (const auto& key : ToKeys(args[0])) {
      EXPECT_OK(writer.Put(key, ToValue(args[1])));
    }
    EXPECT_OK(writer.Finish());
    return ToWord(db_->IngestExternalFile({path}, {}));
  }
  std::string DeleteFiles(const Words& args) {
    const std::vector<std::string> keys = ToKeys(args[0]);
    const Slice begin = keys.front();
    const Slice end = keys.back();
    return ToWord(
        DeleteFilesInRange(db_, db_->DefaultColumnFamily(), &begin, &end));
  }

  // ---- Verbs: reads --------------------------------------------------------

  Words GetEach(const std::string& keys, const Snapshot* snapshot = nullptr) {
    Words values;
    for (const auto& key : ToKeys(keys)) {
      values.push_back(FromValue(HotRapCrossingTestBase::Get(key, snapshot)));
    }
    return values;
  }
  Words MultiGetEach(const std::string& keys,
                     const Snapshot* snapshot = nullptr) {
    Words values = HotRapCrossingTestBase::MultiGet(ToKeys(keys), snapshot);
    std::transform(values.begin(), values.end(), values.begin(), FromValue);
    return values;
  }
  Words SeekEach(const std::string& keys, const Snapshot* snapshot = nullptr) {
    ReadOptions options;
    options.snapshot = snapshot;
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    Words values;
    for (const auto& key : ToKeys(keys)) {
      it->Seek(key);
      const bool found = it->Valid() && it->key() == key;
      values.push_back(found ? FromValue(it->value().ToString()) : "nothing");
    }
    EXPECT_OK(it->status());
    return values;
  }
  Words ReadEach(const std::string& keys, const Snapshot* snapshot = nullptr) {
    Words values = SeekEach(keys, snapshot);
    for (const auto& more :
         {GetEach(keys, snapshot), MultiGetEach(keys, snapshot)}) {
      values.insert(values.end(), more.begin(), more.end());
    }
    return values;
  }

  std::string Get(const Words& args) { return All(GetEach(args[0])); }
  std::string MultiGet(const Words& args) { return All(MultiGetEach(args[0])); }
  std::string Iterate(const Words& args) { return All(SeekEach(args[0])); }
  std::string Read(const Words& args) { return All(ReadEach(args[0])); }
  std::string ReadAt(const Words& args) {
    const auto snapshot = snapshots_.find(args[1]);
    return snapshot == snapshots_.end()
               ? "failed:no such snapshot"
               : All(ReadEach(args[0], snapshot->second));
  }
  std::string Snap(const Words& args) {
    snapshots_[args[0]] = db_->GetSnapshot();
    return "ok";
  }
  std::string Release(const Words& args) {
    db_->ReleaseSnapshot(snapshots_[args[0]]);
    snapshots_.erase(args[0]);
    return "ok";
  }

  // ---- Verbs: movement of records ------------------------------------------

  std::string Flush(const Words&) {
    return ToWord(HotRapCrossingTestBase::Flush());
  }
  std::string Compact(const Words& args) {
    return ToWord(CompactLevel(db_, db_->DefaultColumnFamily(),
                               std::stoi(args[0]), std::stoi(args[1])));
  }
  std::string CompactAllTo(const Words& args) {
    return ToWord(
        CompactAll(db_, db_->DefaultColumnFamily(), std::stoi(args[0])));
  }
  std::string ChangeLevel(const Words& args) {
    CompactRangeOptions options;
    options.change_level = true;
    options.target_level = std::stoi(args[0]);
    return ToWord(db_->CompactRange(options, nullptr, nullptr));
  }
  std::string Heat(const Words& args) {
    MakeHot(ToKeys(args[0]));
    return "ok";
  }
  std::string Load(const Words& args) {
    EXPECT_EQ("ok", Put({args[0], "v1"}));
    EXPECT_EQ("ok", Flush({}));
    EXPECT_EQ("ok", Compact({"0", "3"}));
    return Heat(args);
  }
  std::string Seal(const Words&) {
    const uint64_t seals = Counter(HotRapCounter::kSeals);
    for (int round = 0; round < 5000; round++) {
      for (const auto& key : Fillers()) {
        if (Counter(HotRapCounter::kSeals) > seals) {
          return "ok";
        }
        Touch({key});
      }
    }
    return "failed:no promotion begins";
  }
  std::string Rest(const Words&) {
    WaitForPromotionIdle();
    return "ok";
  }
  std::string Promote(const Words&) {
    const std::string sealed = Seal({});
    return sealed == "ok" ? Rest({}) : sealed;
  }
  std::string Set(const Words& args) {
    return ToWord(db_->SetOptions({{args[0], args[1]}}));
  }
  std::string CloseDB(const Words&) {
    Close();
    return "ok";
  }
  std::string ReopenDB(const Words&) {
    return ToWord(TryReopen(ScenarioOptions()));
  }

  // ---- Verbs: inspection ---------------------------------------------------

  std::string Cached(const Words& args) {
    Words answers;
    for (const auto& key : ToKeys(args[0])) {
      answers.push_back(InCache(key) ? "yes" : "no");
    }
    return All(answers);
  }
  std::string Levels(const Words& args) {
    std::map<std::string, std::string> levels;
    for (int level = 0; level < db_->NumberLevels(); level++) {
      for (const auto& key : KeysAtLevel(level)) {
        std::string& list = levels[key];
        list += (list.empty() ? "" : ",") + std::to_string(level);
      }
    }
    Words lists;
    for (const auto& key : ToKeys(args[0])) {
      lists.push_back(levels[key].empty() ? "none" : levels[key]);
    }
    return All(lists);
  }
  std::string Count(const Words& args) {
    Figures counter{args[0]};
    Tier()->stats().AddTo(&counter);
    return std::to_string(counter.number().value());
  }

 protected:
  std::map<std::string, const Snapshot*> snapshots_;
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Races between promotion by flush, promotion by compaction, retention and the
// rest of the DB, each told by a script: see promotion/testdata/README.md.

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <utility>

#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"
#include "plugin/hotrap/test_util/scenario_script.h"
#include "rocksdb/convenience.h"
#include "rocksdb/sst_file_writer.h"
#include "utilities/merge_operators.h"

namespace ROCKSDB_NAMESPACE {

class HotRapScenarioTest : public HotRapCrossingTestBase,
                           public testing::WithParamInterface<std::string> {
 public:
  HotRapScenarioTest() : HotRapCrossingTestBase("hotrap_scenario_test") {}
  ~HotRapScenarioTest() override { Abandon(); }

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

  // Of "k3" or "k3..k6".
  static std::pair<int, int> ToRange(const std::string& word) {
    const size_t dots = word.find("..");
    const int first = std::stoi(word.substr(1));
    return {first,
            1 + (dots == std::string::npos ? first
                                           : std::stoi(word.substr(dots + 3)))};
  }
  static std::vector<std::string> ToKeys(const std::string& word) {
    const auto [begin, end] = ToRange(word);
    return Keys(begin, end);
  }

  // Padded, so that some 14 records fill the promotion cache.
  static std::string ToValue(std::string word) {
    word.resize(kValueBytes, '.');
    return word;
  }
  static std::string FromValue(std::string value) {
    value.erase(std::remove(value.begin(), value.end(), '.'), value.end());
    return value == "NOT_FOUND" ? "nothing" : value;
  }

  // The one word that all of them are.
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

  // In one batch.
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
    const auto [begin, end] = ToRange(args[0]);
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

  // ---- Verbs: what moves records -------------------------------------------

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
    for (int round = 0; Counter(HotRapCounter::kSeals) == seals; round++) {
      if (round == 5000) {
        return "failed:no promotion begins";
      }
      Touch(Fillers());
    }
    return "ok";
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

  // ---- Verbs: what to look at ----------------------------------------------

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
    std::map<std::string, std::string> counters;
    Tier()->stats().AddTo(&counters);
    return counters[args[0]];
  }

  // ---- A script ------------------------------------------------------------

  struct Verb {
    const char* signature;
    std::string (HotRapScenarioTest::*run)(const Words& args);
  };
  static const Verb* FindVerb(const std::string& name) {
    using Test = HotRapScenarioTest;
    static const std::map<std::string, Verb> kVerbs = {
        {"put", {"keys word", &Test::Put}},
        {"merge", {"keys word", &Test::Merge}},
        {"delete", {"keys", &Test::Delete}},
        {"single-delete", {"keys", &Test::SingleDelete}},
        {"delete-range", {"keys", &Test::DeleteRange}},
        {"ingest", {"keys word", &Test::Ingest}},
        {"delete-files", {"keys", &Test::DeleteFiles}},
        {"get", {"keys", &Test::Get}},
        {"multiget", {"keys", &Test::MultiGet}},
        {"iterate", {"keys", &Test::Iterate}},
        {"read", {"keys", &Test::Read}},
        {"read-at", {"keys word", &Test::ReadAt}},
        {"snapshot", {"word", &Test::Snap}},
        {"release", {"word", &Test::Release}},
        {"flush", {"", &Test::Flush}},
        {"compact", {"level level", &Test::Compact}},
        {"compact-all", {"level", &Test::CompactAllTo}},
        {"change-level", {"level", &Test::ChangeLevel}},
        {"load", {"keys", &Test::Load}},
        {"heat", {"keys", &Test::Heat}},
        {"seal", {"", &Test::Seal}},
        {"rest", {"", &Test::Rest}},
        {"promote", {"", &Test::Promote}},
        {"set", {"word word", &Test::Set}},
        {"close", {"", &Test::CloseDB}},
        {"reopen", {"", &Test::ReopenDB}},
        {"cached", {"keys", &Test::Cached}},
        {"levels", {"keys", &Test::Levels}},
        {"count", {"word", &Test::Count}},
        // These end what the thread has begun.
        {"goes", {"on", nullptr}},
        {"fails", {"", nullptr}},
    };
    const auto verb = kVerbs.find(name);
    return verb == kVerbs.end() ? nullptr : &verb->second;
  }

  struct Place {
    FileOp op;
    const char* pattern;
  };
  static const Place* FindPlace(const std::string& name) {
    static const std::map<std::string, Place> kPlaces = {
        {"fast-file", {FileOp::kCreate, kFastTable}},
        {"slow-file", {FileOp::kCreate, kSlowTable}},
        {"fast-read", {FileOp::kRead, kFastTable}},
        {"slow-read", {FileOp::kRead, kSlowTable}},
        {"manifest", {FileOp::kAppend, kManifest}},
    };
    const auto place = kPlaces.find(name);
    return place == kPlaces.end() ? nullptr : &place->second;
  }

  static bool IsGood(const ScenarioCommand& command) {
    const Verb* const verb = FindVerb(command.verb);
    if (verb == nullptr || !command.Fits(verb->signature) ||
        (!command.place.empty() && FindPlace(command.place) == nullptr)) {
      return false;
    }
    // Only main's commands end before the next line.
    const bool begins = command.waits || !command.place.empty();
    return begins == (command.thread != "main" && verb->run != nullptr);
  }

  void Expect(const ScenarioCommand& command, const std::string& result) {
    // What follows a colon is for who reads the failure.
    EXPECT_EQ(command.result, result.substr(0, result.find(':')))
        << command.where << ": " << result;
  }

  void Begin(const ScenarioCommand& command) {
    ASSERT_EQ(0, threads_.count(command.thread)) << "has something to end";
    Thread& thread = threads_[command.thread];
    if (!command.waits) {
      const Place* const place = FindPlace(command.place);
      thread.gate =
          std::make_unique<FileGate>(fs_.get(), place->op, place->pattern);
    }
    thread.result = std::async(std::launch::async, [this, command] {
      return (this->*FindVerb(command.verb)->run)(command.args);
    });
    if (command.waits) {
      // Too short a time can miss that it does not wait, but not invent it.
      ASSERT_EQ(std::future_status::timeout,
                thread.result.wait_for(std::chrono::milliseconds(200)));
    } else {
      ASSERT_TRUE(thread.gate->WaitCaught());
    }
  }

  void End(const ScenarioCommand& command) {
    const auto thread = threads_.find(command.thread);
    ASSERT_TRUE(thread != threads_.end()) << "has nothing to end";
    FileGate* const gate = thread->second.gate.get();
    if (command.verb == "fails") {
      ASSERT_NE(nullptr, gate);
      IOStatus error = IOStatus::IOError("injected");
      error.SetRetryable(true);
      gate->Fail(error);
    } else if (gate != nullptr) {
      gate->Open();
    }
    Expect(command, thread->second.result.get());
    threads_.erase(thread);
  }

  void Do(const ScenarioCommand& command) {
    const Verb* const verb = FindVerb(command.verb);
    if (verb->run == nullptr) {
      End(command);
    } else if (command.thread != "main") {
      Begin(command);
    } else {
      Expect(command, (this->*verb->run)(command.args));
    }
  }

  // Lets all threads go, and waits until they are gone.
  void Abandon() {
    for (auto& [name, thread] : threads_) {
      thread.gate.reset();
    }
    threads_.clear();
  }

  // What the DB says of everything that a script can name.
  Words Content() {
    Words content = Scan(db_, ReadOptions());
    Words backwards = Scan(db_, ReadOptions(), /*backwards=*/true);
    std::reverse(backwards.begin(), backwards.end());
    EXPECT_EQ(content, backwards);
    EXPECT_EQ(content.end(),
              std::adjacent_find(content.begin(), content.end()));
    for (int i = 0; i < kLoadedEnd; i++) {
      content.push_back(Read({"k" + std::to_string(i)}));
    }
    return content;
  }

  // That stays as it is, wherever the records go.
  void Settle() {
    const Words content = Content();
    const auto expect_same = [&](const std::string& after) {
      EXPECT_EQ(content, Content()) << after;
    };
    EXPECT_EQ("ok", Flush({}));
    expect_same("flushed");
    for (int level = 0; level <= kFirstSlowLevel; level++) {
      if (NumTableFilesAtLevel(level) > 0) {
        const std::string from = std::to_string(level);
        EXPECT_EQ("ok", Compact({from, std::to_string(level + 1)}));
        expect_same("compacted from level " + from);
      }
    }
    EXPECT_EQ("ok", CompactAllTo({"3"}));
    expect_same("compacted");
    EXPECT_EQ("ok", ReopenDB({}));
    expect_same("reopened");
  }

 protected:
  // Keys that scripts can name.
  static constexpr int kLoadedEnd = 100;

  struct Thread {
    std::future<std::string> result;
    std::unique_ptr<FileGate> gate;
  };
  std::map<std::string, Thread> threads_;
  std::map<std::string, const Snapshot*> snapshots_;
};

TEST_P(HotRapScenarioTest, Tells) {
  const std::vector<ScenarioCommand> script =
      ReadScenario(HOTRAP_SCENARIOS "/" + GetParam());
  ASSERT_FALSE(script.empty());
  for (const auto& command : script) {
    ASSERT_TRUE(IsGood(command)) << command.where << ": a bad line";
  }
  DestroyAndReopen(ScenarioOptions());
  ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), kFillersBegin,
                       kFillersEnd, 1));
  ASSERT_EQ("ok", CompactAllTo({"3"}));
  ASSERT_NO_FATAL_FAILURE(MakeHot(Fillers()));
  for (const auto& command : script) {
    SCOPED_TRACE(command.where);
    Do(command);
    if (HasFailure()) {
      Abandon();
      for (const auto& [name, snapshot] : snapshots_) {
        db_->ReleaseSnapshot(snapshot);
      }
      return;
    }
  }
  ASSERT_TRUE(threads_.empty()) << "a thread does not end";
  ASSERT_TRUE(snapshots_.empty()) << "a snapshot is not released";
  Settle();
}

std::vector<std::string> Scenarios() {
  std::vector<std::string> names;
  EXPECT_OK(Env::Default()->GetChildren(HOTRAP_SCENARIOS, &names));
  names.erase(std::remove_if(names.begin(), names.end(),
                             [](const std::string& name) {
                               return !Slice(name).ends_with(".txt");
                             }),
              names.end());
  std::sort(names.begin(), names.end());
  return names;
}

std::string ScenarioName(const testing::TestParamInfo<std::string>& info) {
  return info.param.substr(0, info.param.find('.'));
}

INSTANTIATE_TEST_SUITE_P(Scripts, HotRapScenarioTest,
                         testing::ValuesIn(Scenarios()), ScenarioName);

}  // namespace ROCKSDB_NAMESPACE

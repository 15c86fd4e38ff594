//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Runs scripts of races between promotion by flush, promotion by compaction,
// retention and the rest of the DB. See promotion/testdata/README.md.

#include <algorithm>
#include <future>

#include "plugin/hotrap/test_util/hotrap_scenario_test_base.h"
#include "plugin/hotrap/test_util/scenario_script.h"

namespace ROCKSDB_NAMESPACE {

class HotRapScenarioTest : public HotRapScenarioTestBase,
                           public testing::WithParamInterface<std::string> {
 public:
  HotRapScenarioTest() : HotRapScenarioTestBase("hotrap_scenario_test") {}
  ~HotRapScenarioTest() override { Abandon(); }

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
        // These end the thread's command.
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
    // Text after a colon is for human readers only.
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
      // A short timeout may miss that the thread does not wait, but gives no
      // false failures.
      ASSERT_EQ(std::future_status::timeout,
                thread.result.wait_for(std::chrono::milliseconds(200)));
    } else {
      ASSERT_TRUE(thread.gate->WaitCaught());
      if (command.verb == "seal") {
        // Its promotion is blocked at the gate. Further reads would fill the
        // cache again, and be caught by other gates.
        thread.result.wait();
      }
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

  // Releases all threads and waits for them to end.
  void Abandon() {
    for (auto& [name, thread] : threads_) {
      thread.gate.reset();
    }
    threads_.clear();
  }

  // Returns the DB's answers for everything that a script can name.
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

  // Expects that the content does not change, wherever the records move.
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

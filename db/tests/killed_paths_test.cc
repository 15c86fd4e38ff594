//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Kills at each change of a file or folder while a DB over two paths is opened
// or repaired. The next attempt must succeed, and find all records.

#include <functional>
#include <memory>
#include <string>

#include "plugin/hotrap/test_util/dying_file_system.h"
#include "plugin/hotrap/test_util/two_path_test_base.h"

namespace ROCKSDB_NAMESPACE {

class KilledPathsTest : public TwoPathTestBase {
 public:
  KilledPathsTest() : TwoPathTestBase("killed_paths_test") {}

  // Calls `attempt` with an Env that dies after a number of changes, which
  // grows until it does not die. `prepare` comes before it, `check` after.
  void KillAnywhere(const std::function<void()>& prepare,
                    const std::function<void(Env*)>& attempt,
                    const std::function<void()>& check) {
    bool ended = false;
    for (int64_t changes = 0; !ended && !HasFailure(); changes++) {
      SCOPED_TRACE(changes);
      ASSERT_OK(DestroyDir(env_, root_));
      ASSERT_OK(env_->CreateDirIfMissing(root_));
      prepare();
      const auto dying = std::make_shared<DyingFileSystem>(
          FileSystem::Default(), [](const std::string&) { return true; });
      dying->DieAfter(changes);
      const std::unique_ptr<Env> env = NewCompositeEnv(dying);
      attempt(env.get());
      ended = !dying->dead();
      check();
      Close();
    }
  }

  void OpenIn(Env* env, Options options, const std::string& dbname) {
    options.env = env;
    if (Open(options, dbname).ok()) {
      // Closing in a dead file system may fail.
      db_->Close().PermitUncheckedError();
      delete db_;
      db_ = nullptr;
    }
  }
  static void RepairIn(Env* env, Options options, const std::string& dbname) {
    options.env = env;
    RepairDB(dbname, options).PermitUncheckedError();
  }
};

TEST_F(KilledPathsTest, WhileTheDBIsCreated) {
  KillAnywhere([] {}, [&](Env* env) { OpenIn(env, TwoPaths(), Fast()); },
               [&] {
                 MakeDB();
                 ExpectWhole(TwoPaths(), Fast());
               });
}

TEST_F(KilledPathsTest, WhileItIsOpened) {
  KillAnywhere([&] { MakeDB(); },
               [&](Env* env) { OpenIn(env, TwoPaths(), Fast()); },
               [&] { ExpectWhole(TwoPaths(), Fast()); });
}

TEST_F(KilledPathsTest, WhileAMovedPathIsNoted) {
  const Options moved = OptionsFor({Fast(), Folder("slow2")});
  KillAnywhere(
      [&] {
        MakeDB();
        Move(Slow(), Folder("slow2"));
      },
      [&](Env* env) { OpenIn(env, moved, Fast()); },
      [&] { ExpectWhole(moved, Fast()); });
}

// All tables are in one folder, and the DB is opened with that one only.
TEST_F(KilledPathsTest, WhileAPathIsGivenUp) {
  KillAnywhere(
      [&] {
        MakeDB();
        MoveTables(Slow(), Fast());
      },
      [&](Env* env) { OpenIn(env, OptionsFor({}), Fast()); },
      [&] { ExpectWhole(OptionsFor({}), Fast()); });
}

TEST_F(KilledPathsTest, WhileAPathIsPutInFront) {
  const Options options = OptionsFor({Folder("faster"), Fast(), Slow()});
  KillAnywhere([&] { MakeDB(); },
               [&](Env* env) { OpenIn(env, options, Fast()); },
               [&] { ExpectWhole(options, Fast()); });
}

TEST_F(KilledPathsTest, WhileItIsRepaired) {
  for (const bool damaged : {false, true}) {
    KillAnywhere(
        [&] {
          MakeDB();
          if (damaged) {
            DamageManifest();
          }
        },
        [&](Env* env) { RepairIn(env, OptionsFor({}), Fast()); },
        [&] {
          ASSERT_OK(RepairDB(Fast(), OptionsFor({})));
          ExpectWholeForGood(TwoPaths());
        });
  }
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Kills processes that use a Ralt at random moments.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "plugin/hotrap/ralt/ralt.h"
#include "plugin/hotrap/ralt/ralt_test_util.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr char kFolderVariable[] = "RALT_KILL_TEST_FOLDER";
constexpr char kKillsVariable[] = "RALT_KILLS";
constexpr int kDefaultKills = 20;
constexpr uint64_t kHotKeys = 200;
}  // namespace

class RaltKillTest : public RaltTestBase {
 protected:
  RaltKillTest() { UseRealFiles(); }
};

// The code of the killed process. Started only by the test below.
TEST_F(RaltKillTest, DISABLED_Victim) {
  const char* const folder = getenv(kFolderVariable);
  ASSERT_NE(nullptr, folder);
  options_.path = folder;
  Open();
  Random64 random(static_cast<uint64_t>(getpid()));
  for (;;) {
    const uint64_t number = random.OneIn(10) ? 1000 + random.Uniform(100000)
                                             : random.Uniform(kHotKeys);
    ralt_->RecordAccess(Key(number), kValueBytes);
    if (random.OneIn(50)) {
      options_.env->SleepForMicroseconds(100);
    }
  }
}

TEST_F(RaltKillTest, HotKeysSurviveKills) {
  Open();
  MakeHot(0, kHotKeys);
  ralt_.reset();

  const char* const kills_text = getenv(kKillsVariable);
  const int kills = kills_text == nullptr ? kDefaultKills : atoi(kills_text);
  ASSERT_EQ(0, setenv(kFolderVariable, path_.c_str(), /*overwrite=*/1));
  Random64 random(301);
  int survived = 0;
  for (int i = 0; i < kills; ++i) {
    const pid_t victim = fork();
    ASSERT_GE(victim, 0);
    if (victim == 0) {
      execl("/proc/self/exe", "ralt_kill_test", "--gtest_brief=1",
            "--gtest_also_run_disabled_tests",
            "--gtest_filter=RaltKillTest.DISABLED_Victim",
            static_cast<char*>(nullptr));
      _exit(1);
    }
    options_.env->SleepForMicroseconds(
        static_cast<int>(20000 + random.Uniform(200000)));
    ASSERT_EQ(0, kill(victim, SIGKILL));
    int exit_status = 0;
    ASSERT_EQ(victim, waitpid(victim, &exit_status, 0));
    ASSERT_TRUE(WIFSIGNALED(exit_status)) << exit_status;

    Open();
    EXPECT_EQ(0u, ralt_->GetStats().resets);
    ASSERT_OK(ralt_->WaitForIdle());
    survived += CountHot(0, kHotKeys) >= kHotKeys * 95 / 100 ? 1 : 0;
    ralt_.reset();
  }
  // Appears in --gtest_output=json:FILE.
  RecordProperty("kills_after_which_95_percent_were_hot", survived);
  EXPECT_GE(survived, kills * 95 / 100);
}

}  // namespace ROCKSDB_NAMESPACE::ralt

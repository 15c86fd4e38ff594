//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// What HotRAP writes beside tables is as protected as the DB's own files: an
// encrypted Env encrypts it, and others may not read it where they may not read
// the DB.

#include <sys/stat.h>

#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/db/state/ralt_folders.h"
#include "plugin/hotrap/test_util/hotrap_db_test_base.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env_encryption.h"

namespace ROCKSDB_NAMESPACE {

class EncryptedRaltTest : public HotRapDBTestBase {
 public:
  EncryptedRaltTest() : HotRapDBTestBase("encrypted_ralt_test") {}

 protected:
  static constexpr char kSecret[] = "customer-4711-";

  // Reads records so often that RALT writes runs, and the curve of hit rates.
  void MakeRalt() {
    WaitForRalt();
    Ralt* const ralt = Tier()->ralt();
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 500; i++) {
        ralt->RecordAccess(kSecret + std::to_string(i), 10000);
      }
      ASSERT_OK(ralt->Flush());
    }
  }

  // All files that HotRAP has made, with their contents as they are on disk.
  std::vector<std::pair<std::string, std::string>> Files() {
    const std::string ralt = RaltFolders::In(FastPath(), 0);
    std::vector<std::string> names;
    EXPECT_OK(Env::Default()->GetChildren(ralt, &names));
    std::vector<std::pair<std::string, std::string>> files;
    for (const std::string& name : names) {
      if (name[0] != '.') {
        files.emplace_back(ralt + "/" + name, "");
      }
    }
    files.emplace_back(dbname_ + "/HOTRAP_PATHS", "");
    for (auto& [name, contents] : files) {
      EXPECT_OK(ReadFileToString(Env::Default(), name, &contents));
    }
    return files;
  }

  Options LargeBudget() {
    Options options = HotRapOptionsForTest();
    options.hotrap.fast_budget_bytes = 4 << 20;
    return options;
  }
};

TEST_F(EncryptedRaltTest, AnEncryptedEnvEncryptsIt) {
  Options options = LargeBudget();
  DestroyAndReopen(options);
  MakeRalt();
  Close();
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  // What is looked for is there without encryption.
  bool plain = false;
  size_t count = 0;
  for (const auto& [name, contents] : Files()) {
    plain = plain || has(contents, kSecret);
    count += has(name, "HIT_RATES") ? 1 : 0;
    if (has(name, "HOTRAP_PATHS")) {
      EXPECT_TRUE(has(contents, SlowPath()));
    }
  }
  EXPECT_TRUE(plain);
  EXPECT_EQ(1u, count);
  Destroy(options);

  std::shared_ptr<EncryptionProvider> provider;
  ASSERT_OK(EncryptionProvider::CreateFromString(ConfigOptions(), "CTR://test",
                                                 &provider));
  const std::unique_ptr<Env> encrypted(
      NewEncryptedEnv(Env::Default(), provider));
  options.env = encrypted.get();
  DestroyAndReopen(options);
  MakeRalt();
  const bool hot = Tier()->ralt()->IsHot(std::string(kSecret) + "1");
  Close();
  for (const auto& [name, contents] : Files()) {
    EXPECT_FALSE(has(contents, kSecret)) << name;
    EXPECT_FALSE(has(contents, "RLTR")) << name;
    EXPECT_FALSE(has(contents, SlowPath())) << name;
  }
  // And it is read again.
  Reopen(options);
  WaitForRalt();
  EXPECT_EQ(hot, Tier()->ralt()->IsHot(std::string(kSecret) + "1"));
  EXPECT_EQ(0u, Tier()->ralt()->GetStats().resets);
  // The Env does not outlive the test.
  DestroyAndReopen(LargeBudget());
}

TEST_F(EncryptedRaltTest, OthersMayReadWhatTheyMayReadOfTheDB) {
  const mode_t before = umask(0);
  for (const mode_t mask : {mode_t{0022}, mode_t{0077}}) {
    umask(mask);
    const Options options = LargeBudget();
    DestroyAndReopen(options);
    MakeRalt();
    Close();
    std::string current;
    ASSERT_OK(ReadFileToString(Env::Default(), dbname_ + "/CURRENT", &current));
    current.pop_back();
    struct stat manifest {};
    ASSERT_EQ(0, stat((dbname_ + "/" + current).c_str(), &manifest));
    EXPECT_EQ(0u, manifest.st_mode & mask);
    for (const auto& [name, contents] : Files()) {
      struct stat file {};
      ASSERT_EQ(0, stat(name.c_str(), &file));
      EXPECT_EQ(manifest.st_mode & 0777, file.st_mode & 0777) << name;
    }
    struct stat folder {};
    ASSERT_EQ(0, stat(RaltFolders::In(FastPath(), 0).c_str(), &folder));
    EXPECT_EQ(0u, folder.st_mode & mask);
    Destroy(options);
  }
  umask(before);
}

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ralt_dump/folder_dump.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "plugin/hotrap/ralt/ralt_test_util.h"
#include "plugin/hotrap/ralt/run/format.h"

namespace ROCKSDB_NAMESPACE::ralt {

class FolderDumpTest : public RaltTestBase {
 protected:
  static constexpr uint64_t kHotKeys = 200;
  static constexpr uint64_t kColdKeys = 300;

  FolderDumpTest() {
    // Not UTF-8, unlike JSON.
    options_.cf_name = "caf\xe9";
    dump_options_.path = path_;
    dump_options_.fs = env_->GetFileSystem();
  }

  // Creates a closed folder. The first hot key has the highest score.
  void MakeFolder() {
    Open();
    MakeHot(0, kHotKeys);
    for (int i = 0; i < 50; ++i) {
      Access(5000, 5010);
      Access(0, 1);
    }
    Access(1000, 1000 + kColdKeys);
    ASSERT_OK(ralt_->Flush());
    stats_ = ralt_->GetStats();
    ralt_.reset();
  }

  int Dump() {
    std::ostringstream out;
    std::ostringstream errors;
    const int exit_code = DumpFolder(dump_options_, &out, &errors);
    out_ = out.str();
    errors_ = errors.str();
    return exit_code;
  }

  nlohmann::json DumpJson(int expected_exit_code) {
    dump_options_.json = true;
    EXPECT_EQ(expected_exit_code, Dump()) << errors_;
    nlohmann::json parsed =
        nlohmann::json::parse(out_, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(parsed.is_object()) << out_;
    return parsed;
  }

  // Expects every word of `words` in the message.
  void ExpectMessage(const std::vector<std::string>& words) {
    EXPECT_EQ(0u, errors_.find("ralt_dump: ")) << errors_;
    for (const std::string& word : words) {
      EXPECT_NE(std::string::npos, errors_.find(word)) << errors_;
    }
  }

  std::string Read(const std::string& name) {
    std::string bytes;
    EXPECT_OK(
        ReadFileToString(dump_options_.fs.get(), name, IOOptions(), &bytes));
    return bytes;
  }

  void Write(const std::string& name, const std::string& bytes) {
    ASSERT_OK(WriteStringToFile(dump_options_.fs.get(), bytes, name));
  }

  std::string AnyRun() {
    std::vector<std::string> names;
    EXPECT_OK(options_.env->GetChildren(path_, &names));
    for (const std::string& name : names) {
      uint64_t number;
      if (ParseRunFileName(name, &number)) {
        return path_ + "/" + name;
      }
    }
    ADD_FAILURE() << "no run";
    return "";
  }

  FolderDumpOptions dump_options_;
  RaltStats stats_;
  std::string out_;
  std::string errors_;
};

TEST_F(FolderDumpTest, JsonSaysWhatIsThere) {
  MakeFolder();
  const nlohmann::json dump = DumpJson(kExitOk);
  EXPECT_EQ("", errors_);

  const nlohmann::json& manifest = dump["manifest"];
  EXPECT_EQ("db-of-the-test", manifest["db_id"]);
  EXPECT_EQ("caf\\xe9", manifest["cf_name"]);
  EXPECT_EQ(stats_.hot_set_limit_bytes, manifest["hot_set_limit_bytes"]);
  EXPECT_EQ(stats_.record_limit_bytes, manifest["record_limit_bytes"]);
  EXPECT_EQ(stats_.accessed_bytes, manifest["accessed_bytes"]);
  EXPECT_EQ(stats_.tick, manifest["tick"]);
  EXPECT_TRUE(manifest["hot_threshold"]["stable"]);

  ASSERT_EQ(stats_.runs, dump["runs"].size());
  uint64_t records = 0;
  uint64_t file_bytes = 0;
  for (const nlohmann::json& run : dump["runs"]) {
    records += run["records"].get<uint64_t>();
    file_bytes += run["file_bytes"].get<uint64_t>();
    EXPECT_LE(run["smallest"].get<std::string>(),
              run["largest"].get<std::string>());
  }
  EXPECT_EQ(stats_.records, records);
  EXPECT_EQ(stats_.physical_bytes, file_bytes);

  EXPECT_EQ(kHotKeys + 10 + kColdKeys, dump["records"]);
  EXPECT_EQ(kHotKeys + 10, dump["hot_records"]);
  EXPECT_EQ(kHotKeys + 10, dump["repeated_records"]);

  const nlohmann::json& top = dump["top_hot_keys"];
  ASSERT_EQ(dump_options_.heat.top, top.size());
  EXPECT_EQ(Key(0), top[0]["key"]);
  EXPECT_EQ(kValueBytes, top[0]["value_bytes"]);
  for (size_t i = 1; i < top.size(); ++i) {
    EXPECT_GE(top[i - 1]["score"], top[i]["score"]);
  }

  uint64_t in_histogram = 0;
  for (const nlohmann::json& bucket : dump["score_histogram"]) {
    EXPECT_LT(bucket["score_from"], bucket["score_below"]);
    in_histogram += bucket["records"].get<uint64_t>();
  }
  EXPECT_EQ(dump["records"], in_histogram);
}

TEST_F(FolderDumpTest, TopIsAnUpperBound) {
  MakeFolder();
  dump_options_.heat.top = 3;
  EXPECT_EQ(3u, DumpJson(kExitOk)["top_hot_keys"].size());
  dump_options_.heat.top = 0;
  EXPECT_EQ(0u, DumpJson(kExitOk)["top_hot_keys"].size());
  dump_options_.heat.top = 1000000;
  EXPECT_EQ(kHotKeys + 10, DumpJson(kExitOk)["top_hot_keys"].size());
}

TEST_F(FolderDumpTest, TextSaysTheSame) {
  MakeFolder();
  dump_options_.heat.top = 1;
  ASSERT_EQ(kExitOk, Dump()) << errors_;
  EXPECT_EQ("", errors_);
  const std::string lines[] = {
      "manifest:\n  db_id: \"db-of-the-test\"\n",
      "  hot_set_limit_bytes: " + std::to_string(stats_.hot_set_limit_bytes),
      "\nruns:\n  {\"level\":",
      "\nrecords: " + std::to_string(kHotKeys + 10 + kColdKeys) + "\n",
      "\nhot_records: " + std::to_string(kHotKeys + 10) + "\n",
      "\ntop_hot_keys:\n  {\"key\":\"" + Key(0) + "\"",
      "\nscore_histogram:\n  {\"score_from\":"};
  size_t from = 0;
  for (const std::string& line : lines) {
    const size_t found = out_.find(line, from);
    ASSERT_NE(std::string::npos, found) << line << "not in\n" << out_;
    from = found;
  }
}

TEST_F(FolderDumpTest, EmptyRalt) {
  Open();
  ASSERT_OK(ralt_->Flush());
  ralt_.reset();
  const nlohmann::json dump = DumpJson(kExitOk);
  EXPECT_EQ(0, dump["records"]);
  EXPECT_TRUE(dump["runs"].empty());
  EXPECT_TRUE(dump["top_hot_keys"].empty());
  EXPECT_TRUE(dump["score_histogram"].empty());
}

TEST_F(FolderDumpTest, FolderMissingOrNotRalts) {
  // The folder exists, but is empty.
  EXPECT_EQ(kExitErrors, Dump());
  EXPECT_EQ("", out_);
  ExpectMessage({"not a RALT folder", path_});

  dump_options_.path = path_ + "/nowhere";
  EXPECT_TRUE(DumpJson(kExitErrors).empty());
  ExpectMessage({"not a RALT folder", dump_options_.path});
}

TEST_F(FolderDumpTest, ManifestDamaged) {
  MakeFolder();
  const std::string name = ManifestFileName(path_);
  const std::string manifest = Read(name);
  std::string damaged = manifest;
  damaged[damaged.size() / 2] ^= 1;
  Write(name, damaged);
  EXPECT_TRUE(DumpJson(kExitErrors).empty());
  ExpectMessage({"Corruption", "checksum", name});

  Write(name, manifest.substr(0, 7));
  EXPECT_TRUE(DumpJson(kExitErrors).empty());
  ExpectMessage({"Corruption", name});

  damaged = manifest;
  damaged[8] = static_cast<char>(kRaltFormatVersion + 1);
  Write(name, damaged);
  EXPECT_TRUE(DumpJson(kExitErrors).empty());
  ExpectMessage({"newer", name});
}

// What comes before the damage is printed.
TEST_F(FolderDumpTest, RunDamaged) {
  MakeFolder();
  const std::string name = AnyRun();
  const std::string run = Read(name);
  Write(name, run.substr(0, run.size() / 2));
  nlohmann::json dump = DumpJson(kExitErrors);
  EXPECT_EQ("db-of-the-test", dump["manifest"]["db_id"]);
  EXPECT_FALSE(dump.contains("records"));
  ExpectMessage({"Corruption", "wrong size", name});

  // In its first data block.
  std::string damaged = run;
  damaged[10] ^= 1;
  Write(name, damaged);
  dump = DumpJson(kExitErrors);
  EXPECT_EQ(stats_.runs, dump["runs"].size());
  ExpectMessage({"Corruption", name});

  ASSERT_OK(options_.env->DeleteFile(name));
  dump = DumpJson(kExitErrors);
  EXPECT_EQ("db-of-the-test", dump["manifest"]["db_id"]);
  ExpectMessage({name});
}

}  // namespace ROCKSDB_NAMESPACE::ralt

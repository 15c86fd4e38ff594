//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests of hotrap_metamorphic: a short run, with one case per configuration,
// and tests of its parts.

#include <algorithm>

#include "file/file_util.h"
#include "plugin/hotrap/tools/metamorphic/campaign.h"
#include "plugin/hotrap/tools/metamorphic/generator.h"
#include "plugin/hotrap/tools/metamorphic/model.h"
#include "plugin/hotrap/tools/metamorphic/shrinker.h"
#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

class MetamorphicTest : public testing::Test {
 public:
  static constexpr int kOperations = 200;
  // Seeds per configuration.
  static constexpr uint64_t kSeeds = 6;

  MetamorphicTest() : folder_(test::PerThreadDBPath("metamorphic_test")) {
    EXPECT_OK(DestroyDir(Env::Default(), folder_));
    EXPECT_OK(Env::Default()->CreateDirIfMissing(folder_));
  }
  // Keep the list of a failure.
  ~MetamorphicTest() override {
    if (!HasFailure()) {
      EXPECT_OK(DestroyDir(Env::Default(), folder_));
    }
  }

  static std::vector<Operation> Parse(const std::vector<std::string>& lines) {
    std::vector<Operation> operations(lines.size());
    for (size_t i = 0; i < lines.size(); i++) {
      EXPECT_OK(ParseOperation(lines[i], &operations[i])) << lines[i];
    }
    return operations;
  }
  static std::vector<std::string> Texts(
      const std::vector<Operation>& operations) {
    std::vector<std::string> texts;
    for (const Operation& operation : operations) {
      texts.push_back(ToText(operation));
    }
    return texts;
  }
  static bool Contains(const std::vector<Operation>& operations,
                       const std::string& text) {
    const std::vector<std::string> texts = Texts(operations);
    return std::any_of(texts.begin(), texts.end(), [&](const auto& one) {
      return one.find(text) != std::string::npos;
    });
  }

 protected:
  const std::string folder_;
};

TEST_F(MetamorphicTest, OperationsAreText) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    const std::vector<Operation> operations =
        GenerateOperations(seed, kOperations);
    EXPECT_EQ(Texts(operations), Texts(Parse(Texts(operations))));
    EXPECT_EQ(Texts(operations), Texts(GenerateOperations(seed, kOperations)));
  }
}

TEST_F(MetamorphicTest, ScriptsAreReadBack) {
  const std::string path = folder_ + "/script.txt";
  const std::vector<Operation> operations = GenerateOperations(1, kOperations);
  ASSERT_OK(WriteScript(path, "two\nlines", operations));
  std::vector<Operation> read;
  ASSERT_OK(ReadScript(path, &read));
  EXPECT_EQ(Texts(operations), Texts(read));
  EXPECT_TRUE(ReadScript(folder_ + "/none", &read).IsNotFound());
}

TEST_F(MetamorphicTest, WhatIsNoOperation) {
  Operation operation;
  for (const char* line :
       {"", ";", "jump", "put", "put 0 1 2", "put 0 1 2 3 4", "put 2 1 2 3",
        "put 0 x 2 3", "put 0 1x 2 3", "put 0 170 1 1", "delete_range 0 0 171",
        "single_delete 0 169", "walk -1 0 1", "flush ; put 0 1 2 3", "batch ;",
        "batch ; get 0 1 -1", "ingest ; single_put 0 180 1 1",
        "multiget -1 ; put 0 1 2 3", "batch ; load 0 1 2 3 4"}) {
    EXPECT_TRUE(ParseOperation(line, &operation).IsInvalidArgument()) << line;
  }
}

TEST_F(MetamorphicTest, TheModelKnowsTheOperations) {
  const std::vector<std::string> answers = ModelAnswers(Parse({
      "put 0 1 7 3",
      "snapshot 2",
      "merge 0 1 8 2",
      "get 0 1 -1",
      "get 0 1 2",
      "put_entity 0 2 10 8",  // without the default column
      "get 0 2 -1",
      "merge 0 2 3 1",
      "get_entity 0 2 -1",
      "single_put 0 170 5 2",
      "single_put 0 170 6 2",
      "ingest ; put 0 4 40 3 ; delete_range 0 0 5 ; put 0 4 41 3",
      "scan 0 0 200 -1",
      "scan_back 0 0 200 2",
      "get 0 1 3",
      "batch ; single_delete 0 170 ; put 1 0 9 2",
      "multiget -1 ; get 0 170 -1 ; get 1 0 -1",
  }));
  const auto value = [](int number, int bytes) {
    return ValueOf(number, bytes);
  };
  EXPECT_EQ("'" + value(7, 3) + "," + value(8, 2) + "'", answers[3]);
  EXPECT_EQ("'" + value(7, 3) + "'", answers[4]);
  EXPECT_EQ("''", answers[6]);
  EXPECT_EQ("{=',3';a='" + value(10, 4) + "';b='" + value(11, 4) + "';}",
            answers[8]);
  EXPECT_EQ("key0004='" + value(40, 3) + "' key0170='" + value(5, 2) + "' ",
            answers[12]);
  EXPECT_EQ("key0001='" + value(7, 3) + "' ", answers[13]);
  EXPECT_EQ(kNothing, answers[14]);
  EXPECT_EQ("0/key0170=NotFound 1/key0000='" + value(9, 2) + "' ", answers[16]);
}

TEST_F(MetamorphicTest, ShrinksToWhatFails) {
  std::vector<Operation> operations = GenerateOperations(3, kOperations);
  operations.insert(operations.begin() + 50,
                    Parse({"batch ; put 0 1 1 1 ; merge 1 77 1 1"})[0]);
  operations.insert(operations.begin() + 150,
                    Parse({"compact_files 1 9 4"})[0]);
  int trials = 0;
  const std::vector<Operation> shrunk = Shrink(
      operations,
      [&](const std::vector<Operation>& list) {
        trials++;
        return Contains(list, "merge 1 77 1 1") &&
               Contains(list, "compact_files 1 9 4");
      },
      [] { return false; });
  EXPECT_EQ((std::vector<std::string>{"batch ; merge 1 77 1 1",
                                      "compact_files 1 9 4"}),
            Texts(shrunk));
  EXPECT_LT(trials, 1000);
}

// A difference is found, reported and shrunk. Here the DB is right and the
// expected answers are wrong.
TEST_F(MetamorphicTest, ADifferenceIsFound) {
  const std::vector<Operation> operations = GenerateOperations(5, kOperations);
  std::vector<std::string> expected = ModelAnswers(operations);
  const Configuration* const on = FindConfiguration("on");
  ASSERT_FALSE(
      RunOperations(*on, folder_ + "/db", 5, operations, expected, nullptr)
          .has_value());
  expected[100] += "!";
  const std::optional<Difference> difference =
      RunOperations(*on, folder_ + "/db", 5, operations, expected, nullptr);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(100u, difference->index);
  EXPECT_EQ(expected[100], difference->found + "!");
}

// A list found by this test: while a promotion is checked, a file of a fast
// level holds a merge operand of its key and, for a snapshot, the operand's
// base.
TEST_F(MetamorphicTest, AMergeOverItsBaseIsANewerVersion) {
  const std::vector<Operation> operations = Parse({
      "load 0 0 40 1 400",
      "flush",
      "compact_files 0 0 65535",
      "compact_files 0 1 65535",
      "hot 0 0 2 2",
      "put 0 0 100 400",
      "snapshot 0",
      "merge 0 0 101 20",
      "flush",
      "hot 0 2 40 3",
      "wait",
      "check -1",
  });
  const Configuration* const all_hot = FindConfiguration("no_hotness_check");
  for (int i = 0; i < 20; i++) {
    const std::optional<Difference> difference =
        RunOperations(*all_hot, folder_ + "/db", 1, operations,
                      ModelAnswers(operations), nullptr);
    ASSERT_FALSE(difference.has_value()) << difference->found;
  }
}

// RocksDB's own error, see SplitKeysView. Key 19 fills a file, so that the
// compaction cuts its output between the merge of key 20 and its base. The keys
// of level 2 keep the range tombstone alive.
TEST_F(MetamorphicTest, AKeySplitOverTwoFilesIsReadByAnIterator) {
  const std::vector<Operation> operations = Parse({
      "load 0 10 15 1 100",
      "flush",
      "compact_files 0 0 65535",
      "compact_files 0 1 65535",
      "delete_range 0 10 30",
      "put 0 19 2 9000",
      "put 0 20 3 50",
      "snapshot 0",
      "merge 0 20 4 20",
      "flush",
      "put 0 21 5 50",
      "flush",
      "wait",
      "check -1",
  });
  std::vector<std::string> expected = ModelAnswers(operations);
  const Configuration* const off = FindConfiguration("off");
  Figures figures;
  const std::optional<Difference> difference =
      RunOperations(*off, folder_ + "/db", 1, operations, expected, &figures);
  ASSERT_FALSE(difference.has_value()) << difference->found;
  EXPECT_GT(figures.split_key_misses, 0u);
  // Nothing else is excused.
  expected.back() += "!";
  EXPECT_TRUE(
      RunOperations(*off, folder_ + "/db", 1, operations, expected, nullptr)
          .has_value());
}

// A compaction may reunite the key before the next read.
TEST_F(MetamorphicTest, AKeyThatWasMissedIsReadByAnIterator) {
  Options options;
  options.create_if_missing = true;
  std::unique_ptr<DB> db;
  ASSERT_OK(DB::Open(options, folder_ + "/db", &db));
  const std::vector<ColumnFamilyHandle*> handles(kNumColumnFamilies,
                                                 db->DefaultColumnFamily());
  const ReadOptions read_options;
  const KeySet missed = {{0, 1}};
  EXPECT_EQ(KeySet(),
            SplitKeysView(db.get(), handles, read_options, {}).missed_keys());
  EXPECT_EQ(
      missed,
      SplitKeysView(db.get(), handles, read_options, missed).missed_keys());
}

class MetamorphicConfigurationTest
    : public MetamorphicTest,
      public testing::WithParamInterface<const char*> {};

TEST_P(MetamorphicConfigurationTest, AllAnswersAreTheModels) {
  CampaignOptions options;
  const Configuration* const configuration = FindConfiguration(GetParam());
  // Each configuration gets other seeds.
  options.first_seed =
      1 + kSeeds * (configuration - AllConfigurations().data());
  options.seeds = kSeeds;
  options.enough_seeds = kSeeds;
  options.operations = kOperations;
  options.folder = folder_;
  options.shrink_secs = 60;
  options.configurations = {configuration};
  Campaign campaign(options);
  std::string last;
  campaign.Run([&](const std::string& line) { last = line; },
               [](const std::string& story) { ADD_FAILURE() << story; });
  std::cout << last << std::endl;
  EXPECT_EQ(options.seeds, campaign.seeds_done());
  EXPECT_EQ(options.seeds, campaign.Total().runs);
  EXPECT_EQ("", campaign.WhatIsMissing());
}

std::vector<const char*> ConfigurationNames() {
  std::vector<const char*> names;
  for (const Configuration& configuration : AllConfigurations()) {
    names.push_back(configuration.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, MetamorphicConfigurationTest,
                         testing::ValuesIn(ConfigurationNames()),
                         [](const auto& one) {
                           return std::string(one.param);
                         });

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

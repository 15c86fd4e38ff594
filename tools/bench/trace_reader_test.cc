//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/trace_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "plugin/hotrap/tools/bench/trace_profile.h"
#include "plugin/hotrap/tools/bench/twitter_generator.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

class TraceReaderTest : public testing::Test {
 public:
  TraceReaderTest()
      : path_(std::filesystem::temp_directory_path() /
              ("trace_reader_test." + std::to_string(getpid()))) {}
  ~TraceReaderTest() override { std::filesystem::remove(path_); }

 protected:
  void WriteFile(const std::string& text) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
  }

  const std::string path_;
  Trace trace_;
};

}  // namespace

TEST_F(TraceReaderTest, CloudPhysics) {
  WriteFile(
      "version,time,op,size,lbn\n"
      "1,5633898,2a,512,42932745\n"
      "1,5633899,28,4096,7\n"
      "1,5633899,28,1024,42932745\n");
  TraceReaderOptions options;
  options.value_divisor = 4;
  ASSERT_TRUE(ReadTrace("cloudphysics", path_, options, &trace_).ok());
  ASSERT_EQ(trace_.requests().size(), 3u);
  EXPECT_EQ(trace_.key_count(), 2u);
  EXPECT_EQ(trace_.requests()[0].operation, Operation::kUpdate);
  EXPECT_EQ(trace_.requests()[0].value_bytes, 128u);
  EXPECT_EQ(trace_.requests()[1].operation, Operation::kRead);
  EXPECT_EQ(trace_.requests()[2].key_id, trace_.requests()[0].key_id);
  EXPECT_EQ(trace_.key(0), "00000000000042932745");
  // Only a key whose first request is a read must exist before the replay.
  EXPECT_EQ(trace_.preload_bytes(0), 0u);
  EXPECT_EQ(trace_.preload_bytes(1), 1024u);
}

TEST_F(TraceReaderTest, Twitter) {
  WriteFile(
      "0,some key,8,176,1,get,0\n"
      "0,\"a,b\",3,10,1,set,3600\r\n"
      "1,some key,8,0,2,delete,0\n"
      "1,some key,8,20,2,incr,0");
  ASSERT_TRUE(ReadTrace("twitter", path_, TraceReaderOptions(), &trace_).ok());
  ASSERT_EQ(trace_.requests().size(), 4u);
  EXPECT_EQ(trace_.requests()[0].operation, Operation::kRead);
  EXPECT_EQ(trace_.requests()[1].operation, Operation::kUpdate);
  EXPECT_EQ(trace_.requests()[2].operation, Operation::kDelete);
  EXPECT_EQ(trace_.requests()[3].operation, Operation::kUpdate);
  EXPECT_EQ(trace_.key(1), "a,b");
  EXPECT_EQ(trace_.preload_bytes(0), 176u);
}

TEST_F(TraceReaderTest, StopsAtTheLimit) {
  WriteFile("0,a,1,1,1,get,0\n0,b,1,1,1,get,0\nbroken\n");
  TraceReaderOptions options;
  options.max_requests = 2;
  EXPECT_TRUE(ReadTwitterTrace(path_, options, &trace_).ok());
  EXPECT_EQ(trace_.requests().size(), 2u);
}

TEST_F(TraceReaderTest, SaysWhichLineIsBroken) {
  WriteFile("0,a,1,1,1,get,0\nbroken\n");
  const Status s = ReadTwitterTrace(path_, TraceReaderOptions(), &trace_);
  ASSERT_TRUE(s.IsCorruption());
  EXPECT_NE(s.ToString().find("line 2"), std::string::npos);
  WriteFile("version,time,op,size,lbn\n1,2,35,512,7\n");
  EXPECT_TRUE(ReadCloudPhysicsTrace(path_, TraceReaderOptions(), &trace_)
                  .IsCorruption());
}

TEST_F(TraceReaderTest, MissingAndEmptyFiles) {
  EXPECT_TRUE(ReadTwitterTrace(path_ + ".none", TraceReaderOptions(), &trace_)
                  .IsIOError());
  WriteFile("");
  EXPECT_TRUE(
      ReadTwitterTrace(path_, TraceReaderOptions(), &trace_).IsCorruption());
  EXPECT_TRUE(ReadTrace("msr", path_, TraceReaderOptions(), &trace_)
                  .IsInvalidArgument());
}

TEST_F(TraceReaderTest, GeneratesWhatTheTableSays) {
  WriteFile(
      "cluster,miss_ratio,key_bytes,value_bytes,mean_freq,one_hit_wonder_pct,"
      "compulsory_miss_pct,wss_mb_no_ttl,operations,zipf_alpha\n"
      "cluster11,0.0047,24,170,45.7,6.18,2.19,1898,"
      "\"get:0.96 add:0.02 gets:0.01 cas:0.01\",1.4891\n");
  TwitterCluster cluster;
  EXPECT_TRUE(ReadTwitterCluster(path_, "cluster12", &cluster).IsNotFound());
  ASSERT_TRUE(ReadTwitterCluster(path_, "cluster11", &cluster).ok());
  constexpr uint64_t kRequests = 200000;
  TwitterTraceOptions options;
  options.requests = kRequests;
  ASSERT_TRUE(GenerateTwitterTrace(cluster, options, &trace_).ok());
  ASSERT_EQ(trace_.requests().size(), kRequests);

  const double keys = static_cast<double>(trace_.key_count());
  EXPECT_NEAR(keys / kRequests, 0.0219, 0.001);
  std::map<uint32_t, uint64_t> requests_of_key;
  double reads = 0;
  for (const TraceRequest& request : trace_.requests()) {
    ++requests_of_key[request.key_id];
    reads += request.operation == Operation::kRead ? 1 : 0;
    EXPECT_EQ(request.value_bytes, 170u);
  }
  EXPECT_EQ(trace_.key(0).size(), 24u);
  EXPECT_NEAR(reads / kRequests, 0.97, 0.002);
  const auto hottest = std::max_element(
      requests_of_key.begin(), requests_of_key.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  // Zipf(1.4891) gives its first rank about 39 % of the draws.
  EXPECT_NEAR(static_cast<double>(hottest->second) / kRequests, 0.38, 0.03);
}

TEST_F(TraceReaderTest, LoadedKeysArePopularToo) {
  TwitterCluster cluster;
  cluster.name = "test";
  cluster.key_bytes = 20;
  cluster.value_bytes = 100;
  cluster.compulsory_miss_fraction = 0.1;
  cluster.operations = {{Operation::kRead, 1}};
  TwitterTraceOptions options;
  options.loaded_keys = 500;
  options.requests = 1000;
  ASSERT_TRUE(GenerateTwitterTrace(cluster, options, &trace_).ok());
  EXPECT_NEAR(static_cast<double>(trace_.key_count()), 600, 30);
  EXPECT_EQ(trace_.preload_bytes(0), 100u);
  const auto& requests = trace_.requests();
  EXPECT_GT(std::count_if(requests.begin(), requests.end(),
                          [](const auto& r) { return r.key_id < 500; }),
            500);
  // The others are new and never written, so all their reads find nothing: the
  // first read of each, and a sixth of the rest.
  EXPECT_EQ(trace_.preload_bytes(500), 0u);
  EXPECT_NEAR(static_cast<double>(ProfileTrace(trace_).missing_reads), 250, 40);
}

TEST_F(TraceReaderTest, CopiesOfAKeyAreAskedForInTurn) {
  TwitterCluster cluster;
  cluster.name = "test";
  cluster.key_bytes = 20;
  cluster.value_bytes = 100;
  cluster.zipf_alpha = 1;
  cluster.operations = {{Operation::kRead, 0.5}, {Operation::kUpdate, 0.5}};
  TwitterTraceOptions options;
  options.copies = 4;
  options.loaded_keys = 42;
  options.requests = 1000;
  ASSERT_TRUE(GenerateTwitterTrace(cluster, options, &trace_).ok());
  const auto& requests = trace_.requests();
  ASSERT_EQ(requests.size(), 1000u);
  for (size_t i = 0; i < requests.size(); ++i) {
    const TraceRequest& first = requests[i - i % 4];
    EXPECT_EQ(requests[i].key_id, first.key_id + i % 4);
    EXPECT_EQ(requests[i].operation, first.operation);
  }
  // Whole sets of copies only, and one new key with its copies.
  EXPECT_EQ(trace_.key_count(), 44u);
}

TEST_F(TraceReaderTest, ProfileFindsSunkAndHotReads) {
  // 20 records of 100 bytes: 5 % of the DB are 100 bytes.
  for (int i = 10; i < 30; ++i) {
    trace_.AddLoaded(std::to_string(i), 98);
  }
  trace_.Add("10", Operation::kRead, 98);    // sunk
  trace_.Add("10", Operation::kRead, 98);    // sunk and hot
  trace_.Add("10", Operation::kUpdate, 98);  //
  trace_.Add("10", Operation::kRead, 98);    // hot
  trace_.Add("11", Operation::kUpdate, 98);  //
  trace_.Add("12", Operation::kUpdate, 98);  //
  trace_.Add("10", Operation::kRead, 98);    // sunk and hot
  const TraceProfile profile = ProfileTrace(trace_);
  EXPECT_EQ(profile.db_bytes, 2000u);
  EXPECT_EQ(profile.reads, 4u);
  EXPECT_EQ(profile.sunk_reads, 3u);
  EXPECT_EQ(profile.hot_reads, 3u);
  EXPECT_EQ(profile.sunk_and_hot_reads, 2u);
  EXPECT_EQ(profile.missing_reads, 0u);
}

TEST_F(TraceReaderTest, ProfileOfAReadThatFindsNothing) {
  trace_.AddUnloaded("a", Operation::kRead, 9);  // misses
  trace_.AddUnloaded("a", Operation::kUpdate, 9);
  trace_.AddUnloaded("a", Operation::kRead, 9);
  const TraceProfile profile = ProfileTrace(trace_);
  EXPECT_EQ(profile.db_bytes, 10u);
  EXPECT_EQ(profile.reads, 2u);
  EXPECT_EQ(profile.missing_reads, 1u);
  EXPECT_EQ(profile.sunk_reads, 0u);
}

TEST_F(TraceReaderTest, GeneratedTraceSurvivesTheFile) {
  TwitterCluster cluster;
  cluster.name = "test";
  cluster.key_bytes = 20;
  cluster.value_bytes = 100;
  cluster.one_hit_wonder_fraction = 0.5;
  cluster.compulsory_miss_fraction = 0.2;
  cluster.operations = {{Operation::kRead, 0.5},
                        {Operation::kUpdate, 0.4},
                        {Operation::kDelete, 0.1}};
  TwitterTraceOptions options;
  options.requests = 1000;
  ASSERT_TRUE(GenerateTwitterTrace(cluster, options, &trace_).ok());
  ASSERT_TRUE(WriteTwitterTrace(trace_, path_).ok());
  Trace back;
  ASSERT_TRUE(ReadTwitterTrace(path_, TraceReaderOptions(), &back).ok());
  ASSERT_EQ(back.requests().size(), trace_.requests().size());
  for (size_t i = 0; i < back.requests().size(); ++i) {
    const TraceRequest& a = trace_.requests()[i];
    const TraceRequest& b = back.requests()[i];
    EXPECT_EQ(back.key(b.key_id), trace_.key(a.key_id));
    EXPECT_EQ(b.operation, a.operation);
    EXPECT_EQ(b.value_bytes, a.value_bytes);
  }
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

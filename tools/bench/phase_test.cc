//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/phase.h"

#include <gtest/gtest.h>

#include "plugin/hotrap/tools/bench/report.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

Phase Defaults() {
  Phase phase;
  phase.mix = "RO";
  phase.distribution = "hotspot";
  phase.hotspot_fraction = 0.05;
  phase.hotspot_ops = 0.95;
  phase.secs = 60;
  return phase;
}

// Returns a phase of 10 s with a hotspot of 1,000 bytes and these hot sets, one
// per second.
PhaseMeasurement WithHotSets(const std::vector<uint64_t>& hot_sets) {
  PhaseMeasurement phase;
  phase.hotspot_bytes = 1000;
  for (size_t i = 0; i < hot_sets.size(); ++i) {
    TimelinePoint point;
    point.secs = static_cast<double>(i + 1);
    point.hotrap.hot_set = hot_sets[i];
    phase.measurement.run.timeline.push_back(point);
  }
  phase.measurement.run.secs = static_cast<double>(hot_sets.size());
  phase.measurement.hotrap["ralt_hot_set_bytes"] =
      std::to_string(hot_sets.back());
  return phase;
}

}  // namespace

TEST(PhaseTest, TakesMissingFieldsFromTheDefaults) {
  std::vector<Phase> phases;
  ASSERT_TRUE(ParsePhases("{distribution=uniform;secs=5}:"
                          "{hotspot_fraction=0.01;hotspot_start=0.5;ops=7}:"
                          "{mix=RW;name=last;options={hotrap={enabled=true}}}",
                          Defaults(), &phases)
                  .ok());
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_EQ(phases[0].distribution, "uniform");
  EXPECT_EQ(phases[0].secs, 5u);
  EXPECT_EQ(phases[0].mix, "RO");
  EXPECT_EQ(phases[0].DefaultName(), "uniform");
  EXPECT_EQ(phases[1].distribution, "hotspot");
  EXPECT_EQ(phases[1].hotspot_fraction, 0.01);
  EXPECT_EQ(phases[1].hotspot_ops, 0.95);
  EXPECT_EQ(phases[1].hotspot_start, 0.5);
  // Operations are the only limit.
  EXPECT_EQ(phases[1].ops, 7u);
  EXPECT_EQ(phases[1].secs, 0u);
  EXPECT_EQ(phases[1].DefaultName(), "hotspot 1 % at 50 %");
  EXPECT_EQ(phases[2].mix, "RW");
  EXPECT_EQ(phases[2].name, "last");
  EXPECT_EQ(phases[2].secs, 60u);
  EXPECT_EQ(phases[2].options, "hotrap={enabled=true}");
}

TEST(PhaseTest, RefusesWhatItDoesNotKnow) {
  std::vector<Phase> phases;
  for (const char* text :
       {"", "{seconds=5}", "{secs=many}", "{secs=5", "{secs=5}{secs=6}"}) {
    EXPECT_TRUE(ParsePhases(text, Defaults(), &phases).IsInvalidArgument())
        << text;
  }
}

TEST(ConvergenceTest, CountsFromWhereItStaysClose) {
  Convergence convergence =
      JudgeConvergence(WithHotSets({900, 1300, 1190, 810, 1000}));
  EXPECT_TRUE(convergence.converged);
  EXPECT_EQ(convergence.ratio, 1);
  EXPECT_EQ(convergence.secs, 3);

  convergence = JudgeConvergence(WithHotSets({900, 1000, 1210}));
  EXPECT_FALSE(convergence.converged);
  EXPECT_NEAR(convergence.ratio, 1.21, 1e-9);
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE

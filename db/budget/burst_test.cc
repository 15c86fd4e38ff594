//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Bursts against a simulated DB: levels are sums of bytes, compactions take
// time, a writer takes all that it gets. The path stays within the budget and
// one output, and writes are about as fast as crossings.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "plugin/hotrap/db/budget/budget_limit.h"
#include "plugin/hotrap/db/budget/write_brake.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Bytes are in files of one size, time in seconds.
struct Disks {
  double budget = 160;
  int threads = 4;
  double fast_speed = 8;  // of all compactions within the tier
  double slow_speed = 1.6;
  double writer_speed = 5;
  double hot = 0.3;  // of what crosses
  double most_rate = 1;
};

// L0, L1 and the last fast level, with targets as ComputeLevelShape() has them.
class SimulatedTier {
 public:
  explicit SimulatedTier(const Disks& disks) : disks_(disks) {
    needs_.ralt = Bytes(disks.budget / 10);
    const double room = disks.budget * 0.9 - 2 * kBase;
    last_target_ = (room - 1) / (1 + 1 / kBase);
    last_ = last_target_;
    needs_.targets = Bytes(2 * kBase + last_target_);
    needs_.memtables = Bytes(2);
    needs_.compaction = Bytes(2 * kBase);
  }

  void Run(double seconds) {
    for (double time = 0; time < seconds; time += kStep) {
      Step();
    }
  }

  double most_on_disk() const { return most_on_disk_; }
  double largest_output() const { return largest_output_; }
  double written() const { return written_; }
  double crossed() const { return crossed_; }
  double stopped() const { return stopped_; }

 private:
  static constexpr double kBase = 4;  // L1, and L0 when its compaction starts
  static constexpr double kStep = 0.01;
  static constexpr double kUnit = 1 << 26;

  struct Job {
    int level;
    double input;  // from its level
    double bytes;  // read, and for a crossing written to the slow disk
    double output;
    double left;
  };

  static uint64_t Bytes(double files) {
    return static_cast<uint64_t>(files * kUnit);
  }

  double Held() const {
    return l0_ + l1_ + last_ + memtable_ + disks_.budget / 10;
  }
  double Outputs(bool crossing) const {
    double outputs = 0;
    for (const Job& job : jobs_) {
      outputs += (job.level == 2) == crossing ? job.output : 0;
    }
    return outputs;
  }
  bool Runs(int level) const {
    return std::any_of(jobs_.begin(), jobs_.end(),
                       [&](const Job& job) { return job.level == level; });
  }

  void Step() {
    Decide();
    Write();
    while (static_cast<int>(jobs_.size()) < disks_.threads && Begin()) {
    }
    Work();
    most_on_disk_ = std::max(most_on_disk_, Held() - memtable_ +
                                                Outputs(/*crossing=*/false) +
                                                Outputs(/*crossing=*/true));
  }

  void Decide() {
    WriteBrake::Input in;
    in.held_bytes = Bytes(Held());
    in.next_compaction_bytes = Bytes(l0_ + l1_);
    in.limit_bytes = limit_.Update(Bytes(disks_.budget), needs_, in.held_bytes);
    in.ramp_bytes = limit_.ramp();
    in.crossing_bytes = Bytes(Outputs(/*crossing=*/true));
    in.drain_bytes_per_sec = Bytes(drain_);
    in.max_bytes_per_sec = Bytes(disks_.most_rate);
    in.drains = !jobs_.empty();
    decision_ = WriteBrake::Decide(in);
  }

  void Write() {
    double rate = disks_.writer_speed;
    if (decision_.state == WriteBrake::State::kDelayed) {
      rate =
          std::min(rate, static_cast<double>(decision_.bytes_per_sec) / kUnit);
    } else if (decision_.state == WriteBrake::State::kStopped) {
      rate = 0;
      stopped_ += kStep;
    }
    written_ += rate * kStep;
    memtable_ += rate * kStep;
    if (memtable_ >= 1) {
      memtable_ -= 1;
      l0_ += 1;
    }
  }

  // Crossings first while the tier is too large; one compaction within the
  // tier, and more if they fit.
  bool Begin() {
    const double crossing = crossing_ + 1;
    if (last_ - crossing_ > last_target_ && last_ >= crossing) {
      const double kept = std::min(disks_.hot, decision_.most_retained);
      jobs_.push_back({2, 1, 1 + std::sqrt(10 * (1 - kept)), kept, 0});
      crossing_ += 1;
    } else if (!Runs(0) && !Runs(1) && l0_ >= kBase && l0_ >= l1_ / 2) {
      jobs_.push_back({0, l0_, l0_ + l1_, l0_ + l1_, 0});
    } else if (!Runs(0) && !Runs(1) && l1_ > kBase) {
      jobs_.push_back({1, 1, 1 + last_ / l1_, 1 + last_ / l1_, 0});
    } else {
      return false;
    }
    Job& job = jobs_.back();
    job.left = job.bytes;
    if (job.level < 2) {
      largest_output_ = std::max(largest_output_, job.output);
    }
    return true;
  }

  void Work() {
    const auto crossings = static_cast<double>(
        std::count_if(jobs_.begin(), jobs_.end(),
                      [](const Job& job) { return job.level == 2; }));
    for (size_t i = 0; i < jobs_.size();) {
      Job& job = jobs_[i];
      job.left -= kStep * (job.level == 2 ? disks_.slow_speed / crossings
                                          : disks_.fast_speed);
      if (job.left > 0) {
        i++;
        continue;
      }
      if (job.level == 0) {
        l0_ -= job.input;
        l1_ += job.input;
      } else if (job.level == 1) {
        l1_ -= job.input;
        last_ += job.input;
      } else {
        last_ -= job.input - job.output;
        crossed_ += job.input - job.output;
        crossing_ -= 1;
        drain_ = (job.input - job.output) * disks_.slow_speed / job.bytes;
      }
      jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  const Disks disks_;
  BudgetLimit::Needs needs_;
  BudgetLimit limit_;
  WriteBrake::Decision decision_;
  std::vector<Job> jobs_;
  double memtable_ = 0;
  double l0_ = 0;
  double l1_ = kBase;
  double last_ = 0;
  double last_target_ = 0;
  double crossing_ = 0;  // of the last fast level
  double drain_ = 0;

  double most_on_disk_ = 0;
  double largest_output_ = 0;
  double written_ = 0;
  double crossed_ = 0;
  double stopped_ = 0;
};

void Check(const Disks& disks) {
  SimulatedTier tier(disks);
  // Some ten budgets.
  const double speed = disks.slow_speed * (1 - disks.hot) /
                       (1 + std::sqrt(10 * (1 - disks.hot)));
  tier.Run(10 * disks.budget / speed);
  EXPECT_GT(tier.written(), 5 * disks.budget);
  EXPECT_LE(tier.most_on_disk(), disks.budget + tier.largest_output());
  EXPECT_GE(tier.written(), 0.9 * tier.crossed());
  EXPECT_EQ(0, tier.stopped());
}

}  // namespace

TEST(BurstTest, StaysWithinTheBudget) { Check(Disks()); }

TEST(BurstTest, OneThread) {
  Disks disks;
  disks.threads = 1;
  SimulatedTier tier(disks);
  tier.Run(5000);
  EXPECT_LE(tier.most_on_disk(), disks.budget + tier.largest_output());
  EXPECT_GE(tier.written(), 0.9 * tier.crossed());
}

TEST(BurstTest, ASlowDisk) {
  Disks disks;
  disks.slow_speed = 0.2;
  Check(disks);
}

TEST(BurstTest, FastDisksAndAFastWriter) {
  Disks disks;
  disks.threads = 8;
  disks.slow_speed = 16;
  disks.fast_speed = 64;
  disks.writer_speed = 32;
  disks.most_rate = 32;
  Check(disks);
}

TEST(BurstTest, HalfOfItIsHot) {
  Disks disks;
  disks.hot = 0.5;
  Check(disks);
}

}  // namespace ROCKSDB_NAMESPACE

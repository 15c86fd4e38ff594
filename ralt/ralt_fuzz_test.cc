//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Runs the fuzz target on seeds with random changes: a short substitute for
// ralt_fuzzer, in every build.

#include <string>

#include "gtest/gtest.h"
#include "plugin/hotrap/ralt/fuzz_harness.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
void Feed(const std::string& input) {
  FuzzRaltFiles(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

std::string Mutate(std::string input, Random64* random) {
  const uint64_t changes = 1 + random->Uniform(4);
  for (uint64_t i = 0; i < changes && input.size() > 1; ++i) {
    const size_t at = 1 + random->Uniform(input.size() - 1);
    switch (random->Uniform(5)) {
      case 0:
        input[at] = static_cast<char>(random->Next());
        break;
      case 1:
        input[at] = static_cast<char>(0xff);
        break;
      case 2:
        input.resize(at);
        break;
      case 3:
        input.insert(at, 1 + random->Uniform(9), static_cast<char>(0xff));
        break;
      default:
        input.erase(at, 1 + random->Uniform(4));
    }
  }
  return input;
}
}  // namespace

TEST(RaltFuzzTest, ChangedSeeds) {
  Feed("");
  Random64 random(301);
  for (uint8_t p = 0; p < static_cast<uint8_t>(FuzzPart::kCount); ++p) {
    const std::string seed = MakeFuzzSeed(static_cast<FuzzPart>(p));
    Feed(seed);
    for (int i = 0; i < 3000; ++i) {
      Feed(Mutate(seed, &random));
    }
  }
}

}  // namespace ROCKSDB_NAMESPACE::ralt

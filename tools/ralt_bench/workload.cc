//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ralt_bench/workload.h"

#include <algorithm>
#include <cstring>
#include <ctime>

namespace ROCKSDB_NAMESPACE::ralt_bench {

namespace {
uint64_t CpuNanos(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 +
         static_cast<uint64_t>(time.tv_nsec);
}
}  // namespace

void MakeKey(uint64_t number, char* key) {
  memcpy(key, "user", 4);
  // An odd factor: a bijection of the 64-bit numbers.
  uint64_t rest = number * 0x9E3779B97F4A7C15ull;
  for (size_t i = kKeyBytes; i > 4; --i) {
    key[i - 1] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  }
}

uint64_t Hotspot::Draw(Random64* random) const {
  constexpr uint64_t kParts = 1 << 20;
  const bool hot = hot_keys > 0 && random->Uniform(kParts) < hot_share * kParts;
  return hot ? (first + random->Uniform(hot_keys)) % keys
             : random->Uniform(keys);
}

Status OpenFresh(const RaltOptions& options, const std::string& path,
                 std::unique_ptr<Ralt>* ralt) {
  ralt->reset();
  RaltOptions fresh = options;
  fresh.path = path;
  const Status s = Ralt::Destroy(path, Env::Default()->GetFileSystem().get());
  return s.ok() ? Ralt::Open(fresh, ralt) : s;
}

uint64_t ThreadCpuNanos() { return CpuNanos(CLOCK_THREAD_CPUTIME_ID); }
uint64_t ProcessCpuNanos() { return CpuNanos(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace ROCKSDB_NAMESPACE::ralt_bench

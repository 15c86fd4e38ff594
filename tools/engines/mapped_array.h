//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// An array in a file that outlives the process, even one that is killed: the
// kernel has the pages. An engine program keeps its model there, so that the
// next process knows what was acknowledged.

#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "plugin/hotrap/tools/engines/invariant.h"
#include "rocksdb/env.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

// T must be valid if all its bytes are zero. Elements are as safe to share
// between threads as T is.
template <typename T>
class MappedArray {
 public:
  // Opens the file, or creates it with zeros.
  MappedArray(const std::string& file, size_t size) : size_(size) {
    Env* const env = Env::Default();
    if (!env->FileExists(file).ok()) {
      std::unique_ptr<WritableFile> out;
      Must(env->NewWritableFile(file, &out, EnvOptions()), file);
      // RocksDB's PosixWritableFile has no way to extend a file by a hole.
      const std::string zeros(1 << 20, '\0');
      for (size_t left = size * sizeof(T); left > 0;) {
        const size_t bytes = left < zeros.size() ? left : zeros.size();
        Must(out->Append(Slice(zeros.data(), bytes)), file);
        left -= bytes;
      }
      Must(out->Close(), file);
    }
    Must(env->NewMemoryMappedFileBuffer(file, &buffer_), file);
    if (buffer_->GetLen() != size * sizeof(T)) {
      Must(Status::InvalidArgument("was written with other flags"), file);
    }
  }

  T& operator[](size_t i) { return static_cast<T*>(buffer_->GetBase())[i]; }
  const T& operator[](size_t i) const {
    return static_cast<const T*>(buffer_->GetBase())[i];
  }
  size_t size() const { return size_; }

 private:
  const size_t size_;
  std::unique_ptr<MemoryMappedFileBuffer> buffer_;
};

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE

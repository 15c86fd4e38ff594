//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <cstdint>
#include <string>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// Who counts the bytes of RALT's files together with others', and knows how
// many more there may be. Called by one thread at a time, never under a lock
// of RALT's; may do I/O.
class RaltSpace {
 public:
  virtual ~RaltSpace() = default;

  // A run file is there, found or written.
  virtual void OnFileAdded(const std::string& name, uint64_t bytes) = 0;
  // ... is there no longer. Also of files that were never added.
  virtual void OnFileDeleted(const std::string& name) = 0;

  // Whether RALT may write so many bytes more. Where it may not, it drops the
  // accesses that it would write, and its files stay as they are.
  virtual bool HasRoom(uint64_t bytes) = 0;
};

}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <cstdint>
#include <string>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// Counts the bytes of RALT's files together with other files, and knows how
// many more bytes are allowed. Called by one thread at a time, never with a
// lock of RALT's held; may do I/O.
class RaltSpace {
 public:
  virtual ~RaltSpace() = default;

  // A run file was found or written.
  virtual void OnFileAdded(const std::string& name, uint64_t bytes) = 0;
  // A run file was deleted. Also called for files that were never added.
  virtual void OnFileDeleted(const std::string& name) = 0;

  // Returns whether RALT may write `bytes` more. If not, RALT drops the
  // accesses that it would have written, and its files stay as they are.
  virtual bool HasRoom(uint64_t bytes) = 0;
};

}  // namespace ROCKSDB_NAMESPACE

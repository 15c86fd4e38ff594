//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Damages RALT's files and no others: they disappear, change, or cannot be
// written or read. None of this may be noticeable outside RALT.
//
// Thread safety: the set_ functions, Wrap() and Disturb() are for one thread;
// the wrapped file system is thread-safe.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/file_system.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

class RaltVandal {
 public:
  explicit RaltVandal(uint64_t seed) : rnd_(seed) {}

  void set_deletes(bool deletes) { deletes_ = deletes; }
  void set_damages(bool damages) { damages_ = damages; }
  void set_fails_writes(bool fails) { fails_writes_ = fails; }
  void set_fails_reads(bool fails) { fails_reads_ = fails; }

  // Returns a file system in which operations on RALT's files sometimes fail,
  // if configured. RALT's folders are in `fast_paths`.
  std::shared_ptr<FileSystem> Wrap(const std::shared_ptr<FileSystem>& target,
                                   const std::vector<std::string>& fast_paths);

  // Deletes or damages files, if configured. While the DB is open, the files
  // and their sizes are kept.
  void Disturb(bool db_is_open);

 private:
  void Damage(const std::string& path, bool db_is_open);

  Random64 rnd_;
  bool deletes_ = false;
  bool damages_ = false;
  bool fails_writes_ = false;
  bool fails_reads_ = false;
  std::shared_ptr<FileSystem> target_;
  std::vector<std::string> fast_paths_;
};

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What befalls RALT's files and nobody else's: they go, they change, they can't
// be written or read. None of it may be noticed outside RALT.
//
// Thread safety: the set_ functions, Wrap() and Disturb() are for one thread;
// the wrapped file system is for any.

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

  // The file system whose operations on RALT's files fail now and then, if that
  // was asked for. RALT's folders lie in `fast_paths`.
  std::shared_ptr<FileSystem> Wrap(const std::shared_ptr<FileSystem>& target,
                                   const std::vector<std::string>& fast_paths);

  // Deletes or damages, if that was asked for. An open DB keeps its files, and
  // their sizes.
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

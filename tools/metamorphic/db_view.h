//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A moment of a DB: what it answers now, or at a snapshot.

#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugin/hotrap/tools/metamorphic/answer.h"
#include "plugin/hotrap/tools/metamorphic/view.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

class DbView : public View {
 public:
  // All outlive the view.
  DbView(DB* db, const std::vector<ColumnFamilyHandle*>& handles,
         const ReadOptions& options)
      : db_(db), handles_(handles), options_(options) {}

  std::string Get(const KeyInFamily& key) override;
  std::string GetEntity(const KeyInFamily& key) override;
  std::vector<std::string> MultiGet(
      const std::vector<KeyInFamily>& keys) override;
  std::vector<std::string> MultiGetEntity(
      const std::vector<KeyInFamily>& keys) override;
  std::string Scan(int cf, int begin, int end, bool back) override;

 protected:
  DB* const db_;
  const std::vector<ColumnFamilyHandle*>& handles_;
  const ReadOptions& options_;
};

// Asks an iterator for keys that have versions in two files of one level.
// RocksDB's point reads of such a key miss the base of a merge if a range
// tombstone over older versions lies in the first of them
// (docs/reliability.md).
class SplitKeysView : public DbView {
 public:
  SplitKeysView(DB* db, const std::vector<ColumnFamilyHandle*>& handles,
                const ReadOptions& options);

  bool any() const { return !split_keys_.empty(); }

  std::string Get(const KeyInFamily& key) override;
  std::string GetEntity(const KeyInFamily& key) override;
  std::vector<std::string> MultiGet(
      const std::vector<KeyInFamily>& keys) override;
  std::vector<std::string> MultiGetEntity(
      const std::vector<KeyInFamily>& keys) override;

 private:
  bool IsSplit(const KeyInFamily& key) const {
    return split_keys_.count({key.cf, KeyOf(key.key)}) > 0;
  }
  std::string Iterate(const KeyInFamily& key, bool entity);

  // Column family and key.
  std::set<std::pair<int, std::string>> split_keys_;
};

// Up to `count` entries from where the iterator stands.
std::string EntriesText(Iterator* iterator, int count, bool back);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A view of a DB: its answers now, or at a snapshot.

#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugin/hotrap/tools/metamorphic/view.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

class DbView : public View {
 public:
  // The arguments must outlive the view.
  DbView(DB* db, const std::vector<ColumnFamilyHandle*>& handles,
         const ReadOptions& options, bool prepare_scans = false)
      : db_(db),
        handles_(handles),
        options_(options),
        prepare_scans_(prepare_scans) {}

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

 private:
  // Scans [begin, end) in two ranges that were announced before.
  std::string ScanPrepared(int cf, int begin, int end);

  const bool prepare_scans_;
};

// Column family and key.
using KeySet = std::set<std::pair<int, int>>;

// If a key has versions in two files of one level, and a range tombstone over
// older versions lies in the first file, RocksDB's Get misses the base of a
// merge (docs/reliability.md). This view uses an iterator for such keys: those
// for which Get and an iterator differ when both read the files and not the
// promotion cache. A compaction may reunite a key at any time, so
// `missed_before` lists keys that were split earlier.
class SplitKeysView : public DbView {
 public:
  SplitKeysView(DB* db, const std::vector<ColumnFamilyHandle*>& handles,
                const ReadOptions& options, const KeySet& missed_before);

  const KeySet& missed_keys() const { return missed_keys_; }

  std::string Get(const KeyInFamily& key) override;
  std::string GetEntity(const KeyInFamily& key) override;

 private:
  bool IsMissed(const KeyInFamily& key) const {
    return missed_keys_.count({key.cf, key.key}) > 0;
  }
  bool FilesAnswerWrongly(const KeyInFamily& key);
  std::string Iterate(const KeyInFamily& key, bool entity);

  KeySet missed_keys_;
};

// Returns up to `count` entries from the iterator's position on.
std::string EntriesText(Iterator* iterator, int count, bool back);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

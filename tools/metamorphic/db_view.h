//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A moment of a DB: what it answers now, or at a snapshot.

#pragma once

#include <string>
#include <vector>

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

 private:
  DB* const db_;
  const std::vector<ColumnFamilyHandle*>& handles_;
  const ReadOptions& options_;
};

// Up to `count` entries from where the iterator stands.
std::string EntriesText(Iterator* iterator, int count, bool back);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

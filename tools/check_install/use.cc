//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A C++ program for scripts/check_install.py. It uses the installed library,
// and the library calls classes of the program. Compiled with and without RTTI.

#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/hotrap.h>
#include <rocksdb/listener.h>
#include <rocksdb/merge_operator.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace {

using rocksdb::Slice;
using rocksdb::Status;

void Must(bool holds, const std::string& what) {
  if (!holds) {
    fprintf(stderr, "%s\n", what.c_str());
    exit(1);
  }
}
void Must(const Status& s) { Must(s.ok(), s.ToString()); }

class Longer : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "Longer"; }
  bool Merge(const Slice& /*key*/, const Slice* old, const Slice& value,
             std::string* result, rocksdb::Logger* /*logger*/) const override {
    *result = (old != nullptr ? old->ToString() : "") + value.ToString();
    return true;
  }
};

class Backwards : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "Backwards"; }
  int Compare(const Slice& a, const Slice& b) const override {
    return b.compare(a);
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}
};

class Flushes : public rocksdb::EventListener {
 public:
  void OnFlushCompleted(rocksdb::DB* /*db*/,
                        const rocksdb::FlushJobInfo& /*info*/) override {
    count++;
  }
  std::atomic<int> count{0};
};

}  // namespace

int main(int argc, char** argv) {
  Must(argc == 2, "argument: a folder");
  const std::string folder = argv[1];
  const Backwards backwards;
  const auto flushes = std::make_shared<Flushes>();
  rocksdb::Options options;
  options.create_if_missing = true;
  options.comparator = &backwards;
  options.merge_operator = std::make_shared<Longer>();
  options.listeners.push_back(flushes);
  options.db_paths = {{folder + "/fast", 1ull << 30},
                      {folder + "/slow", 1ull << 40}};
  options.hotrap.enabled = true;
#ifdef __GXX_RTTI
  rocksdb::EventListener* const listener = options.listeners[0].get();
  Must(dynamic_cast<Flushes*>(listener) != nullptr, "dynamic_cast: listener");
  const rocksdb::MergeOperator* const merge = options.merge_operator.get();
  Must(dynamic_cast<const Longer*>(merge) != nullptr &&
           dynamic_cast<const rocksdb::AssociativeMergeOperator*>(merge) !=
               nullptr,
       "dynamic_cast: merge operator");
  Must(dynamic_cast<const Backwards*>(options.comparator) != nullptr,
       "dynamic_cast: comparator");
#endif
  std::unique_ptr<rocksdb::DB> db;
  Must(rocksdb::DB::Open(options, folder + "/fast", &db));
  Must(db->Put(rocksdb::WriteOptions(), "a", "1"));
  Must(db->Merge(rocksdb::WriteOptions(), "a", "2"));
  Must(db->Put(rocksdb::WriteOptions(), "b", "3"));
  Must(db->Flush(rocksdb::FlushOptions()));
  Must(db->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr));
  std::string value;
  Must(db->Get(rocksdb::ReadOptions(), "a", &value));
  Must(value == "12", "merge: " + value);
  const std::unique_ptr<rocksdb::Iterator> it(
      db->NewIterator(rocksdb::ReadOptions()));
  it->SeekToFirst();
  Must(it->Valid() && it->key() == "b", "order");
  Must(flushes->count > 0, "listener");
  Must(db->GetProperty("rocksdb.hotrap.stats", &value) &&
           value.find("active: 1\n") != std::string::npos,
       "active: " + value);
  return 0;
}

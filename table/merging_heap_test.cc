//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/table/merging_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "util/heap.h"

namespace ROCKSDB_NAMESPACE {

namespace {

struct Item {
  struct {
    bool boundary;
    bool IsDeleteRangeSentinelKey() const { return boundary; }
  } iter;
  int key;
};

struct Forward {
  bool operator()(const Item* a, const Item* b) const {
    return a->key > b->key || (a->key == b->key && LeavesAfterItsEqual(*a, *b));
  }
};

using Heap = BinaryHeap<Item*, Forward>;

std::vector<Item*> Drain(Heap* heap) {
  std::vector<Item*> items;
  while (!heap->empty()) {
    items.push_back(heap->top());
    heap->pop();
  }
  return items;
}

}  // namespace

TEST(MergingHeapTest, ABoundaryLeavesAfterTheRecordsOfItsKey) {
  Item boundary{{true}, 5};
  Item record{{false}, 5};
  Item copy{{false}, 5};
  Item next{{false}, 6};
  std::vector<Item*> items = {&boundary, &record, &copy, &next};
  for (size_t i = 0; i < items.size(); i++) {
    std::rotate(items.begin(), items.begin() + 1, items.end());
    Heap heap;
    for (Item* item : items) {
      heap.push(item);
    }
    const std::vector<Item*> order = Drain(&heap);
    EXPECT_EQ(&boundary, order[2]);
    EXPECT_EQ(&next, order[3]);
  }
}

TEST(MergingHeapTest, ErasesAnItemWhereverItStands) {
  std::vector<Item> items;
  for (int key = 0; key < 7; key++) {
    items.push_back({{false}, key / 2});
  }
  for (Item& erased : items) {
    Heap heap;
    for (Item& item : items) {
      heap.push(&item);
    }
    EraseFromHeap(&heap, &erased);
    const std::vector<Item*> left = Drain(&heap);
    EXPECT_EQ(items.size() - 1, left.size());
    EXPECT_EQ(0, std::count(left.begin(), left.end(), &erased));
    EXPECT_TRUE(std::is_sorted(
        left.begin(), left.end(),
        [](const Item* a, const Item* b) { return a->key < b->key; }));
  }
}

}  // namespace ROCKSDB_NAMESPACE

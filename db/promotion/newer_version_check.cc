//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/promotion/newer_version_check.h"

#include <algorithm>
#include <string>

#include "db/column_family.h"
#include "db/lookup_key.h"
#include "db/memtable.h"
#include "db/memtable_list.h"
#include "db/merge_context.h"
#include "db/table_cache.h"
#include "db/version_set.h"
#include "options/cf_options.h"
#include "table/get_context.h"

namespace ROCKSDB_NAMESPACE {

NewerVersionCheck::NewerVersionCheck(SuperVersion* sv, int first_slow_level)
    : sv_(sv), first_slow_level_(first_slow_level) {
  // The check must not evict blocks that readers use.
  read_options_.fill_cache = false;
  read_options_.rate_limiter_priority = Env::IO_LOW;
}

bool NewerVersionCheck::InMemtables(const Slice& user_key) const {
  const LookupKey key(user_key, kMaxSequenceNumber);
  const auto finds = [&](const auto& get) {
    Status s;
    MergeContext merge_context;
    SequenceNumber max_covering_tombstone_seq = 0;
    SequenceNumber seq = kMaxSequenceNumber;
    const bool done =
        get(&s, &merge_context, &max_covering_tombstone_seq, &seq);
    return !s.ok() || done || seq != kMaxSequenceNumber ||
           max_covering_tombstone_seq > 0;
  };
  return finds([&](Status* s, MergeContext* merge_context,
                   SequenceNumber* covering_seq, SequenceNumber* seq) {
           return sv_->mem->Get(key, /*value=*/nullptr, /*columns=*/nullptr,
                                /*timestamp=*/nullptr, s, merge_context,
                                covering_seq, seq, read_options_,
                                /*immutable_memtable=*/false,
                                /*callback=*/nullptr,
                                /*is_blob_index=*/nullptr,
                                /*do_merge=*/false);
         }) ||
         finds([&](Status* s, MergeContext* merge_context,
                   SequenceNumber* covering_seq, SequenceNumber* seq) {
           std::string value;
           return sv_->imm->Get(key, &value, /*columns=*/nullptr,
                                /*timestamp=*/nullptr, s, merge_context,
                                covering_seq, seq, read_options_);
         });
}

bool NewerVersionCheck::InFastLevels(const Slice& user_key) const {
  ColumnFamilyData* const cfd = sv_->cfd;
  const InternalKeyComparator& icmp = cfd->internal_comparator();
  const Comparator* const ucmp = cfd->user_comparator();
  const VersionStorageInfo* const storage = sv_->current->storage_info();
  const LookupKey key(user_key, kMaxSequenceNumber);

  MergeContext merge_context;
  SequenceNumber max_covering_tombstone_seq = 0;
  SequenceNumber seq = kMaxSequenceNumber;  // requesting it skips the row cache
  GetContext get_context(ucmp, cfd->ioptions().merge_operator.get(),
                         /*logger=*/nullptr, /*statistics=*/nullptr,
                         GetContext::kNotFound, user_key, /*value=*/nullptr,
                         /*columns=*/nullptr, /*value_found=*/nullptr,
                         &merge_context, /*do_merge=*/false,  // no value wanted
                         &max_covering_tombstone_seq, cfd->ioptions().clock,
                         &seq);
  const auto found_in = [&](const FdWithKeyRange& file, int level) {
    if (ucmp->Compare(user_key, ExtractUserKey(file.smallest_key)) < 0 ||
        ucmp->Compare(user_key, ExtractUserKey(file.largest_key)) > 0) {
      return false;
    }
    Status s = cfd->table_cache()->Get(
        read_options_, icmp, *file.file_metadata, key.internal_key(),
        &get_context, sv_->mutable_cf_options, /*file_read_hist=*/nullptr,
        /*skip_filters=*/false, level,
        // The first read of a table decides what its reader keeps in memory.
        MaxFileSizeForL0MetaPin(sv_->mutable_cf_options));
    return !s.ok() || get_context.State() != GetContext::kNotFound ||
           max_covering_tombstone_seq > 0;
  };
  const int end = std::min(first_slow_level_, storage->num_non_empty_levels());
  for (int level = 0; level < end; level++) {
    const LevelFilesBrief& files = storage->LevelFilesBrief(level);
    size_t index = 0;
    if (level > 0) {
      index = FindFile(icmp, files, key.internal_key());
    }
    for (; index < files.num_files; index++) {
      const FdWithKeyRange& file = files.files[index];
      if (level > 0 &&
          ucmp->Compare(ExtractUserKey(file.smallest_key), user_key) > 0) {
        break;
      }
      if (found_in(file, level)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace ROCKSDB_NAMESPACE

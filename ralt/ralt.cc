//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/ralt.h"

#include <sstream>
#include <vector>

#include "plugin/hotrap/ralt/format.h"
#include "plugin/hotrap/ralt/ralt_impl.h"

namespace ROCKSDB_NAMESPACE {

Status Ralt::Open(const RaltOptions& options, std::unique_ptr<Ralt>* opened) {
  RaltOptions sanitized = options;
  const Status s = sanitized.Sanitize();
  if (!s.ok()) {
    return s;
  }
  auto impl = std::make_unique<ralt::RaltImpl>(sanitized);
  impl->Start();
  *opened = std::move(impl);
  return s;
}

Status Ralt::Destroy(const std::string& path, FileSystem* fs) {
  const IOOptions io;
  std::vector<std::string> names;
  Status s = fs->GetChildren(path, io, &names, nullptr);
  if (s.IsNotFound() || s.IsPathNotFound()) {
    return Status::OK();
  }
  size_t others = 0;
  for (const std::string& name : names) {
    if (name == "." || name == "..") {
      continue;
    }
    if (!ralt::IsRaltFileName(name)) {
      ++others;
      continue;
    }
    const Status deleted = fs->DeleteFile(path + "/" + name, io, nullptr);
    if (s.ok()) {
      s = deleted;
    }
  }
  if (s.ok() && others == 0) {
    s = fs->DeleteDir(path, io, nullptr);
  }
  return s;
}

std::string RaltStats::ToString() const {
  std::ostringstream out;
  const auto field = [&out](const char* name, auto value) {
    out << name << ": " << value << "\n";
  };
  field("accesses", accesses);
  field("accesses_dropped", accesses_dropped);
  field("accessed_bytes", accessed_bytes);
  field("flushes", flushes);
  field("merges", merges);
  field("evictions", evictions);
  field("bytes_flushed", bytes_flushed);
  field("bytes_written", bytes_written);
  field("bytes_read", bytes_read);
  field("background_micros", background_micros);
  field("background_errors", background_errors);
  field("resets", resets);
  field("runs", runs);
  field("levels", levels);
  field("records", records);
  field("hot_records", hot_records);
  field("hot_set_bytes", hot_set_bytes);
  field("tracked_bytes", tracked_bytes);
  field("physical_bytes", physical_bytes);
  field("hot_set_limit_bytes", hot_set_limit_bytes);
  field("physical_limit_bytes", physical_limit_bytes);
  field("stable_bytes", stable_bytes);
  field("hot_score_threshold", hot_score_threshold);
  field("buffer_memory_bytes", buffer_memory_bytes);
  field("filter_memory_bytes", filter_memory_bytes);
  field("index_memory_bytes", index_memory_bytes);
  field("tick", tick);
  field("paused", paused);
  return out.str();
}

}  // namespace ROCKSDB_NAMESPACE

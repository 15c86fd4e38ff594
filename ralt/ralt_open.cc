//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// How a Ralt is created, and how its files are removed. Not in a ralt.cc: the
// interface does not depend on its implementation.

#include <vector>

#include "plugin/hotrap/ralt/ralt.h"
#include "plugin/hotrap/ralt/ralt_impl.h"
#include "plugin/hotrap/ralt/run/format.h"

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

}  // namespace ROCKSDB_NAMESPACE

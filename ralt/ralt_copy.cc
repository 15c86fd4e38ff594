//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Copies of RALT's files that are taken while a Ralt writes them. Runs are
// never changed, and the manifest is replaced as a whole. So a manifest with
// all the runs that it names is a state that RALT was in.

#include <string>
#include <vector>

#include "file/file_util.h"
#include "file/filename.h"
#include "plugin/hotrap/ralt/ralt.h"
#include "plugin/hotrap/ralt/run/format.h"
#include "plugin/hotrap/ralt/tree/manifest.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Each time RALT has deleted a run since its manifest was read. It merges for
// seconds, so that this is many more than it takes.
constexpr int kAttempts = 100;

std::string NameOf(uint64_t run) {
  const std::string name = ralt::RunFileName("", run);
  return name.substr(name.rfind('/') + 1);
}

std::string ManifestName() {
  const std::string name = ralt::ManifestFileName("");
  return name.substr(name.rfind('/') + 1);
}

// Links a file, or copies it where links are not supported.
IOStatus LinkOrCopy(FileSystem* fs, const std::string& from,
                    const std::string& to) {
  IOStatus s = fs->FileExists(to, IOOptions(), nullptr);
  if (s.ok()) {
    return s;  // from an earlier attempt
  }
  s = fs->LinkFile(from, to, IOOptions(), nullptr);
  if (s.IsNotSupported()) {
    s = CopyFile(fs, from, Temperature::kUnknown, to, Temperature::kUnknown,
                 /*size=*/0, /*use_fsync=*/false, /*io_tracer=*/nullptr);
  }
  return s;
}

}  // namespace

Status Ralt::Copy(const std::string& path, FileSystem* fs,
                  const std::string& to, std::vector<std::string>* names) {
  Status s;
  for (int attempt = 0; attempt < kAttempts; attempt++) {
    std::string bytes;
    s = ReadFileToString(fs, ralt::ManifestFileName(path), IOOptions(), &bytes);
    ralt::Manifest manifest;
    if (s.ok()) {
      s = manifest.DecodeFrom(bytes, path);
    }
    if (!s.ok()) {
      return s;
    }
    TEST_SYNC_POINT("Ralt::Copy:ManifestRead");
    names->clear();
    for (const ralt::Manifest::Run& run : manifest.runs) {
      const std::string name = NameOf(run.number);
      if (s.ok()) {
        s = LinkOrCopy(fs, path + "/" + name, to + "/" + name);
        names->push_back(name);
      }
    }
    if (s.ok()) {
      names->push_back(ManifestName());
      return WriteStringToFile(fs, bytes, to + "/" + ManifestName(),
                               /*should_sync=*/true);
    }
    if (!s.IsNotFound() && !s.IsPathNotFound()) {
      return s;
    }
  }
  return s;
}

}  // namespace ROCKSDB_NAMESPACE

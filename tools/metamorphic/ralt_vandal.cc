//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/ralt_vandal.h"

#include <algorithm>
#include <utility>

#include "plugin/hotrap/db/state/ralt_folders.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {

// One in this many operations fails.
constexpr int kFailOneIn = 12;

bool IsRalts(const std::string& name) {
  return name.find(RaltFolders::kPrefix) != std::string::npos;
}

bool Unlucky() { return Random::GetTLSInstance()->OneIn(kFailOneIn); }

class FailingWritableFile : public FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;

  IOStatus Append(const Slice& data, const IOOptions& options,
                  IODebugContext* dbg) override {
    return Unlucky() ? AppendHalf(data, options, dbg)
                     : FSWritableFileOwnerWrapper::Append(data, options, dbg);
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const DataVerificationInfo& info,
                  IODebugContext* dbg) override {
    return Unlucky()
               ? AppendHalf(data, options, dbg)
               : FSWritableFileOwnerWrapper::Append(data, options, info, dbg);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    return Unlucky() ? IOStatus::IOError("vandal: sync")
                     : FSWritableFileOwnerWrapper::Sync(options, dbg);
  }

 private:
  IOStatus AppendHalf(const Slice& data, const IOOptions& options,
                      IODebugContext* dbg) {
    FSWritableFileOwnerWrapper::Append(Slice(data.data(), data.size() / 2),
                                       options, dbg)
        .PermitUncheckedError();
    return IOStatus::NoSpace("vandal: append");
  }
};

class FailingRandomAccessFile : public FSRandomAccessFileOwnerWrapper {
 public:
  using FSRandomAccessFileOwnerWrapper::FSRandomAccessFileOwnerWrapper;

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options,
                Slice* result, char* scratch,
                IODebugContext* dbg) const override {
    return Unlucky() ? IOStatus::IOError("vandal: read")
                     : FSRandomAccessFileOwnerWrapper::Read(
                           offset, n, options, result, scratch, dbg);
  }
};

class FailingFileSystem : public FileSystemWrapper {
 public:
  FailingFileSystem(const std::shared_ptr<FileSystem>& target, bool writes,
                    bool reads)
      : FileSystemWrapper(target), writes_(writes), reads_(reads) {}

  static const char* kClassName() { return "FailingFileSystem"; }
  const char* Name() const override { return kClassName(); }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file,
                           IODebugContext* dbg) override {
    const bool fails = writes_ && IsRalts(name);
    if (fails && Unlucky()) {
      return IOStatus::NoSpace("vandal: create");
    }
    IOStatus s = target()->NewWritableFile(name, options, file, dbg);
    if (s.ok() && fails) {
      *file = std::make_unique<FailingWritableFile>(std::move(*file));
    }
    return s;
  }
  IOStatus NewRandomAccessFile(const std::string& name,
                               const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override {
    const bool fails = reads_ && IsRalts(name);
    if (fails && Unlucky()) {
      return IOStatus::IOError("vandal: open");
    }
    IOStatus s = target()->NewRandomAccessFile(name, options, file, dbg);
    if (s.ok() && fails) {
      *file = std::make_unique<FailingRandomAccessFile>(std::move(*file));
    }
    return s;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to,
                      const IOOptions& options, IODebugContext* dbg) override {
    if (writes_ && IsRalts(to) && Unlucky()) {
      return IOStatus::NoSpace("vandal: rename");
    }
    return target()->RenameFile(from, to, options, dbg);
  }
  IOStatus CreateDirIfMissing(const std::string& name, const IOOptions& options,
                              IODebugContext* dbg) override {
    if (writes_ && IsRalts(name) && Unlucky()) {
      return IOStatus::NoSpace("vandal: folder");
    }
    return target()->CreateDirIfMissing(name, options, dbg);
  }
  IOStatus GetChildren(const std::string& name, const IOOptions& options,
                       std::vector<std::string>* children,
                       IODebugContext* dbg) override {
    if (reads_ && IsRalts(name) && Unlucky()) {
      return IOStatus::IOError("vandal: list");
    }
    return target()->GetChildren(name, options, children, dbg);
  }

 private:
  const bool writes_;
  const bool reads_;
};

}  // namespace

std::shared_ptr<FileSystem> RaltVandal::Wrap(
    const std::shared_ptr<FileSystem>& target,
    const std::vector<std::string>& fast_paths) {
  target_ = target;
  fast_paths_ = fast_paths;
  if (!fails_writes_ && !fails_reads_) {
    return target;
  }
  return std::make_shared<FailingFileSystem>(target, fails_writes_,
                                             fails_reads_);
}

void RaltVandal::Disturb(bool db_is_open) {
  if (!damages_ && (!deletes_ || db_is_open)) {
    return;
  }
  const IOOptions io;
  for (const std::string& path : fast_paths_) {
    std::vector<std::string> folders;
    target_->GetChildren(path, io, &folders, nullptr).PermitUncheckedError();
    for (const std::string& folder : folders) {
      if (!IsRalts(folder)) {
        continue;
      }
      const std::string ralt = path + "/" + folder;
      std::vector<std::string> files;
      target_->GetChildren(ralt, io, &files, nullptr).PermitUncheckedError();
      for (const std::string& file : files) {
        const std::string name = ralt + "/" + file;
        if (deletes_ && !db_is_open) {
          target_->DeleteFile(name, io, nullptr).PermitUncheckedError();
        } else if (damages_ && rnd_.OneIn(2)) {
          Damage(name, db_is_open);
        }
      }
      if (deletes_ && !db_is_open) {
        target_->DeleteDir(ralt, io, nullptr).PermitUncheckedError();
      }
    }
  }
}

void RaltVandal::Damage(const std::string& path, bool db_is_open) {
  const IOOptions io;
  uint64_t bytes = 0;
  target_->GetFileSize(path, io, &bytes, nullptr).PermitUncheckedError();
  if (!db_is_open && rnd_.OneIn(6)) {
    target_->DeleteFile(path, io, nullptr).PermitUncheckedError();
    return;
  }
  if (!db_is_open && rnd_.OneIn(4)) {
    target_->Truncate(path, rnd_.Uniform(bytes + 1), io, nullptr)
        .PermitUncheckedError();
    return;
  }
  std::unique_ptr<FSRandomRWFile> file;
  const IOStatus s =
      target_->NewRandomRWFile(path, FileOptions(), &file, nullptr);
  if (!s.ok() || bytes == 0) {
    return;
  }
  // Flip a bit, or overwrite a piece.
  const uint64_t offset = rnd_.Uniform(bytes);
  const size_t length = std::min<uint64_t>(
      rnd_.OneIn(2) ? 1 : 1 + rnd_.Uniform(64), bytes - offset);
  std::string piece(length, '\0');
  for (char& c : piece) {
    c = static_cast<char>(rnd_.Uniform(256));
  }
  file->Write(offset, piece, io, nullptr).PermitUncheckedError();
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE

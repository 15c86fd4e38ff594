//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// File systems of a few megabytes, which tests fill for real. They are mounted
// where only this process sees them, and end with it.
//
// Thread safety: none. Enter() comes before the process has a second thread,
// since threads of another mount namespace would not see them.

#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "rocksdb/env.h"

namespace ROCKSDB_NAMESPACE {

class SmallFileSystems {
 public:
  ~SmallFileSystems() { UnmountAll(); }

  // Gives the process mounts of its own. Returns why that is impossible, or an
  // empty string.
  static const std::string& Enter() {
    static const std::string reason = TryToEnter();
    return reason;
  }

  // Mounts an empty file system on `folder`, which it creates.
  Status Mount(const std::string& folder, uint64_t bytes) {
    const Status s = Env::Default()->CreateDirIfMissing(folder);
    if (!s.ok()) {
      return s;
    }
    const std::string size = "size=" + std::to_string(bytes);
    if (mount("tmpfs", folder.c_str(), "tmpfs", 0, size.c_str()) != 0) {
      return Status::IOError("mount " + folder, strerror(errno));
    }
    folders_.push_back(folder);
    return Status::OK();
  }
  void UnmountAll() {
    for (; !folders_.empty(); folders_.pop_back()) {
      umount2(folders_.back().c_str(), MNT_DETACH);
    }
  }

  // Takes what is free in `folder`, but `but_bytes`.
  static void PutBallast(const std::string& folder, uint64_t but_bytes) {
    uint64_t free_bytes = 0;
    Env::Default()->GetFreeSpace(folder, &free_bytes).PermitUncheckedError();
    if (free_bytes > but_bytes) {
      AppendBallast(folder, free_bytes - but_bytes);
    }
  }
  static void TakeBallastAway(const std::string& folder) {
    unlink(BallastName(folder).c_str());
  }

 private:
  static std::string BallastName(const std::string& folder) {
    return folder + "/ballast";
  }

  static void AppendBallast(const std::string& folder, uint64_t bytes) {
    const int fd = open(BallastName(folder).c_str(),
                        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    const std::string page(4096, 'b');
    for (uint64_t done = 0; fd >= 0 && done < bytes; done += page.size()) {
      if (write(fd, page.data(), page.size()) <= 0) {
        break;
      }
    }
    close(fd);
  }

  static bool WriteTo(const char* name, const std::string& text) {
    const int fd = open(name, O_WRONLY | O_CLOEXEC);
    const bool done = fd >= 0 && write(fd, text.data(), text.size()) ==
                                     static_cast<ssize_t>(text.size());
    close(fd);
    return done;
  }

  static std::string TryToEnter() {
    const std::string uid = std::to_string(getuid());
    const std::string gid = std::to_string(getgid());
    if (unshare(CLONE_NEWNS) != 0) {
      // Not root: be it in a user namespace.
      if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
        return std::string("no mounts of its own: ") + strerror(errno);
      }
      WriteTo("/proc/self/setgroups", "deny");
      if (!WriteTo("/proc/self/uid_map", "0 " + uid + " 1") ||
          !WriteTo("/proc/self/gid_map", "0 " + gid + " 1")) {
        return "no user namespace: its ids cannot be mapped";
      }
    }
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      return std::string("mounts cannot be private: ") + strerror(errno);
    }
    SmallFileSystems trial;
    const std::string folder = "/tmp/hotrap_mount_" + std::to_string(getpid());
    const Status s = trial.Mount(folder, 1 << 20);
    trial.UnmountAll();
    rmdir(folder.c_str());
    return s.ok() ? "" : s.ToString();
  }

  std::vector<std::string> folders_;
};

}  // namespace ROCKSDB_NAMESPACE

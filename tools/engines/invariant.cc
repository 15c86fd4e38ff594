//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/engines/invariant.h"

#include <unistd.h>

#include <cstdio>
#include <mutex>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

std::vector<Invariant*>* Invariants() {
  static std::vector<Invariant*> all;
  return &all;
}

std::vector<OperationCount*>* Operations() {
  static std::vector<OperationCount*> all;
  return &all;
}

std::string* Context() {
  static std::string context;
  return &context;
}

}  // namespace

Invariant::Invariant(const char* name) : name_(name) {
  Invariants()->push_back(this);
}

const std::vector<Invariant*>& Invariant::All() { return *Invariants(); }

void Invariant::Violated(const std::string& detail) const {
  // The first one only; other threads stop here.
  static std::mutex mutex;
  mutex.lock();
  fprintf(stderr, "VIOLATED: %s\n  %s\n  %s\n", name_, detail.c_str(),
          Context()->c_str());
  fflush(stderr);
  fflush(stdout);
  // The DB's files stay as they are; destructors would go on working on them.
  _exit(1);
}

void SetFailureContext(const std::string& context) { *Context() = context; }

void Must(const Status& s, const std::string& what) {
  static Invariant invariant("calls_that_must_succeed");
  invariant.Check(s.ok(), [&] { return what + ": " + s.ToString(); });
}

OperationCount::OperationCount(const char* name) : name_(name) {
  Operations()->push_back(this);
}

const std::vector<OperationCount*>& OperationCount::All() {
  return *Operations();
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE

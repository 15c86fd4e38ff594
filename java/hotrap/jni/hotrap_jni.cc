//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The native part of the add-on jar: org.rocksdb.hotrap.HotRapNative, and a
// check of RocksJava's classes when a JVM loads the library. It is compiled
// into RocksJava's native library.
//
// Thread-safe, as far as the objects behind the handles are.

#include <jni.h>

#include <iterator>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/hotrap_defaults.h"
#include "rocksdb/options.h"
#include "rocksdb/statistics.h"
#include "rocksdb/version.h"
#include "rocksjni/portal.h"

namespace ROCKSDB_NAMESPACE {

namespace {

using StringMap = std::unordered_map<std::string, std::string>;

constexpr uint32_t kTickers[] = {
#define TICKER(ticker, name) ticker,
    HOTRAP_TICKERS(TICKER)
#undef TICKER
};

constexpr const char* kTickerNames[] = {
#define TICKER(ticker, name) name,
    HOTRAP_TICKERS(TICKER)
#undef TICKER
};

void ThrowIllegalArgument(JNIEnv* env, const Status& s) {
  env->ThrowNew(env->FindClass("java/lang/IllegalArgumentException"),
                s.getState() != nullptr ? s.getState() : s.ToString().c_str());
}

// Returns nullptr with a Java exception pending if it fails.
jobjectArray ToJava(JNIEnv* env, const std::vector<std::string>& strings) {
  jobjectArray array =
      env->NewObjectArray(static_cast<jsize>(strings.size()),
                          env->FindClass("java/lang/String"), nullptr);
  for (size_t i = 0; array != nullptr && i < strings.size(); i++) {
    jstring text = env->NewStringUTF(strings[i].c_str());
    if (text == nullptr) {
      return nullptr;
    }
    env->SetObjectArrayElement(array, static_cast<jsize>(i), text);
    env->DeleteLocalRef(text);
  }
  return array;
}

std::string ToCpp(JNIEnv* env, jstring text) {
  jboolean has_exception = JNI_FALSE;
  return JniUtil::copyStdString(env, text, &has_exception);
}

ColumnFamilyOptions* FamilyOptions(jlong handle, jboolean is_options) {
  // Options has two bases, and this is not the first one.
  return is_options != JNI_FALSE
             ? static_cast<ColumnFamilyOptions*>(
                   reinterpret_cast<Options*>(handle))
             : reinterpret_cast<ColumnFamilyOptions*>(handle);
}

// Parses "{name=value;...}" on top of `hotrap`.
Status Parse(const std::string& text, HotRapOptions* hotrap) {
  if (text == "{}") {  // RocksDB's parser knows no group without a field
    return Status::OK();
  }
  ColumnFamilyOptions base;
  base.hotrap = *hotrap;
  ColumnFamilyOptions parsed;
  const Status s = GetColumnFamilyOptionsFromMap(ConfigOptions(), base,
                                                 {{"hotrap", text}}, &parsed);
  if (s.ok()) {
    *hotrap = parsed.hotrap;
  }
  return s;
}

// All fields, by name, in the format of option strings.
Status Fields(const HotRapOptions& hotrap, StringMap* fields) {
  ColumnFamilyOptions options;
  options.hotrap = hotrap;
  // Options that are off are not written.
  options.hotrap.enabled = true;
  std::string text;
  Status s = GetStringFromColumnFamilyOptions(ConfigOptions(), options, &text);
  StringMap all;
  if (s.ok()) {
    s = StringToMap(text, &all);
  }
  if (s.ok()) {
    s = StringToMap(all["hotrap"], fields);
  }
  (*fields)["enabled"] = hotrap.enabled ? "true" : "false";
  return s;
}

// What of `all` has a name in `names`, as Java's HotRapOptions takes it.
jobjectArray Pairs(JNIEnv* env, const StringMap& all, const StringMap& names) {
  std::vector<std::string> pairs;
  for (const auto& [name, value] : names) {
    const auto it = all.find(name);
    pairs.push_back(name);
    pairs.push_back(it != all.end() ? it->second : value);
  }
  return ToJava(env, pairs);
}

}  // namespace

}  // namespace ROCKSDB_NAMESPACE

using namespace ROCKSDB_NAMESPACE;  // NOLINT(build/namespaces)

extern "C" {

// Fails with an IncompatibleClassChangeError if RocksJava's classes are not
// those that the library was built for. Without the add-on jar it cannot know.
JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  JNIEnv* env = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_8) != JNI_OK) {
    return JNI_ERR;
  }
  jclass classes = env->FindClass("org/rocksdb/hotrap/RocksDBClasses");
  if (classes == nullptr) {
    env->ExceptionClear();
    return JNI_VERSION_1_8;
  }
  jmethodID check =
      env->GetStaticMethodID(classes, "mismatch", "()Ljava/lang/String;");
  auto mismatch =
      check == nullptr
          ? nullptr
          : static_cast<jstring>(env->CallStaticObjectMethod(classes, check));
  if (env->ExceptionCheck() || mismatch == nullptr) {
    return JNI_ERR;
  }
  const std::string text = ToCpp(env, mismatch);
  if (!text.empty()) {
    // Not an UnsatisfiedLinkError, after which RocksDB's loader would try the
    // next library.
    env->ThrowNew(env->FindClass("java/lang/IncompatibleClassChangeError"),
                  text.c_str());
    return JNI_ERR;
  }
  return JNI_VERSION_1_8;
}

JNIEXPORT jstring JNICALL
Java_org_rocksdb_hotrap_HotRapNative_version(JNIEnv* env, jclass) {
  return env->NewStringUTF(
      (GetRocksVersionAsString() + "-hotrap." HOTRAP_RELEASE).c_str());
}

JNIEXPORT jobjectArray JNICALL Java_org_rocksdb_hotrap_HotRapNative_parse(
    JNIEnv* env, jclass, jstring joptions) {
  const std::string text = ToCpp(env, joptions);
  HotRapOptions hotrap;
  Status s = Parse(text, &hotrap);
  StringMap names;
  StringMap all;
  if (s.ok()) {
    // Once more for the names, without the outer braces.
    s = StringToMap(text.substr(1, text.size() - 2), &names);
  }
  if (s.ok()) {
    s = Fields(hotrap, &all);
  }
  if (!s.ok()) {
    ThrowIllegalArgument(env, s);
    return nullptr;
  }
  return Pairs(env, all, names);
}

JNIEXPORT void JNICALL Java_org_rocksdb_hotrap_HotRapNative_apply(
    JNIEnv* env, jclass, jlong handle, jboolean is_options, jstring joptions) {
  const Status s =
      Parse(ToCpp(env, joptions), &FamilyOptions(handle, is_options)->hotrap);
  if (!s.ok()) {
    ThrowIllegalArgument(env, s);
  }
}

JNIEXPORT jobjectArray JNICALL Java_org_rocksdb_hotrap_HotRapNative_get(
    JNIEnv* env, jclass, jlong handle, jboolean is_options) {
  StringMap all;
  const Status s = Fields(FamilyOptions(handle, is_options)->hotrap, &all);
  if (!s.ok()) {
    ThrowIllegalArgument(env, s);
    return nullptr;
  }
  return Pairs(env, all, all);
}

JNIEXPORT jlong JNICALL Java_org_rocksdb_hotrap_HotRapNative_writeBufferSize(
    JNIEnv*, jclass, jlong handle, jboolean is_options) {
  return static_cast<jlong>(
      FamilyOptions(handle, is_options)->write_buffer_size);
}

JNIEXPORT void JNICALL Java_org_rocksdb_hotrap_HotRapNative_setOptions(
    JNIEnv* env, jclass, jlong db, jlong family, jstring joptions) {
  const Status s = reinterpret_cast<DB*>(db)->SetOptions(
      reinterpret_cast<ColumnFamilyHandle*>(family),
      {{"hotrap", ToCpp(env, joptions)}});
  if (!s.ok()) {
    RocksDBExceptionJni::ThrowNew(env, s);
  }
}

JNIEXPORT jlong JNICALL Java_org_rocksdb_hotrap_HotRapNative_addDefaults(
    JNIEnv* env, jclass, jstring jdb_pattern, jstring jfamily_pattern,
    jstring joptions) {
  HotRapOptions hotrap;
  const Status s = Parse(ToCpp(env, joptions), &hotrap);
  if (!s.ok()) {
    ThrowIllegalArgument(env, s);
    return 0;
  }
  return static_cast<jlong>(AddHotRapDefaults(
      ToCpp(env, jdb_pattern), ToCpp(env, jfamily_pattern), hotrap));
}

JNIEXPORT void JNICALL
Java_org_rocksdb_hotrap_HotRapNative_removeDefaults(JNIEnv*, jclass, jlong id) {
  RemoveHotRapDefaults(static_cast<uint64_t>(id));
}

JNIEXPORT jobjectArray JNICALL
Java_org_rocksdb_hotrap_HotRapNative_tickers(JNIEnv* env, jclass) {
  return ToJava(env, {std::begin(kTickerNames), std::end(kTickerNames)});
}

JNIEXPORT jlong JNICALL Java_org_rocksdb_hotrap_HotRapNative_tickerCount(
    JNIEnv*, jclass, jlong statistics, jint ticker) {
  return static_cast<jlong>(
      (*reinterpret_cast<std::shared_ptr<Statistics>*>(statistics))
          ->getTickerCount(kTickers[ticker]));
}

}  // extern "C"

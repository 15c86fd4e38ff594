//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;

/**
 * Which classes of rocksdbjni the native library was built for. They have no
 * version that a program could ask for, and a native library for others may
 * crash. So what their native methods look like is noted when this jar is
 * built, and compared when the library is loaded. Thread-safe.
 */
final class RocksDBClasses {
  // With the native methods that change most.
  private static final List<String> NAMES =
      List.of("RocksDB", "Options", "DBOptions", "ColumnFamilyOptions",
          "ReadOptions", "WriteOptions", "BlockBasedTableConfig", "Statistics",
          "BackupEngineOptions", "CompactRangeOptions", "Transaction",
          "TransactionDB", "WriteBatch", "SstFileReader");
  private static final List<String> ENUMS =
      List.of("TickerType", "HistogramType");
  private static final String RESOURCE = "rocksdbjni.properties";

  /** The version of this jar. */
  static final String VERSION;
  private static final String BASE;
  private static final String EXPECTED;

  static {
    final Properties properties = new Properties();
    try (InputStream in = RocksDBClasses.class.getResourceAsStream(RESOURCE)) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    VERSION = properties.getProperty("version", "");
    BASE = properties.getProperty("rocksdbjni", "");
    EXPECTED = properties.getProperty("fingerprint", "");
  }

  private RocksDBClasses() {}

  /** Whether a native library of this version belongs to this jar. */
  static boolean isBuiltWith(String version) {
    return VERSION.equals(version);
  }

  /**
   * Returns an empty string if the classes on the class path are the right
   * ones, else what is wrong. The native library calls it when it is loaded.
   */
  static String mismatch() {
    try {
      final ClassLoader loader = RocksDBClasses.class.getClassLoader();
      return fingerprint(loader).equals(EXPECTED)
          ? ""
          : "rocksdb-hotrap " + VERSION + " needs rocksdbjni " + BASE
              + ", but the classes in " + origin(loader)
              + " are of another version; use rocksdbjni " + BASE;
    } catch (ClassNotFoundException e) {
      return "rocksdbjni " + BASE + " is not on the class path: " + e;
    }
  }

  /** A digest of the native methods and numbered constants. */
  static String fingerprint(ClassLoader loader) throws ClassNotFoundException {
    final TreeSet<String> lines = new TreeSet<>();
    for (final String name : NAMES) {
      for (final Method method : type(loader, name).getDeclaredMethods()) {
        if (Modifier.isNative(method.getModifiers())) {
          lines.add(name + "." + method.getName()
              + MethodType
                    .methodType(
                        method.getReturnType(), method.getParameterTypes())
                    .toMethodDescriptorString());
        }
      }
    }
    for (final String name : ENUMS) {
      int number = 0;
      for (final var field : type(loader, name).getDeclaredFields()) {
        if (field.isEnumConstant()) {
          lines.add(name + "." + number++ + "=" + field.getName());
        }
      }
    }
    try {
      final byte[] digest = MessageDigest.getInstance("SHA-256").digest(
          String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
      final StringBuilder hex = new StringBuilder();
      for (final byte each : digest) {
        hex.append(String.format("%02x", each));
      }
      return hex.toString();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static Class<?> type(ClassLoader loader, String name)
      throws ClassNotFoundException {
    // Initializing it would load a native library.
    return Class.forName("org.rocksdb." + name, false, loader);
  }

  private static String origin(ClassLoader loader)
      throws ClassNotFoundException {
    final CodeSource source =
        type(loader, "RocksDB").getProtectionDomain().getCodeSource();
    return source == null ? "the class path" : source.getLocation().toString();
  }

  /** Writes the resource when the jar is built: folder, version, base. */
  public static void main(String[] arguments) throws Exception {
    final Path file =
        Path.of(arguments[0], "org/rocksdb/hotrap").resolve(RESOURCE);
    Files.writeString(file,
        "version=" + arguments[1] + "\nrocksdbjni=" + arguments[2]
            + "\nfingerprint="
            + fingerprint(RocksDBClasses.class.getClassLoader()) + "\n");
  }
}

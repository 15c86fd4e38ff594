//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.util.Environment;

/**
 * Loads the native library of this jar through RocksDB's public methods, and
 * checks that it is the one in use, and that rocksdbjni's classes are those
 * that it was built for. Thread-safe.
 */
final class HotRapLibrary {
  // What RocksDB.loadLibrary(paths) looks for in each folder.
  private static final String FILE_NAME =
      Environment.getJniLibraryFileName("rocksdbjni");
  private static final String RESOURCE =
      Environment.getJniLibraryFileName("rocksdb");

  // Null until it is known.
  private static String problem;

  private HotRapLibrary() {}

  static void load() throws RocksDBException {
    final String reason = problem();
    if (!reason.isEmpty()) {
      throw new RocksDBException("HotRAP is not available: " + reason);
    }
  }

  static synchronized String problem() {
    if (problem == null) {
      problem = findProblem();
    }
    return problem;
  }

  private static String findProblem() {
    if (RocksDB.class.getClassLoader() != HotRap.class.getClassLoader()) {
      return "rocksdb-hotrap and rocksdbjni have different class loaders; put"
          + " both jars into one folder or class path";
    }
    try {
      final String mismatch = RocksDBClasses.mismatch();
      if (!mismatch.isEmpty()) {
        return mismatch;
      }
      if (RocksDB.rocksdbVersion() == null) {
        loadFromThisJar();
      }
    } catch (IOException | UncheckedIOException | LinkageError e) {
      return "the native library cannot be loaded: " + e;
    }
    try {
      final String version = HotRapNative.version();
      return RocksDBClasses.isBuiltWith(version)
          ? ""
          : "the native library is " + version + ", but rocksdb-hotrap is "
              + RocksDBClasses.VERSION + "; use one of its version";
    } catch (UnsatisfiedLinkError e) {
      return "RocksDB " + RocksDB.rocksdbVersion()
          + " has loaded a native library without HotRAP; put rocksdb-hotrap"
          + " before rocksdbjni on the class path, or call HotRap.load() before"
          + " any other class of RocksDB";
    }
  }

  private static void loadFromThisJar() throws IOException {
    // Not the first one on the class path, which may be rocksdbjni's.
    final String here = HotRapLibrary.class.getResource("HotRap.class")
                            .toString();
    final String name = HotRap.class.getName().replace('.', '/') + ".class";
    final URL url = new URL(
        here.substring(0, here.length() - name.length()) + RESOURCE);
    final Path folder = Files.createTempDirectory("rocksdb-hotrap");
    final Path file = folder.resolve(FILE_NAME);
    try {
      try (InputStream in = url.openStream()) {
        Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
      } catch (IOException e) {
        throw new IOException(
            "no " + RESOURCE + " for this platform beside rocksdb-hotrap", e);
      }
      RocksDB.loadLibrary(List.of(folder.toString()));
    } finally {
      // Linux keeps what is loaded.
      Files.deleteIfExists(file);
      Files.delete(folder);
    }
  }
}

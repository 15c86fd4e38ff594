//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import java.nio.file.Path;
import java.util.List;
import org.rocksdb.DbPath;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * A program for HotRapLibraryTest: takes the steps that its arguments name, and
 * prints a line for each.
 */
final class LibraryProbe {
  private LibraryProbe() {}

  private static String step(String name) throws RocksDBException {
    switch (name) {
      case "load":
        HotRap.load();
        return "loaded";
      case "rocksdb":
        RocksDB.loadLibrary();
        return RocksDB.rocksdbVersion().toString();
      case "available":
        return Boolean.toString(HotRap.isAvailable());
      case "reason":
        return HotRap.unavailableReason();
      case "version":
        return HotRap.version();
      case "parse":
        return HotRapOptions.parse("enabled=true").toString();
      case "ticker":
        // No Statistics, because there may be no native library.
        return Long.toString(HotRapTicker.RETAINED_BYTES.count(null));
      default:
        return use(Path.of(name));
    }
  }

  /** Opens a DB in the folder with HotRAP on. */
  private static String use(Path folder) throws RocksDBException {
    try (Options options = new Options()) {
      options.setCreateIfMissing(true).setDbPaths(
          List.of(new DbPath(folder.resolve("fast"), 1L << 30),
              new DbPath(folder.resolve("slow"), 1L << 40)));
      HotRap.enable(options, new HotRapOptions());
      try (RocksDB db = RocksDB.open(options, folder.toString())) {
        db.put(new byte[] {1}, new byte[] {2});
        return "active " + HotRap.stats(db, null).active() + " "
            + db.get(new byte[] {1})[0];
      }
    }
  }

  public static void main(String[] arguments) {
    for (final String name : arguments) {
      String result;
      try {
        result = step(name);
      } catch (RocksDBException | RuntimeException | LinkageError e) {
        result = e.getClass().getSimpleName() + ": " + e.getMessage();
      }
      System.out.println(result);
    }
  }
}

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package example;

// What follows is shown in docs/getting_started.md and docs/java.md.
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.hotrap.HotRap;
import org.rocksdb.hotrap.HotRapOptions;
import org.rocksdb.hotrap.HotRapStats;

public class Visits {
  // Folders: of the DB on the fast disk, and any on the slow one.
  public static void main(String[] folders) throws RocksDBException {
    try (Options options = new Options().setCreateIfMissing(true)) {
      HotRap.enable(options,
          new HotRapOptions()
              .setSlowRoot(Path.of(folders[1]))
              .setFastBudgetBytes(40L << 30));
      try (RocksDB db = RocksDB.open(options, folders[0])) {
        db.put("page".getBytes(UTF_8), "1".getBytes(UTF_8));
        System.out.println(new String(db.get("page".getBytes(UTF_8)), UTF_8));
        HotRapStats stats = HotRap.stats(db, null);
        System.out.println("HotRAP is active: " + stats.active());
        System.out.println("promoted: " + stats.promotedRecords());
      }
    }
  }
}

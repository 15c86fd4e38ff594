//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.DbPath;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/** A program that uses the jar: scripts/check_install.py. */
public class Use {
  public static void main(String[] args) throws Exception {
    RocksDB.loadLibrary();
    Properties properties = new Properties();
    properties.setProperty("hotrap", "{enabled=true;}");
    Path folder = Path.of(args[0]);
    try (ColumnFamilyOptions family =
             ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties);
        DBOptions dbOptions =
            new DBOptions()
                .setCreateIfMissing(true)
                .setDbPaths(List.of(
                    new DbPath(folder.resolve("fast"), 1L << 30),
                    new DbPath(folder.resolve("slow"), 1L << 40)));
        Options options = new Options(dbOptions, family);
        RocksDB db = RocksDB.open(options, folder.resolve("fast").toString())) {
      byte[] key = "key".getBytes(StandardCharsets.UTF_8);
      byte[] value = "value".getBytes(StandardCharsets.UTF_8);
      db.put(key, value);
      if (!Arrays.equals(value, db.get(key))
          || !db.getProperty("rocksdb.hotrap.stats").contains("active: 1\n")) {
        throw new IllegalStateException("wrong value, or HotRAP is not active");
      }
    }
  }
}

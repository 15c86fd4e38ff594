//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import org.junit.After;
import org.junit.Rule;
import org.junit.rules.TemporaryFolder;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.DbPath;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Base class for tests with a small DB over two folders, through RocksJava's
 * public API only. Levels 0 and 1 are fast; level 2 and deeper levels are slow.
 * There is no block cache, so that each read of the slow tier does I/O.
 */
abstract class HotRapTestBase {
  static final HotRapOptions ON = new HotRapOptions()
                                      .setPromotionCacheBytes(16384)
                                      .setCachedHitSampling(1)
                                      .setPromoteOnlyIfSlower(false);
  // Four times the fast budget.
  static final int RECORDS = 20_000;
  static final long FAST_BYTES = 1 << 20;
  static final int VALUE_BYTES = 200;
  static final long DEADLINE_MILLIS = 120_000;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  RocksDB db;
  // In the order in which open() was given their options.
  final List<ColumnFamilyHandle> families = new ArrayList<>();
  // Generation of each record in the default column family; -1 if none.
  final int[] generations = new int[RECORDS];
  private final Deque<AutoCloseable> kept = new ArrayDeque<>();

  interface Opener {
    RocksDB open(DBOptions options, String path,
        List<ColumnFamilyDescriptor> descriptors,
        List<ColumnFamilyHandle> handles) throws RocksDBException;
  }

  // ---- Opening -------------------------------------------------------------

  Path fast() {
    return folder.getRoot().toPath().resolve("fast");
  }

  Path slow() {
    return folder.getRoot().toPath().resolve("slow");
  }

  /** Closes the resource when the test ends. */
  <T extends AutoCloseable> T keep(T resource) {
    kept.push(resource);
    return resource;
  }

  static Properties properties() {
    final Properties properties = new Properties();
    properties.setProperty("write_buffer_size", "262144");
    properties.setProperty("target_file_size_base", "65536");
    properties.setProperty("max_bytes_for_level_base", "524288");
    properties.setProperty("max_bytes_for_level_multiplier", "4");
    properties.setProperty("level_compaction_dynamic_level_bytes", "false");
    properties.setProperty("compression", "kNoCompression");
    properties.setProperty(
        "block_based_table_factory", "{no_block_cache=true;}");
    return properties;
  }

  /** With HotRAP off if `hotrap` is null. */
  ColumnFamilyOptions familyOptions(HotRapOptions hotrap)
      throws RocksDBException {
    final ColumnFamilyOptions options = keep(
        ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties()));
    if (hotrap != null) {
      HotRap.enable(options, hotrap);
    }
    return options;
  }

  DBOptions dbOptions() {
    return keep(new DBOptions())
        .setCreateIfMissing(true)
        .setCreateMissingColumnFamilies(true)
        .setDbPaths(List.of(
            new DbPath(fast(), FAST_BYTES), new DbPath(slow(), 1L << 40)));
  }

  /** The column families are "default", "family1", "family2" ... */
  void open(Opener opener, DBOptions options, ColumnFamilyOptions... each)
      throws RocksDBException {
    final List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
    for (int i = 0; i < each.length; i++) {
      final byte[] name = i == 0 ? RocksDB.DEFAULT_COLUMN_FAMILY
                                 : ("family" + i).getBytes(UTF_8);
      descriptors.add(new ColumnFamilyDescriptor(name, each[i]));
    }
    db = opener.open(options, fast().toString(), descriptors, families);
  }

  void open(DBOptions options, ColumnFamilyOptions... each)
      throws RocksDBException {
    open(RocksDB::open, options, each);
  }

  void open(ColumnFamilyOptions... each) throws RocksDBException {
    open(dbOptions(), each);
  }

  void close() throws RocksDBException {
    for (final ColumnFamilyHandle family : families) {
      family.close();
    }
    families.clear();
    if (db != null) {
      db.closeE();
      db = null;
    }
  }

  @After
  public void closeAll() throws Exception {
    close();
    while (!kept.isEmpty()) {
      kept.pop().close();
    }
  }

  // ---- Records -------------------------------------------------------------

  static byte[] key(int i) {
    return String.format("key%08d", i).getBytes(UTF_8);
  }

  static byte[] value(int i, int generation) {
    final byte[] bytes = new byte[VALUE_BYTES];
    new Random(1_000_003L * generation + i).nextBytes(bytes);
    return bytes;
  }

  /** The value that the default column family must return for record i. */
  byte[] expected(int i) {
    return generations[i] < 0 ? null : value(i, generations[i]);
  }

  void put(int i, int generation) throws RocksDBException {
    db.put(key(i), value(i, generation));
    generations[i] = generation;
  }

  /** Writes all records in random order; most end up on the slow tier. */
  void load(ColumnFamilyHandle family) throws Exception {
    final List<Integer> order = new ArrayList<>();
    for (int i = 0; i < RECORDS; i++) {
      order.add(i);
    }
    Collections.shuffle(order, new Random(301));
    for (final int i : order) {
      db.put(family, key(i), value(i, 0));
    }
    settle(family);
  }

  /** Flushes, and waits until nothing is left to compact. */
  void settle(ColumnFamilyHandle family) throws Exception {
    try (FlushOptions options = new FlushOptions()) {
      db.flush(options, family);
    }
    final long deadline = System.currentTimeMillis() + DEADLINE_MILLIS;
    while (db.getLongProperty(family, "rocksdb.compaction-pending") > 0
        || db.getLongProperty("rocksdb.num-running-compactions") > 0) {
      assertTrue("compactions go on", System.currentTimeMillis() < deadline);
      Thread.sleep(10);
    }
  }

  void assertAllRight() throws RocksDBException {
    for (int i = 0; i < RECORDS; i++) {
      assertArrayEquals("record " + i, expected(i), db.get(key(i)));
    }
  }

  // ---- What HotRAP does ----------------------------------------------------

  HotRapStats stats(ColumnFamilyHandle family) throws RocksDBException {
    return HotRap.stats(db, family);
  }

  void assertActive(ColumnFamilyHandle family) throws RocksDBException {
    assertEquals("", stats(family).inactiveReason());
    assertTrue(stats(family).active());
  }

  /** Reads records [begin, end); returns the number of slow tier reads. */
  long slowReads(ColumnFamilyHandle family, int begin, int end)
      throws RocksDBException {
    final long before = stats(family).hitsSlow();
    for (int i = begin; i < end; i++) {
      assertNotNull(db.get(family, key(i)));
    }
    return stats(family).hitsSlow() - before;
  }

  /** Reads the records until almost none come from the slow tier. */
  void readUntilFast(ColumnFamilyHandle family, int begin, int end)
      throws Exception {
    assertActive(family);
    final long before = stats(family).promotedRecords();
    final long deadline = System.currentTimeMillis() + DEADLINE_MILLIS;
    while (slowReads(family, begin, end) > (end - begin) / 10
        || stats(family).promotedRecords() == before) {
      assertTrue("not promoted: " + stats(family),
          System.currentTimeMillis() < deadline);
      Thread.sleep(1);
    }
  }
}

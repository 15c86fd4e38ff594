//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Test;
import org.junit.function.ThrowingRunnable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.ConfigOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.DbPath;
import org.rocksdb.Env;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.Options;
import org.rocksdb.OptionsUtil;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;
import org.rocksdb.Status;

/** Tests how HotRAP is switched on and off in DBs, and how that fails. */
public class HotRapSwitchTest extends HotRapTestBase {
  private String inactiveReason() throws RocksDBException {
    return stats(families.get(0)).inactiveReason();
  }

  private static void assertClosed(String name, ThrowingRunnable call) {
    assertEquals("the " + name + " is closed",
        assertThrows(IllegalStateException.class, call).getMessage());
  }

  @Test
  public void asOptions() throws Exception {
    try (Options options = new Options(dbOptions(), familyOptions(null))) {
      HotRap.enable(options, ON);
      db = RocksDB.open(options, fast().toString());
      assertTrue(HotRap.stats(db, null).active());
      assertTrue(HotRap.stats(db, db.getDefaultColumnFamily()).active());
      close();
      RocksDB.destroyDB(fast().toString(), options);
    }
    assertFalse(fast().toFile().exists());
    assertFalse(slow().toFile().exists());
  }

  // The DB knows no paths: HotRAP adds one.
  @Test
  public void oneRoot() throws Exception {
    final Path root = folder.newFolder("hdd").toPath();
    final HotRapOptions hotrap = new HotRapOptions()
                                     .setSlowRoot(root)
                                     .setFastBudgetBytes(FAST_BYTES)
                                     .setPromotionCacheBytes(16384)
                                     .setCachedHitSampling(1)
                                     .setPromoteOnlyIfSlower(false);
    final DBOptions options = keep(new DBOptions()).setCreateIfMissing(true);
    open(options, familyOptions(hotrap));
    final ColumnFamilyHandle family = families.get(0);
    load(family);
    readUntilFast(family, 100, 400);
    // Below the root by the DB's own path.
    final Path slow = Path.of(root + fast().toString());
    try (Stream<Path> tables = Files.list(slow)) {
      assertTrue(tables.anyMatch(file -> file.toString().endsWith(".sst")));
    }
    final HotRapOptions other =
        new HotRapOptions().setSlowRoot(folder.newFolder("other").toPath());
    final RocksDBException e = assertThrows(
        RocksDBException.class, () -> HotRap.set(db, family, other));
    assertEquals(Status.Code.InvalidArgument, e.getStatus().getCode());
    assertTrue(e.getMessage(), e.getMessage().contains("slow_root"));
    assertAllRight();
    close();
    // Off, and without the option: the DB knows where its tables are.
    open(options, familyOptions(null));
    assertFalse(stats(families.get(0)).active());
    assertAllRight();
  }

  @Test
  public void rootsThatAreNotThere() throws Exception {
    final HotRapOptions hotrap =
        new HotRapOptions()
            .setSlowRoot(folder.getRoot().toPath().resolve("missing"))
            .setFastBudgetBytes(FAST_BYTES);
    final ColumnFamilyOptions family = familyOptions(hotrap);
    final RocksDBException e = assertThrows(RocksDBException.class,
        () -> open(keep(new DBOptions()).setCreateIfMissing(true), family));
    assertTrue(e.getMessage(), e.getMessage().contains("slow_root"));
    assertTrue(e.getMessage(), e.getMessage().contains("missing"));
  }

  @Test
  public void fromAnOptionsFile() throws Exception {
    open(familyOptions(ON), familyOptions(null));
    close();
    final String file =
        OptionsUtil.getLatestOptionsFileName(fast().toString(),
            Env.getDefault());
    final DBOptions options = keep(new DBOptions());
    final List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
    OptionsUtil.loadOptionsFromFile(keep(new ConfigOptions()),
        fast().resolve(file).toString(), options, descriptors);
    assertEquals(2, descriptors.size());
    // The OPTIONS file does not contain the paths.
    options.setDbPaths(List.of(
        new DbPath(fast(), FAST_BYTES), new DbPath(slow(), 1L << 40)));
    final ColumnFamilyOptions first = keep(descriptors.get(0).getOptions());
    final ColumnFamilyOptions second = keep(descriptors.get(1).getOptions());
    assertEquals("16384", HotRap.get(first).asMap().get(
        "promotion_cache_bytes"));
    assertEquals("false", HotRap.get(second).asMap().get("enabled"));
    open(options, first, second);
    assertActive(families.get(0));
    assertEquals("16384",
        stats(families.get(0)).asMap().get("promotion_cache_capacity"));
    assertFalse(stats(families.get(1)).active());
  }

  @Test
  public void switchesLive() throws Exception {
    open(familyOptions(null));
    final ColumnFamilyHandle family = families.get(0);
    load(family);
    assertEquals("hotrap.enabled is false", inactiveReason());
    HotRap.enable(db, family, ON);
    readUntilFast(family, 100, 400);
    HotRap.set(db, family, new HotRapOptions().setPromotionCacheBytes(32768));
    assertEquals(
        "32768", stats(family).asMap().get("promotion_cache_capacity"));

    // Options that RocksJava knows keep working, and leave HotRAP alone.
    db.setOptions(family,
        MutableColumnFamilyOptions.builder()
            .setWriteBufferSize(300_000)
            .build());
    assertEquals(300_000, db.getOptions(family).writeBufferSize());
    assertActive(family);

    HotRap.disable(db, family);
    assertEquals("hotrap.enabled is false", inactiveReason());
    assertTrue(stats(family).promotedRecords() > 0);
    settle(family);
    assertAllRight();
    HotRap.enable(db, null, new HotRapOptions());
    assertActive(family);
    assertEquals(
        "32768", stats(family).asMap().get("promotion_cache_capacity"));
    assertAllRight();
  }

  @Test
  public void setRefuses() throws Exception {
    open(familyOptions(ON));
    final HotRapOptions tooSmall =
        new HotRapOptions().setFastBudgetBytes(1000);
    final RocksDBException e = assertThrows(RocksDBException.class,
        () -> HotRap.set(db, families.get(0), tooSmall));
    assertEquals(Status.Code.InvalidArgument, e.getStatus().getCode());
    assertTrue(e.getMessage(), e.getMessage().contains("its budget of 1000"));
    assertActive(families.get(0));
    assertEquals(FAST_BYTES, stats(families.get(0)).fastBudgetBytes());
    HotRap.set(db, families.get(0), new HotRapOptions());
  }

  @Test
  public void openRefusesWhatCannotBeMeant() throws Exception {
    final DBOptions tooSmall = dbOptions().setDbPaths(
        List.of(new DbPath(fast(), 1000), new DbPath(slow(), 1L << 40)));
    final ColumnFamilyOptions family = familyOptions(ON);
    final RocksDBException e =
        assertThrows(RocksDBException.class, () -> open(tooSmall, family));
    assertEquals(Status.Code.InvalidArgument, e.getStatus().getCode());
    assertTrue(e.getMessage(), e.getMessage().contains("its budget of 1000"));
    assertTrue(e.getMessage(), e.getMessage().contains("raise the former to"));
  }

  @Test
  public void onePathIsInactive() throws Exception {
    open(dbOptions().setDbPaths(List.of(new DbPath(fast(), FAST_BYTES))),
        familyOptions(ON));
    assertTrue(inactiveReason(), inactiveReason().contains("one path"));
    assertEquals(inactiveReason(),
        stats(families.get(0)).promotionBlockedReason());
  }

  @Test
  public void readOnlyIsInactive() throws Exception {
    open(familyOptions(ON));
    load(families.get(0));
    close();
    open((options, path, descriptors, handles)
             -> RocksDB.openReadOnly(options, path, descriptors, handles),
        dbOptions(), familyOptions(ON));
    assertFalse(stats(families.get(0)).active());
    assertTrue(inactiveReason(), inactiveReason().contains("read-only"));
    assertAllRight();
  }

  // A native object that is gone would crash the JVM.
  @Test
  public void closedObjects() throws Exception {
    final Options options = new Options();
    options.close();
    assertClosed("Options", () -> HotRap.enable(options, ON));
    assertClosed("Options", () -> HotRap.disable(options));
    assertClosed("Options", () -> HotRap.get(options));
    final ColumnFamilyOptions family = new ColumnFamilyOptions();
    family.close();
    assertClosed("ColumnFamilyOptions", () -> HotRap.enable(family, ON));
    final Statistics statistics = new Statistics();
    statistics.close();
    assertClosed("Statistics",
        () -> HotRapTicker.RETAINED_BYTES.count(statistics));

    open(familyOptions(ON), familyOptions(ON));
    final RocksDB closedDb = db;
    final ColumnFamilyHandle first = families.get(0);
    final ColumnFamilyHandle standard = db.getDefaultColumnFamily();
    final ColumnFamilyHandle second = families.get(1);
    second.close();
    assertClosed("ColumnFamilyHandle", () -> HotRap.stats(db, second));
    assertClosed("ColumnFamilyHandle", () -> HotRap.set(db, second, ON));
    assertActive(first);
    close();
    for (final ColumnFamilyHandle handle :
        new ColumnFamilyHandle[] {first, standard, second, null}) {
      assertClosed("RocksDB", () -> HotRap.stats(closedDb, handle));
      assertClosed("RocksDB", () -> HotRap.set(closedDb, handle, ON));
      assertClosed("RocksDB", () -> HotRap.disable(closedDb, handle));
    }
  }

  // The handles of a DB that is closed first are closed with it.
  @Test
  public void handlesAfterTheDB() throws Exception {
    open(familyOptions(ON), familyOptions(ON));
    load(families.get(1));
    readUntilFast(families.get(1), 100, 400);
    db.close();
    for (final ColumnFamilyHandle family : families) {
      family.close();
    }
    families.clear();
    db = null;
    open(familyOptions(ON), familyOptions(ON));
    assertActive(families.get(1));
  }

  @Test
  public void optionsMayBeClosedFirst() throws Exception {
    try (ColumnFamilyOptions family = familyOptions(ON)) {
      open(family);
    }
    load(families.get(0));
    readUntilFast(families.get(0), 100, 400);
    HotRap.set(db, families.get(0), new HotRapOptions().setNoRetain(true));
    assertAllRight();
  }
}

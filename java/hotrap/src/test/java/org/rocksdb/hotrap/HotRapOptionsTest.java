//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;
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
import org.rocksdb.Status;

/** Tests how HotRAP is switched on and off, and how invalid options fail. */
public class HotRapOptionsTest extends HotRapTestBase {
  /** As shown in docs/java.md. */
  private static void setHotRap(RocksDB db, ColumnFamilyHandle family,
      String value) throws ReflectiveOperationException, RocksDBException {
    final Constructor<MutableColumnFamilyOptions> constructor =
        MutableColumnFamilyOptions.class.getDeclaredConstructor(
            String[].class, String[].class);
    constructor.setAccessible(true);
    db.setOptions(family,
        constructor.newInstance(
            new String[] {"hotrap"}, new String[] {value}));
  }

  private String inactiveReason() throws RocksDBException {
    return stats(families.get(0)).get("inactive_reason");
  }

  @Test
  public void asOptions() throws Exception {
    try (Options options = new Options(dbOptions(), familyOptions(ON))) {
      db = RocksDB.open(options, fast().toString());
      assertEquals("1", db.getMapProperty(STATS).get("active"));
      close();
      RocksDB.destroyDB(fast().toString(), options);
    }
    assertFalse(fast().toFile().exists());
    assertFalse(slow().toFile().exists());
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
    open(options, keep(descriptors.get(0).getOptions()),
        keep(descriptors.get(1).getOptions()));
    assertActive(families.get(0));
    assertEquals("16384",
        stats(families.get(0)).get("promotion_cache_capacity"));
    assertEquals("0", stats(families.get(1)).get("active"));
  }

  @Test
  public void switchesLive() throws Exception {
    open(familyOptions(null));
    final ColumnFamilyHandle family = families.get(0);
    load(family);
    assertEquals("hotrap.enabled is false", inactiveReason());
    setHotRap(db, family, ON);
    readUntilFast(family, 100, 400);
    setHotRap(db, family, "{promotion_cache_bytes=32768;}");
    assertEquals("32768", stats(family).get("promotion_cache_capacity"));

    // Options that RocksJava knows keep working, and leave HotRAP alone.
    db.setOptions(family,
        MutableColumnFamilyOptions.builder()
            .setWriteBufferSize(300_000)
            .build());
    assertEquals(300_000, db.getOptions(family).writeBufferSize());
    assertActive(family);

    setHotRap(db, family, "{enabled=false;}");
    assertEquals("hotrap.enabled is false", inactiveReason());
    settle(family);
    assertAllRight();
  }

  // RocksJava's own builder only knows the names of stock RocksDB.
  @Test
  public void theBuilderDoesNotKnowHotRap() throws Exception {
    assertThrows(IllegalArgumentException.class,
        () -> MutableColumnFamilyOptions.parse("hotrap={enabled=true;}"));
    // It omits unknown names silently if told to.
    assertEquals("",
        MutableColumnFamilyOptions.parse("hotrap={enabled=true;}", true)
            .build()
            .toString());
  }

  @Test
  public void setOptionsRefuses() throws Exception {
    open(familyOptions(ON));
    final RocksDBException e = assertThrows(RocksDBException.class,
        () -> setHotRap(db, families.get(0), "{cached_hit_sampling=0;}"));
    assertEquals(Status.Code.InvalidArgument, e.getStatus().getCode());
    assertTrue(e.getMessage(),
        e.getMessage().contains("hotrap.cached_hit_sampling is 0"));
    assertActive(families.get(0));
  }

  // For an unknown name or an invalid value, RocksJava returns null without a
  // reason.
  @Test
  public void whatIsNoOptionGivesNull() {
    for (final String hotrap : new String[] {
             "{enabled=perhaps;}", "{no_such_field=1;}", "{enabled=true;"}) {
      assertNull(hotrap,
          ColumnFamilyOptions.getColumnFamilyOptionsFromProps(
              properties(hotrap)));
    }
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
    assertTrue(db.getProperty(STATS).contains("inactive_reason: "));
  }
}

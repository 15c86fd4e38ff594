//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import java.util.Map;
import java.util.Objects;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.MutableColumnFamilyOptionsInterface;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksObject;

/**
 * Switches HotRAP on, for options before a DB is opened or in an open DB, and
 * says what it does.
 *
 * <pre>
 * HotRap.enable(columnFamilyOptions, new HotRapOptions()
 *     .setSlowRoot(Path.of("/hdd"))
 *     .setFastBudgetBytes(40L &lt;&lt; 30));
 * </pre>
 *
 * <p>This jar brings RocksDB's native library. With this jar before rocksdbjni
 * on the class path, RocksDB loads it by itself; else call {@link #load} before
 * any other class of RocksDB. Where another native library was loaded, all
 * methods but {@link #isAvailable} and {@link #unavailableReason} throw a
 * RocksDBException that says so.
 *
 * <p>Methods throw IllegalStateException if an object is closed, and
 * IllegalArgumentException for a value that is out of range. They are
 * thread-safe, as far as RocksJava's objects are: several threads must not
 * change one Options at a time, nor close an object that another one uses.
 */
public final class HotRap {
  /** The property that stats() reads. */
  static final String STATS = "rocksdb.hotrap.stats";

  private HotRap() {}

  /**
   * Loads the native library of this jar, unless RocksDB has loaded it. A
   * second call has no effect.
   *
   * @throws RocksDBException if RocksDB has loaded another one, this jar has
   *     none for the platform, or rocksdbjni is of another version
   */
  public static void load() throws RocksDBException {
    HotRapLibrary.load();
  }

  /** Whether load() succeeds. */
  public static boolean isAvailable() {
    return unavailableReason().isEmpty();
  }

  /** Why HotRAP is not available; empty if it is. */
  public static String unavailableReason() {
    return HotRapLibrary.problem();
  }

  /** Version of the native library: RocksDB's and ours. */
  public static String version() throws RocksDBException {
    HotRapLibrary.load();
    return HotRapNative.version();
  }

  /**
   * Switches HotRAP on in `options`, for DBs that are opened with them later,
   * and changes what `hotrap` has set. The rest stays as it is in `options`.
   *
   * @throws IllegalArgumentException if `options` is a subclass that has its
   *     options in another object
   */
  public static void enable(Options options, HotRapOptions hotrap)
      throws RocksDBException {
    apply(options, true, enabled(hotrap));
  }

  /** The same for the options of a column family. */
  public static void enable(ColumnFamilyOptions options, HotRapOptions hotrap)
      throws RocksDBException {
    apply(options, false, enabled(hotrap));
  }

  /** Switches HotRAP off in options. */
  public static void disable(Options options) throws RocksDBException {
    apply(options, true, new HotRapOptions().setEnabled(false));
  }

  /** The same for the options of a column family. */
  public static void disable(ColumnFamilyOptions options)
      throws RocksDBException {
    apply(options, false, new HotRapOptions().setEnabled(false));
  }

  /** Returns HotRAP's options in `options`, all fields. */
  public static HotRapOptions get(Options options) throws RocksDBException {
    return get(options, true);
  }

  /** The same for the options of a column family. */
  public static HotRapOptions get(ColumnFamilyOptions options)
      throws RocksDBException {
    return get(options, false);
  }

  /**
   * Changes what `hotrap` has set in a column family of an open DB; see there
   * for what takes effect later. `family` may be null for the default one.
   *
   * @throws RocksDBException with InvalidArgument if the DB refuses a value; it
   *     then changes nothing
   */
  public static void set(RocksDB db, ColumnFamilyHandle family,
      HotRapOptions hotrap) throws RocksDBException {
    HotRapLibrary.load();
    final long dbHandle = requireOpen(db).getNativeHandle();
    final long familyHandle = requireOpen(db, family).getNativeHandle();
    if (!hotrap.asMap().isEmpty()) {
      HotRapNative.setOptions(dbHandle, familyHandle, hotrap.toString());
    }
  }

  /** Switches HotRAP on in a column family of an open DB. */
  public static void enable(RocksDB db, ColumnFamilyHandle family,
      HotRapOptions hotrap) throws RocksDBException {
    set(db, family, enabled(hotrap));
  }

  /** Switches HotRAP off in a column family of an open DB. */
  public static void disable(RocksDB db, ColumnFamilyHandle family)
      throws RocksDBException {
    set(db, family, new HotRapOptions().setEnabled(false));
  }

  /** Returns what HotRAP does. `family` may be null for the default one. */
  public static HotRapStats stats(RocksDB db, ColumnFamilyHandle family)
      throws RocksDBException {
    HotRapLibrary.load();
    return new HotRapStats(
        requireOpen(db).getMapProperty(requireOpen(db, family), STATS));
  }

  private static HotRapOptions enabled(HotRapOptions hotrap) {
    final Map<String, String> values = hotrap.asMap();
    if ("false".equals(values.get("enabled"))) {
      throw new IllegalArgumentException(
          "hotrap.enabled is false; to switch HotRAP off call disable()");
    }
    return HotRapOptions.copyOf(hotrap).setEnabled(true);
  }

  private static void apply(RocksObject options, boolean isOptions,
      HotRapOptions hotrap) throws RocksDBException {
    HotRapLibrary.load();
    requireOwn(requireOpen(options), isOptions);
    HotRapNative.apply(
        options.getNativeHandle(), isOptions, hotrap.toString());
  }

  private static HotRapOptions get(RocksObject options, boolean isOptions)
      throws RocksDBException {
    HotRapLibrary.load();
    requireOwn(requireOpen(options), isOptions);
    return HotRapOptions.ofPairs(
        HotRapNative.get(options.getNativeHandle(), isOptions));
  }

  /**
   * A subclass may pass everything on to another object, as that of Kafka
   * Streams does: its own native options are never used.
   */
  private static void requireOwn(RocksObject options, boolean isOptions) {
    final Class<?> type = options.getClass();
    if (type == Options.class || type == ColumnFamilyOptions.class) {
      return;
    }
    final MutableColumnFamilyOptionsInterface<?> fields =
        (MutableColumnFamilyOptionsInterface<?>) options;
    final long before = fields.writeBufferSize();
    fields.setWriteBufferSize(before + 1);
    final boolean isOwn = before + 1
        == HotRapNative.writeBufferSize(options.getNativeHandle(), isOptions);
    fields.setWriteBufferSize(before);
    if (!isOwn) {
      throw new IllegalArgumentException(type.getName()
          + " passes options on to another object, which HotRAP cannot see;"
          + " pass that object, an Options or ColumnFamilyOptions");
    }
  }

  static <T extends RocksObject> T requireOpen(T object) {
    if (!object.isOwningHandle()) {
      throw new IllegalStateException(
          "the " + object.getClass().getSimpleName() + " is closed");
    }
    return object;
  }

  private static ColumnFamilyHandle requireOpen(
      RocksDB db, ColumnFamilyHandle family) {
    final ColumnFamilyHandle standard = db.getDefaultColumnFamily();
    // RocksDB owns this one, until the DB is closed.
    return family == null || Objects.equals(family.getNativeHandle(),
                                 standard.getNativeHandle())
        ? standard
        : requireOpen(family);
  }
}

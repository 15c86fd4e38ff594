//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.rocksdb.RocksDBException;

/**
 * HotRAP's options of a column family, by their names in C++
 * (rocksdb/hotrap.h). It holds only those that were set: the others keep what
 * the column family has, which is the default in new options.
 *
 * <p>Setters throw IllegalArgumentException if a value is out of range, and
 * name the field, the value and what would be right. What depends on the other
 * options of the column family is checked when a DB is opened.
 *
 * <p>Not thread-safe; it may be read by several threads.
 */
public final class HotRapOptions {
  private static final long MIN_ACCESS_BUFFER_BYTES = 64 << 10;
  private static final long MAX_UINT32 = (1L << 32) - 1;
  private static final long MAX_PINNED_PERCENT = 80;

  // In the format of option strings, by name.
  private final Map<String, String> values = new LinkedHashMap<>();

  /** Sets nothing. */
  public HotRapOptions() {}

  /**
   * Parses an option string, with or without braces: the reverse of
   * {@link #toString()}. Sizes may have a suffix K, M, G or T.
   *
   * @throws IllegalArgumentException if a name is unknown or a value invalid
   * @throws RocksDBException if HotRAP is not available
   */
  public static HotRapOptions parse(String options) throws RocksDBException {
    HotRapLibrary.load();
    final String text = options.trim();
    // RocksDB knows no group without a field.
    return text.matches("(\\{\\s*\\})?")
        ? new HotRapOptions()
        : ofPairs(HotRapNative.parse(
            text.startsWith("{") ? text : "{" + text + "}"));
  }

  static HotRapOptions copyOf(HotRapOptions other) {
    final HotRapOptions options = new HotRapOptions();
    options.values.putAll(other.values);
    return options;
  }

  /** `pairs` has a name, its value, the next name and so on. */
  static HotRapOptions ofPairs(String[] pairs) {
    final HotRapOptions options = new HotRapOptions();
    for (int i = 0; i < pairs.length; i += 2) {
      options.values.put(pairs[i], pairs[i + 1]);
    }
    return options;
  }

  /**
   * Tracks, retains and promotes hot records. {@link HotRap#enable} sets it.
   * Default: false.
   */
  public HotRapOptions setEnabled(boolean enabled) {
    return set("enabled", enabled);
  }

  /**
   * A folder on the slow disk, which must exist. A column family that has at
   * most one path gets a second one below it, named like the DB's own absolute
   * path. Cannot be changed while the DB is open. Default: none.
   */
  public HotRapOptions setSlowRoot(Path slowRoot) {
    return set("slow_root", slowRoot);
  }

  /**
   * The same for the fast disk, where the DB's own folder is to stay on the
   * slow one. Default: none.
   */
  public HotRapOptions setFastRoot(Path fastRoot) {
    return set("fast_root", fastRoot);
  }

  /**
   * A folder on the slow disk, which must exist, for the slow tables of
   * checkpoints and restored backups. Default: slow_root.
   */
  public HotRapOptions setCheckpointSlowRoot(Path checkpointSlowRoot) {
    return set("checkpoint_slow_root", checkpointSlowRoot);
  }

  /**
   * Whether checkpoints and backups take along what is hot. Default: true.
   */
  public HotRapOptions setCheckpointHotSet(boolean checkpointHotSet) {
    return set("checkpoint_hot_set", checkpointHotSet);
  }

  /**
   * The fast budget: bytes of the fast tier that tables and RALT of this column
   * family may use. Must be at least twice max_bytes_for_level_base. Default:
   * 0, which means the target size of the first path, shared with the other
   * column families that have no budget of their own.
   */
  public HotRapOptions setFastBudgetBytes(long bytes) {
    return set("fast_budget_bytes", bytes, 0, Long.MAX_VALUE);
  }

  /**
   * The least that this column family gets of the target size of the first
   * path, where it has no fast budget of its own and shares that with others.
   * Not more than the fast budget, where that is set. Default: 0, which means
   * twice the bytes of L0 and L1.
   */
  public HotRapOptions setMinFastBudgetBytes(long bytes) {
    return set("min_fast_budget_bytes", bytes, 0, Long.MAX_VALUE);
  }

  /**
   * Capacity of the promotion cache in bytes of memory; up to twice as much is
   * used. Default: 0, which means target_file_size_base.
   */
  public HotRapOptions setPromotionCacheBytes(long bytes) {
    return set("promotion_cache_bytes", bytes, 0, Long.MAX_VALUE);
  }

  /**
   * Records only one in this many of the accesses that needed no I/O. From 1,
   * which records each, to 4294967295. Default: 16.
   */
  public HotRapOptions setCachedHitSampling(long oneIn) {
    return set("cached_hit_sampling", oneIn, 1, MAX_UINT32);
  }

  /**
   * Promotes records, and tracks every read, only while reads of the slow tier
   * take longer than those of the fast one. Default: true.
   */
  public HotRapOptions setPromoteOnlyIfSlower(boolean promoteOnlyIfSlower) {
    return set("promote_only_if_slower", promoteOnlyIfSlower);
  }

  /**
   * Cap on the memory of the buffers of accesses, in bytes. At least 64 KiB.
   * Default: 64 MiB.
   */
  public HotRapOptions setAccessBufferBytes(long bytes) {
    return set("access_buffer_bytes", bytes, MIN_ACCESS_BUFFER_BYTES,
        Long.MAX_VALUE);
  }

  /**
   * Adapts the caps on the hot set and on RALT's files to the workload.
   * Default: true.
   */
  public HotRapOptions setAutoTune(boolean autoTune) {
    return set("auto_tune", autoTune);
  }

  /**
   * One more level on the slow tier, which lowers the write amplification of
   * compactions from the fast to the slow tier. Default: true.
   */
  public HotRapOptions setExtraLevel(boolean extraLevel) {
    return set("extra_level", extraLevel);
  }

  /**
   * Maximum size of a data block in tables on the fast tier, in bytes before
   * compression. Default: 4 KiB. 0 means block_size.
   */
  public HotRapOptions setFastBlockBytes(long bytes) {
    return set("fast_block_bytes", bytes, 0, Long.MAX_VALUE);
  }

  /**
   * Extra bits per key for Bloom filters in tables of small levels. From 0 to
   * 4294967295. Default: 5.
   */
  public HotRapOptions setSmallLevelFilterBits(long bits) {
    return set("small_level_filter_bits", bits, 0, MAX_UINT32);
  }

  /**
   * Rate at which tables on the wrong tier are moved, in bytes per second.
   * Default: 32 MiB/s. 0 leaves them to compactions.
   */
  public HotRapOptions setRelocationBytesPerSec(long bytes) {
    return set("relocation_bytes_per_sec", bytes, 0, Long.MAX_VALUE);
  }

  /**
   * Ranges whose records are kept on the fast tier whether they are read or
   * not, as far as {@link #setPinnedPercent} allows; those given first come
   * first. Must not overlap excluded ranges. Default: none.
   */
  public HotRapOptions setPinnedRanges(HotRapKeyRange... ranges) {
    return set("pinned_ranges", ranges);
  }

  /**
   * Ranges whose records are never hot: not tracked, promoted or retained.
   * Default: none.
   */
  public HotRapOptions setExcludedRanges(HotRapKeyRange... ranges) {
    return set("excluded_ranges", ranges);
  }

  /**
   * The most that pinned ranges may take of the fast budget, in percent. From 0
   * to 80. Default: 50.
   */
  public HotRapOptions setPinnedPercent(long percent) {
    return set("pinned_percent", percent, 0, MAX_PINNED_PERCENT);
  }

  /** For benchmarks: crossing compactions retain nothing. Default: false. */
  public HotRapOptions setNoRetain(boolean noRetain) {
    return set("no_retain", noRetain);
  }

  /** For benchmarks: every record counts as hot. Default: false. */
  public HotRapOptions setNoHotnessCheck(boolean noHotnessCheck) {
    return set("no_hotness_check", noHotnessCheck);
  }

  /** For benchmarks: compactions promote nothing. Default: false. */
  public HotRapOptions setNoByCompaction(boolean noByCompaction) {
    return set("no_by_compaction", noByCompaction);
  }

  /** For benchmarks: nothing becomes hot. Default: false. */
  public HotRapOptions setNoTracking(boolean noTracking) {
    return set("no_tracking", noTracking);
  }

  /** What was set, by name, in the format of option strings; a view. */
  public Map<String, String> asMap() {
    return Collections.unmodifiableMap(values);
  }

  /**
   * An option string, such as {enabled=true;fast_budget_bytes=1073741824;}:
   * the value of "hotrap" wherever RocksDB takes options as a string.
   */
  @Override
  public String toString() {
    final StringBuilder text = new StringBuilder("{");
    for (final Map.Entry<String, String> entry : values.entrySet()) {
      text.append(entry.getKey())
          .append('=')
          .append(entry.getValue())
          .append(';');
    }
    return text.append('}').toString();
  }

  /** Whether the same options were set to the same values. */
  @Override
  public boolean equals(Object other) {
    return other instanceof HotRapOptions
        && values.equals(((HotRapOptions) other).values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  private HotRapOptions set(String name, boolean value) {
    values.put(name, Boolean.toString(value));
    return this;
  }

  private HotRapOptions set(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException("hotrap." + name + " is " + value
          + "; it must be "
          + (max == Long.MAX_VALUE ? min + " or more"
                                   : "from " + min + " to " + max));
    }
    values.put(name, Long.toString(value));
    return this;
  }

  private HotRapOptions set(String name, HotRapKeyRange... ranges) {
    final StringBuilder text = new StringBuilder("{");
    for (final HotRapKeyRange range : ranges) {
      text.append(text.length() > 1 ? ":" : "").append(range);
    }
    values.put(name, text.append('}').toString());
    return this;
  }

  private HotRapOptions set(String name, Path folder) {
    Objects.requireNonNull(folder, name);
    final String text = folder.toAbsolutePath().normalize().toString();
    // An option string has no way to quote these within a group.
    if (text.matches("(?s).*[;{}\\p{Cntrl}].*")) {
      throw new IllegalArgumentException("hotrap." + name + " is " + text
          + "; it must have no semicolon, brace or control character");
    }
    values.put(name, text);
    return this;
  }
}

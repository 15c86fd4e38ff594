//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What HotRAP has done in a column family since it was opened: a snapshot of
 * the property rocksdb.hotrap.stats. Counts stay when HotRAP is switched off,
 * and are 0 if it was never on. Bytes of records are user bytes: key plus
 * value. Immutable.
 */
public final class HotRapStats {
  private final Map<String, String> values = new TreeMap<>();

  HotRapStats(Map<String, String> property) {
    // RocksJava has null for an empty string.
    property.forEach(
        (name, value) -> values.put(name, value == null ? "" : value));
  }

  /** Whether HotRAP works. */
  public boolean active() {
    return number("active") == 1;
  }

  /** Why HotRAP does nothing; empty if it is active. */
  public String inactiveReason() {
    return values.getOrDefault("inactive_reason", "");
  }

  /** Why nothing can be promoted at present; empty if it can. */
  public String promotionBlockedReason() {
    return values.getOrDefault("promotion_blocked_reason", "");
  }

  /** The first level on the slow tier. */
  public int firstSlowLevel() {
    return (int) number("first_slow_level");
  }

  /** Bytes of the fast tier that the column family may use. */
  public long fastBudgetBytes() {
    return number("fast_budget_bytes");
  }

  /** Point reads answered by a file on the first path. */
  public long hitsFast() {
    return number("get_hits_fast");
  }

  /** Point reads answered by a file on another path. */
  public long hitsSlow() {
    return number("get_hits_slow");
  }

  /** Of hitsSlow(): those that read a block from the file system. */
  public long hitsSlowWithIo() {
    return number("get_hits_slow_with_io");
  }

  /** Point reads answered by the promotion cache. */
  public long hitsPromotionCache() {
    return number("get_hits_promotion_cache");
  }

  /**
   * Records promoted to the fast tier in all ways: by flush and by compaction.
   * What compactions kept there is retainedRecords().
   */
  public long promotedRecords() {
    return flushPromotedRecords() + compactionPromotedRecords();
  }

  /** Their bytes. */
  public long promotedBytes() {
    return number("promoted_bytes") + number("compaction_promoted_bytes");
  }

  /** Of promotedRecords(): by flush. */
  public long flushPromotedRecords() {
    return number("promoted_records");
  }

  /** Of promotedRecords(): by compactions at the boundary of the tiers. */
  public long compactionPromotedRecords() {
    return number("compaction_promoted_records");
  }

  /** Records kept on the fast tier by compactions to the slow one. */
  public long retainedRecords() {
    return number("retained_records");
  }

  /** Their bytes. */
  public long retainedBytes() {
    return number("retained_bytes");
  }

  /** Bytes of tables that were moved to the tier of their level. */
  public long relocatedBytes() {
    return number("relocation_bytes_moved");
  }

  /** Bytes of tables that are still to be moved. */
  public long relocationBytesLeft() {
    return number("relocation_bytes_left");
  }

  /** Records on the fast tier whose original is still on the slow tier. */
  public long promotedCopies() {
    return number("promoted_copies");
  }

  /** All of the property, by its names: counters, refusals by reason, RALT. */
  public Map<String, String> asMap() {
    return Collections.unmodifiableMap(values);
  }

  /** One "name: value" a line, as the property's text. */
  @Override
  public String toString() {
    final StringBuilder text = new StringBuilder();
    values.forEach((name, value)
                       -> text.append(name)
                              .append(": ")
                              .append(value)
                              .append('\n'));
    return text.toString();
  }

  private long number(String name) {
    return Long.parseUnsignedLong(values.getOrDefault(name, "0"));
  }
}

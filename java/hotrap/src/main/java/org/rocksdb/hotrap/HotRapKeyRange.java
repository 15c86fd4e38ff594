//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

/**
 * A range of keys, in the order of the column family's comparator: for {@link
 * HotRapOptions#setPinnedRanges} and {@link HotRapOptions#setExcludedRanges}.
 * Immutable.
 */
public final class HotRapKeyRange {
  private final String text;

  private HotRapKeyRange(String text) {
    this.text = text;
  }

  /**
   * From `begin` on, which belongs to the range, up to `end`, which does not.
   * An empty `begin` stands for the first key, an empty `end` for a place after
   * the last.
   */
  public static HotRapKeyRange of(byte[] begin, byte[] end) {
    return new HotRapKeyRange(
        "{begin=" + hex(begin) + ";end=" + hex(end) + "}");
  }

  /**
   * The keys that start with `prefix`. For the bytewise comparator only.
   *
   * @throws IllegalArgumentException if the prefix is empty
   */
  public static HotRapKeyRange prefix(byte[] prefix) {
    if (prefix.length == 0) {
      throw new IllegalArgumentException("the prefix is empty");
    }
    return new HotRapKeyRange("{prefix=" + hex(prefix) + "}");
  }

  /** In the format of option strings. */
  @Override
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof HotRapKeyRange
        && text.equals(((HotRapKeyRange) other).text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  private static String hex(byte[] key) {
    final StringBuilder digits = new StringBuilder("0x");
    for (final byte b : key) {
      digits.append(String.format("%02X", b & 0xff));
    }
    return digits.toString();
  }
}

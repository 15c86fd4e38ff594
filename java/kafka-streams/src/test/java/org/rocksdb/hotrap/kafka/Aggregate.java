//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.kafka;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/**
 * What the application computes, as pure functions: the model of the test and
 * the application share them.
 *
 * <p>An aggregate is a count and a digest that depends on each event, on the
 * profile that it was joined with, and on their order. Padding that follows
 * from the digest makes it large, and shows if bytes were mixed up.
 */
final class Aggregate {
  static final int PADDING_BYTES = 400;
  static final int BYTES = 2 * Long.BYTES + PADDING_BYTES;

  final long count;
  final long digest;

  static final Aggregate NONE = new Aggregate(0, 0);

  private Aggregate(long count, long digest) {
    this.count = count;
    this.digest = digest;
  }

  /** The aggregate after one more joined event. */
  Aggregate plus(long joined) {
    return new Aggregate(count + 1, digest * 0x9E3779B97F4A7C15L + joined + 1);
  }

  /** One event with the profile at that time. */
  static long join(long event, byte[] profile) {
    if (profile == null) {
      throw new IllegalStateException("event " + event + " has no profile");
    }
    final CRC32C checksum = new CRC32C();
    checksum.update(profile);
    return event << 32 | checksum.getValue();
  }

  byte[] toBytes() {
    return ByteBuffer.allocate(BYTES)
        .putLong(count)
        .putLong(digest)
        .put(padding(digest))
        .array();
  }

  static Aggregate of(byte[] bytes) {
    if (bytes == null) {
      return NONE;
    }
    final ByteBuffer buffer = ByteBuffer.wrap(bytes);
    final Aggregate read = new Aggregate(buffer.getLong(), buffer.getLong());
    if (!Arrays.equals(bytes, read.toBytes())) {
      throw new IllegalStateException("torn aggregate: " + read);
    }
    return read;
  }

  private static byte[] padding(long seed) {
    final byte[] bytes = new byte[PADDING_BYTES];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  /** The profile of a key in a generation. */
  static byte[] profile(int key, int generation) {
    final byte[] bytes = new byte[600];
    new SplittableRandom(1_000_003L * generation + key).nextBytes(bytes);
    return bytes;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Aggregate && ((Aggregate) other).count == count
        && ((Aggregate) other).digest == digest;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(digest);
  }

  @Override
  public String toString() {
    return count + " events, digest " + Long.toHexString(digest);
  }
}

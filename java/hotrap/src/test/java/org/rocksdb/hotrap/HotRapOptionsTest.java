//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.Test;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.Options;

/** Tests HotRAP's options as values, without a DB. */
public class HotRapOptionsTest {
  private static HotRapOptions all() {
    return new HotRapOptions()
        .setEnabled(true)
        .setFastBudgetBytes(40L << 30)
        .setMinFastBudgetBytes(1L << 30)
        .setPromotionCacheBytes(1 << 20)
        .setCachedHitSampling(4)
        .setPromoteOnlyIfSlower(false)
        .setAccessBufferBytes(1 << 20)
        .setAutoTune(false)
        .setExtraLevel(false)
        .setFastBlockBytes(0)
        .setSmallLevelFilterBits(3)
        .setRelocationBytesPerSec(1 << 30)
        .setNoRetain(true)
        .setNoHotnessCheck(true)
        .setNoByCompaction(true)
        .setNoTracking(true);
  }

  private static void assertRefused(
      String message, UnaryOperator<HotRapOptions> setter) {
    final HotRapOptions options = new HotRapOptions();
    assertEquals(message,
        assertThrows(IllegalArgumentException.class,
            () -> setter.apply(options))
            .getMessage());
    assertEquals(Map.of(), options.asMap());
  }

  @Test
  public void asText() {
    assertEquals("{}", new HotRapOptions().toString());
    assertEquals("{enabled=true;fast_budget_bytes=1073741824;}",
        new HotRapOptions()
            .setEnabled(true)
            .setFastBudgetBytes(1 << 30)
            .toString());
    assertEquals("{slow_root=/hdd/of mine;fast_root=/nvme;}",
        new HotRapOptions()
            .setSlowRoot(Path.of("/hdd/../hdd/of mine/"))
            .setFastRoot(Path.of("/nvme"))
            .toString());
    assertEquals("{pinned_ranges={{prefix=0x7573FF}:{begin=0x;end=0x61}};"
            + "excluded_ranges={};pinned_percent=10;}",
        new HotRapOptions()
            .setPinnedRanges(
                HotRapKeyRange.prefix(new byte[] {'u', 's', (byte) 0xff}),
                HotRapKeyRange.of(new byte[0], new byte[] {'a'}))
            .setExcludedRanges()
            .setPinnedPercent(10)
            .toString());
  }

  @Test
  public void theLastValueCounts() {
    final HotRapOptions options =
        new HotRapOptions().setEnabled(true).setEnabled(false);
    assertEquals(Map.of("enabled", "false"), options.asMap());
    assertEquals(options, new HotRapOptions().setEnabled(false));
    assertEquals(
        options.hashCode(), new HotRapOptions().setEnabled(false).hashCode());
    assertNotEquals(options, new HotRapOptions());
    assertThrows(UnsupportedOperationException.class,
        () -> options.asMap().put("enabled", "true"));
  }

  @Test
  public void textIsParsedBack() throws Exception {
    assertEquals(all(), HotRapOptions.parse(all().toString()));
    assertEquals(new HotRapOptions(), HotRapOptions.parse("{}"));
    assertEquals(new HotRapOptions(), HotRapOptions.parse(""));
    assertEquals(new HotRapOptions().setEnabled(true).setCachedHitSampling(1),
        HotRapOptions.parse(" enabled=1; cached_hit_sampling=1"));
  }

  @Test
  public void whatCannotBeParsed() throws Exception {
    HotRap.load();
    for (final String text : new String[] {"{enabled=perhaps;}",
             "{no_such_field=1;}", "{enabled=true;", "{enabled}", "enabled",
             "{fast_budget_bytes=much;}", "}{"}) {
      final String message = assertThrows(text, IllegalArgumentException.class,
          () -> HotRapOptions.parse(text))
                                 .getMessage();
      assertTrue(message, message != null && !message.isEmpty());
    }
  }

  @Test
  public void ranges() {
    assertRefused("hotrap.cached_hit_sampling is 0; it must be from 1 to "
            + "4294967295",
        options -> options.setCachedHitSampling(0));
    assertRefused("hotrap.cached_hit_sampling is 4294967296; it must be from 1 "
            + "to 4294967295",
        options -> options.setCachedHitSampling(1L << 32));
    assertRefused("hotrap.access_buffer_bytes is 65535; it must be 65536 or "
            + "more",
        options -> options.setAccessBufferBytes(65535));
    assertRefused("hotrap.pinned_percent is 81; it must be from 0 to 80",
        options -> options.setPinnedPercent(81));
    assertRefused("hotrap.fast_budget_bytes is -1; it must be 0 or more",
        options -> options.setFastBudgetBytes(-1));
    assertRefused("hotrap.min_fast_budget_bytes is -1; it must be 0 or more",
        options -> options.setMinFastBudgetBytes(-1));
    assertRefused("hotrap.promotion_cache_bytes is -1; it must be 0 or more",
        options -> options.setPromotionCacheBytes(-1));
    assertRefused("hotrap.fast_block_bytes is -1; it must be 0 or more",
        options -> options.setFastBlockBytes(-1));
    assertRefused("hotrap.relocation_bytes_per_sec is -1; it must be 0 or more",
        options -> options.setRelocationBytesPerSec(-1));
    assertRefused("hotrap.small_level_filter_bits is -1; it must be from 0 to "
            + "4294967295",
        options -> options.setSmallLevelFilterBits(-1));
    assertRefused("hotrap.slow_root is /a;b; it must have no semicolon, brace "
            + "or control character",
        options -> options.setSlowRoot(Path.of("/a;b")));
    assertThrows(NullPointerException.class,
        () -> new HotRapOptions().setFastRoot(null));
    // The ends of the ranges.
    new HotRapOptions()
        .setCachedHitSampling(1)
        .setCachedHitSampling((1L << 32) - 1)
        .setAccessBufferBytes(64 << 10)
        .setFastBudgetBytes(Long.MAX_VALUE);
  }

  @Test
  public void inOptionsAndBack() throws Exception {
    try (Options options = new Options();
         ColumnFamilyOptions family = new ColumnFamilyOptions()) {
      assertEquals("false", HotRap.get(options).asMap().get("enabled"));
      assertEquals("16", HotRap.get(family).asMap().get("cached_hit_sampling"));
      HotRap.enable(options, all());
      HotRap.enable(family, all());
      for (final String name : all().asMap().keySet()) {
        final String value = all().asMap().get(name);
        assertEquals(name, value, HotRap.get(options).asMap().get(name));
        assertEquals(name, value, HotRap.get(family).asMap().get(name));
      }
      // A copy has them, too, and the original is left alone.
      try (Options copy = new Options(options)) {
        HotRap.disable(copy);
        assertEquals("false", HotRap.get(copy).asMap().get("enabled"));
        assertEquals("true", HotRap.get(options).asMap().get("enabled"));
      }
      // What is not set stays.
      HotRap.enable(options, new HotRapOptions().setCachedHitSampling(9));
      HotRap.disable(family);
      assertEquals("9", HotRap.get(options).asMap().get("cached_hit_sampling"));
      assertEquals("4", HotRap.get(family).asMap().get("cached_hit_sampling"));
      assertEquals("3",
          HotRap.get(options).asMap().get("small_level_filter_bits"));
      assertEquals("false", HotRap.get(family).asMap().get("enabled"));
      // All fields of `get` can be set again.
      HotRap.enable(family, HotRap.get(options));
      assertEquals(HotRap.get(options), HotRap.get(family));
    }
  }

  // Of an Options, which has two bases in C++, only HotRAP changes.
  @Test
  public void otherOptionsStay() throws Exception {
    try (Options options = new Options()) {
      options.setWriteBufferSize(12345).setMaxOpenFiles(77).setNumLevels(5);
      HotRap.enable(options, all());
      assertEquals(12345, options.writeBufferSize());
      assertEquals(77, options.maxOpenFiles());
      assertEquals(5, options.numLevels());
    }
  }

  // As Kafka Streams has one.
  private static final class PassesOn extends Options {
    final ColumnFamilyOptions family = new ColumnFamilyOptions();

    @Override
    public Options setWriteBufferSize(long bytes) {
      family.setWriteBufferSize(bytes);
      return this;
    }

    @Override
    public long writeBufferSize() {
      return family.writeBufferSize();
    }

    @Override
    public void close() {
      family.close();
      super.close();
    }
  }

  @Test
  public void subclasses() throws Exception {
    try (PassesOn options = new PassesOn()) {
      options.setWriteBufferSize(12345);
      final String message =
          assertThrows(IllegalArgumentException.class,
              () -> HotRap.enable(options, all()))
              .getMessage();
      assertTrue(message, message.contains("PassesOn passes options on"));
      assertThrows(
          IllegalArgumentException.class, () -> HotRap.get(options));
      assertEquals(12345, options.writeBufferSize());
      assertEquals(
          "false", HotRap.get(options.family).asMap().get("enabled"));
    }
    try (Options options = new Options() {}) {
      final long bytes = options.writeBufferSize();
      HotRap.enable(options, all());
      assertEquals("true", HotRap.get(options).asMap().get("enabled"));
      assertEquals(bytes, options.writeBufferSize());
    }
  }

  @Test
  public void enableMeansOn() throws Exception {
    try (Options options = new Options()) {
      final HotRapOptions off = new HotRapOptions().setEnabled(false);
      assertEquals("hotrap.enabled is false; to switch HotRAP off call "
              + "disable()",
          assertThrows(IllegalArgumentException.class,
              () -> HotRap.enable(options, off))
              .getMessage());
      assertEquals("false", HotRap.get(options).asMap().get("enabled"));
    }
  }
}

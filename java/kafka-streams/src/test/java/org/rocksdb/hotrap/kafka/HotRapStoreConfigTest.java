//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;

class HotRapStoreConfigTest {
  private final Map<String, Object> entries =
      new HashMap<>(Map.of("application.id", "app", "hotrap.slow.root", "/hdd",
          "hotrap.fast.budget.bytes", "1073741824"));

  private HotRapStoreConfig of(String store) {
    return HotRapStoreConfig.of(store, entries);
  }

  private void refused(String... parts) {
    final String message =
        assertThrows(ConfigException.class, () -> of("store")).getMessage();
    for (final String part : parts) {
      assertTrue(message.contains(part), message);
    }
  }

  @Test
  void textAndNumbersAreTaken() {
    assertTrue(of("store").enabled());
    assertEquals(1L << 30, of("store").fastBudgetBytes());
    entries.put("hotrap.fast.budget.bytes", 1L << 20);
    assertEquals(1L << 20, of("store").fastBudgetBytes());
    assertEquals("/hdd", of("store").slowRoot().toString());
  }

  @Test
  void aStoreMayHaveItsOwn() {
    entries.put("hotrap.store.a.b.fast.budget.bytes", 2L << 30);
    entries.put("hotrap.store.windows.enabled", "false");
    entries.put("hotrap.store.windows.5.enabled", "true");
    assertEquals(2L << 30, of("a.b").fastBudgetBytes());
    assertEquals(1L << 30, of("a").fastBudgetBytes());
    assertEquals(1L << 30, of("a.bc").fastBudgetBytes());
    assertFalse(of("windows").enabled());
    // A segment has its store's, unless a store has just that name.
    assertFalse(of("windows.1764100000000").enabled());
    assertFalse(of("windows.-60000").enabled());
    assertTrue(of("windows.5").enabled());
  }

  @Test
  void mistakesAreNamed() {
    entries.put("hotrap.slow_root", "/hdd");
    refused("hotrap.slow_root", "hotrap.slow.root");
    entries.remove("hotrap.slow_root");

    entries.put("hotrap.store.a.fast.budget", "1");
    refused(
        "hotrap.store.a.fast.budget", "hotrap.store.NAME.fast.budget.bytes");
    entries.remove("hotrap.store.a.fast.budget");

    entries.put("hotrap.fast.budget.bytes", "1G");
    refused("1G", "hotrap.fast.budget.bytes");
    entries.put("hotrap.fast.budget.bytes", "1000");
    refused("1000", "hotrap.fast.budget.bytes", "1048576");
    entries.remove("hotrap.fast.budget.bytes");
    refused("hotrap.fast.budget.bytes", "bytes of the fast disk");
    entries.put("hotrap.fast.budget.bytes", 1L << 30);

    entries.put("hotrap.slow.root", "hdd");
    refused("hotrap.slow.root", "hdd", "absolute");
    entries.remove("hotrap.slow.root");
    refused("hotrap.slow.root", "hotrap.fast.root", "hotrap.enabled=false");

    entries.put("hotrap.enabled", "false");
    assertFalse(of("store").enabled());
    entries.put("hotrap.enabled", "perhaps");
    refused("hotrap.enabled", "perhaps");
  }
}

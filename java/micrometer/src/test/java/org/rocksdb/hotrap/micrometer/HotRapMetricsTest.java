//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.micrometer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.HashMap;
import java.util.Map;
import org.junit.Test;

public class HotRapMetricsTest {
  private static final class Fake implements HotRapMetrics.Source {
    final Map<String, Double> numbers = new HashMap<>();

    @Override
    public Map<String, String> map(String property) {
      assertEquals("rocksdb.hotrap.metrics", property);
      return Map.of("get_hits_fast", "counter count Point reads of a file",
          "fast_budget_bytes", "gauge bytes The fast budget in force",
          "inactive_reason", "text text Why it does not", "odd", "odd");
    }

    @Override
    public double number(String name) {
      return numbers.getOrDefault(name, Double.NaN);
    }
  }

  @Test
  public void numbersBecomeMetersWithMeaningAndUnit() {
    final Fake fake = new Fake();
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    new HotRapMetrics(fake, Tags.of("db", "orders")).bindTo(registry);
    assertEquals(2, registry.getMeters().size());
    fake.numbers.put("get_hits_fast", 3.0);
    fake.numbers.put("fast_budget_bytes", 4e10);
    assertEquals(3.0,
        registry.get("rocksdb.hotrap.get_hits_fast")
            .tag("db", "orders")
            .functionCounter()
            .count(),
        0);
    final var gauge = registry.get("rocksdb.hotrap.fast_budget_bytes").gauge();
    assertEquals(4e10, gauge.value(), 0);
    assertEquals("bytes", gauge.getId().getBaseUnit());
    assertEquals("The fast budget in force", gauge.getId().getDescription());
    assertNull(registry.find("rocksdb.hotrap.inactive_reason").meter());
    fake.numbers.clear();
    assertTrue(Double.isNaN(gauge.value()));
  }
}

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap.kafka;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;

/** A broker in this process, with its files below a folder. */
final class Broker implements AutoCloseable {
  private final KafkaClusterTestKit kit;

  Broker(Path folder) throws Exception {
    kit = new KafkaClusterTestKit
              .Builder(new TestKitNodes.Builder()
                           .setCombined(true)
                           .setNumControllerNodes(1)
                           .setNumBrokerNodes(1)
                           .setBaseDirectory(folder)
                           .build())
              .setConfigProp("offsets.topic.num.partitions", "2")
              .setConfigProp("offsets.topic.replication.factor", "1")
              .setConfigProp("transaction.state.log.num.partitions", "2")
              .setConfigProp("transaction.state.log.replication.factor", "1")
              .setConfigProp("transaction.state.log.min.isr", "1")
              .setConfigProp("group.initial.rebalance.delay.ms", "0")
              .setConfigProp("group.min.session.timeout.ms", "1000")
              // It is not gone if the machine is busy.
              .setConfigProp("broker.session.timeout.ms", "300000")
              .build();
    kit.format();
    kit.startup();
    kit.waitForReadyBrokers();
  }

  String address() {
    return kit.bootstrapServers();
  }

  void createTopics(int partitions, String... names) throws Exception {
    final List<NewTopic> topics = new ArrayList<>();
    for (final String name : names) {
      topics.add(new NewTopic(name, partitions, (short) 1));
    }
    try (var admin = kit.admin(Map.of())) {
      admin.createTopics(topics).all().get();
    }
  }

  @Override
  public void close() throws Exception {
    kit.close();
  }
}

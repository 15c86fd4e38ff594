//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

package org.rocksdb.hotrap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import example.Visits;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Tests that the example of the documentation works as it is shown. */
public class HotRapExampleTest {
  private static final String SHOWN_FROM =
      "// What follows is shown in docs/getting_started.md and docs/java.md.\n";

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Test
  public void runs() throws Exception {
    final Path fast = folder.getRoot().toPath().resolve("fast");
    final ByteArrayOutputStream output = new ByteArrayOutputStream();
    final PrintStream console = System.out;
    System.setOut(new PrintStream(output, true, UTF_8));
    try {
      Visits.main(
          new String[] {fast.toString(), folder.newFolder().toString()});
    } finally {
      System.setOut(console);
    }
    assertEquals("1\nHotRAP is active: true\npromoted: 0\n",
        output.toString(UTF_8));
  }

  @Test
  public void isShown() throws Exception {
    final Path root = Path.of(System.getProperty("root.folder"));
    final String source = Files.readString(root.resolve(
        "java/hotrap/src/test/java/example/Visits.java"));
    final String shown =
        source.substring(source.indexOf(SHOWN_FROM) + SHOWN_FROM.length());
    for (final String page : new String[] {"getting_started.md", "java.md"}) {
      assertTrue(page + " shows another program",
          Files.readString(root.resolve("docs").resolve(page))
              .contains("```java\n" + shown + "```\n"));
    }
  }
}

//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Runs a test class and writes its results to a file, one a line as it comes
 * in, so that they survive a crash: "started METHOD", "passed METHOD", "failed
 * METHOD TAB REASON", "ignored METHOD"; at the end "done".
 *
 * <p>Arguments: the file, the class, then "only" or "without", then methods.
 */
public final class SuiteRunner extends RunListener {
  private final PrintStream out;
  private final Set<String> failed = new HashSet<>();

  private SuiteRunner(PrintStream out) {
    this.out = out;
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\s+", " ");
  }

  @Override
  public void testStarted(Description test) {
    out.println("started " + test.getMethodName());
  }

  @Override
  public void testFailure(Failure failure) {
    // A class has no method: its setup failed.
    final String method = String.valueOf(
        failure.getDescription().getMethodName());
    failed.add(method);
    out.println("failed " + method + "\t"
        + oneLine(String.valueOf(failure.getException())));
    failure.getException().printStackTrace();
  }

  @Override
  public void testAssumptionFailure(Failure failure) {
    failed.add(failure.getDescription().getMethodName());
    out.println("ignored " + failure.getDescription().getMethodName());
  }

  @Override
  public void testIgnored(Description test) {
    out.println("ignored " + test.getMethodName());
  }

  @Override
  public void testFinished(Description test) {
    if (!failed.contains(test.getMethodName())) {
      out.println("passed " + test.getMethodName());
    }
  }

  public static void main(String[] arguments)
      throws IOException, ClassNotFoundException {
    final boolean only = arguments[2].equals("only");
    final Set<String> methods = Set.copyOf(
        Arrays.asList(arguments).subList(3, arguments.length));
    try (PrintStream out =
             new PrintStream(arguments[0], StandardCharsets.UTF_8)) {
      final JUnitCore core = new JUnitCore();
      core.addListener(new SuiteRunner(out));
      core.run(Request.aClass(Class.forName(arguments[1]))
                   .filterWith(new Methods(only, methods)));
      out.println("done");
    }
    // Threads of the class may be left.
    System.exit(0);
  }

  private static final class Methods
      extends org.junit.runner.manipulation.Filter {
    private final boolean only;
    private final Set<String> methods;

    Methods(boolean only, Set<String> methods) {
      this.only = only;
      this.methods = methods;
    }

    @Override
    public boolean shouldRun(Description test) {
      if (test.isTest()) {
        return methods.contains(test.getMethodName()) == only;
      }
      // A parameter's tests, or those of a class.
      return test.getChildren().stream().anyMatch(this::shouldRun);
    }

    @Override
    public String describe() {
      return (only ? "only " : "without ") + methods;
    }
  }
}

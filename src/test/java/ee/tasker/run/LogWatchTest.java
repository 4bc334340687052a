package ee.tasker.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogWatchTest {
  private static final String TRACE = """
      SEVERE Exception while loading the app
      jakarta.ejb.EJBException: the bean failed
      \tat one.Frame.of(Frame.java:1)
      Caused by: java.lang.RuntimeException: WFLYEE0042: no instance
      \tat another.Frame.of(Frame.java:2)
      \t... 7 more
      Caused by: java.lang.IllegalStateException: two beans claim the name a: b.First and b.Second
      \tat third.Frame.of(Frame.java:3)
      """;

  @TempDir
  private Path folder;

  @Test
  void failure_is_reported_when_its_trace_is_complete() throws IOException {
    Path log = folder.resolve("server.log");
    Files.writeString(log,
        "Exception while loading the app\nCaused by: java.lang.Error: of an earlier run\n");
    LogWatch watch = new LogWatch(log, Pattern.compile("Exception while loading"));
    assertThat(watch.failure()).isEmpty();

    Files.writeString(log, TRACE.substring(0, 200), StandardOpenOption.APPEND);
    assertThat(watch.failure()).as("half of it").isEmpty();
    Files.writeString(log, TRACE.substring(200), StandardOpenOption.APPEND);
    assertThat(watch.failure()).as("just written").isEmpty();
    assertThat(watch.failure()).contains("two beans claim the name a: b.First and b.Second");
  }

  @Test
  void cause_may_come_before_the_failure_and_traces_of_the_clean_up_after_it() throws IOException {
    Path log = folder.resolve("server.log");
    LogWatch watch = new LogWatch(log, Pattern.compile("Exception while [a-z]+ the app\\b"));
    Files.writeString(log,
        "SEVERE Exception during lifecycle processing\nCaused by: java.lang.IllegalStateException: the port is 99999\n\tat a.B.c(B.java:1)\n"
            + "SEVERE Exception while loading the app\nERROR of the clean-up\nCaused by: java.lang.Error: Listener not found\n\tat a.B.d(B.java:2)\n");

    assertThat(watch.failure()).isEmpty();
    assertThat(watch.failure()).contains("the port is 99999");
  }

  @Test
  void log_that_the_server_begins_anew_is_read_from_its_beginning() throws IOException {
    Path log = folder.resolve("server.log");
    Files.writeString(log, "x".repeat(10_000));
    LogWatch watch = new LogWatch(log, Pattern.compile("NOT STARTED"));
    Files.writeString(log, "NOT STARTED: no reason given\n");

    assertThat(watch.failure()).isEmpty();
    assertThat(watch.failure()).contains("NOT STARTED: no reason given");
  }

  @Test
  void cause_may_have_lines_and_ends_with_its_message() {
    assertThat(LogWatch.causeOf(
        "Caused by: org.flywaydb.FlywayException: Validate failed\nMigration checksum mismatch for 1\n-> Applied: 7\n\tat a.B.c(B.java:1)\n"))
        .contains("Validate failed\nMigration checksum mismatch for 1\n-> Applied: 7");
    assertThat(
        LogWatch.causeOf(
            "\"jboss.unit\" => \"java.lang.E: x\n    Caused by: java.lang.IllegalStateException: the port is 99999\"\n}}"))
        .contains("the port is 99999");
    assertThat(LogWatch.causeOf("Caused by: java.lang.Error: no access\\\"\n}}"))
        .contains("no access");
    assertThat(
        LogWatch.causeOf("Caused by: java.lang.NullPointerException\n\tat a.B.c(B.java:1)\n"))
        .contains("java.lang.NullPointerException");
    assertThat(LogWatch.causeOf("nothing")).isEmpty();
  }
}

package ee.tasker.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program of this machine that a test needs besides the JDK. */
public enum Program {
  PSQL("psql", "postgresql-client"), PGBOUNCER("pgbouncer", "pgbouncer"), OPENSSL("openssl",
      "openssl"),
  PROMETHEUS("prometheus", "prometheus"), PROMTOOL("promtool", "prometheus"),
  GCC("gcc", "gcc"), PG_DUMP("pg_dump", "postgresql-client"), PG_RESTORE("pg_restore",
      "postgresql-client");

  private final String command;
  private final String ofPackage;

  Program(String command, String ofPackage) {
    this.command = command;
    this.ofPackage = ofPackage;
  }

  /** How a program ended. */
  public record Ended(int status, String output) {
  }

  /**
   * Skips the test on a machine that lacks the program, except where {@code
   * -D<program>.required=true} says that it must be there.
   */
  public void require() {
    String missing = isThere() ? ""
        : "no " + command + " on this machine: apt-get install " + ofPackage;
    if (Boolean.getBoolean(command + ".required")) {
      assertThat(missing).isEmpty();
    }
    assumeTrue(missing.isEmpty(), missing);
  }

  public String command() {
    return command;
  }

  private boolean isThere() {
    try {
      return run(Path.of("."), Map.of(), List.of(this == OPENSSL ? "version" : "--version"))
          .status() == 0;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  public Ended run(Path folder, Map<String, String> environment, List<String> arguments) {
    return run(folder, environment, List.of(command), arguments);
  }

  /** Any command, which has ten minutes. */
  public static Ended run(Path folder, Map<String, String> environment, List<String> command,
      List<String> arguments) {
    try {
      Path output = Files.createTempFile("tasker", ".out");
      try {
        ProcessBuilder builder = new ProcessBuilder(new java.util.ArrayList<>(command));
        builder.command().addAll(arguments);
        builder.environment().putAll(environment);
        Process process = builder.directory(folder.toFile()).redirectErrorStream(true)
            .redirectOutput(output.toFile()).start();
        process.getOutputStream().close();
        if (!process.waitFor(10, TimeUnit.MINUTES)) {
          process.destroyForcibly();
          throw new IllegalStateException(command + " did not end within ten minutes");
        }
        return new Ended(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
      } finally {
        Files.deleteIfExists(output);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}

package ee.tasker.benchmark;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** PostgreSQL's own pgbench, if this machine has one: it is not among the embedded binaries. */
final class PgBench {
  private static final Pattern RATE = Pattern.compile("tps = ([0-9.]+)");

  private PgBench() {
  }

  /** What {@code pgbench --version} says; empty when there is none on the path. */
  static Optional<String> version() {
    try {
      Process process = new ProcessBuilder("pgbench", "--version").redirectErrorStream(true)
          .start();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
          .strip();
      return process.waitFor() == 0 ? Optional.of(text) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /** Commits per second of one of these scripts, on the database {@code floor}. */
  static double perSecond(Bench bench, String script, int clients)
      throws IOException, InterruptedException {
    Path file = bench.options().folder().resolve("pgbench-" + script);
    try (InputStream text = PgBench.class.getResourceAsStream("/benchmark/pgbench/" + script)) {
      Files.write(file, text.readAllBytes());
    }
    Process process = new ProcessBuilder("pgbench", "-n", "-M", "prepared", "-c",
        Integer.toString(clients), "-j", "2",
        "-T", Integer.toString(bench.options().floorSeconds()), "-f", file.toString(), "-h",
        "127.0.0.1", "-p", Integer.toString(bench.options().databasePort()),
        "-U", "postgres", "floor").redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Matcher rate = RATE.matcher(output);
    if (process.waitFor() != 0 || !rate.find()) {
      throw new IOException("pgbench failed: " + output);
    }
    return Double.parseDouble(rate.group(1));
  }
}

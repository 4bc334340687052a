package ee.tasker.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Starts the built server on this process' Java repeatedly, on one database whose schema exists
 * after the first start, and
 * prints a line of docs/servers.md: time to ready, resident memory some seconds later, and whether
 * it stops cleanly. {@code
 * server-config/measure} calls it.
 */
public final class Measure {
  private static final int STARTS = Integer.getInteger("measure.starts", 4);

  private static final int AFTER_READY_SECONDS = 10;

  private Measure() {}

  public static void main(String[] arguments) throws Exception {
    var settings = RunSettings.from(
        Map.of("HTTP_PORT", Integer.toString(Ports.freeNear(18080)), "DB_PORT",
            Integer.toString(Ports.freeNear(18081))),
        System.getProperties());
    var folder = Files.createDirectories(settings.checkout().resolve("target/measure"));
    List<Long> starts = new ArrayList<>();
    List<Long> memory = new ArrayList<>();
    int clean = 0;
    try (var database = EmbeddedDatabase.forTests(folder, settings.folder(),
        settings.postgresVersion(), settings.database().port())) {
      database.start();
      for (int i = 0; i < STARTS; i++) {
        long begin = System.nanoTime();
        var server = settings.server()
            .process(settings.serverHome(), folder, settings.httpPort(), environment(settings))
            .quietly();
        try (server) {
          server.claimPort();
          server.start(settings.server().config(settings.checkout()), settings.war());
          server.awaitReady(settings.startBound(), settings.database());
          // The first start creates the schema, and unpacks and configures what later starts reuse.
          if (i > 0)
            starts.add(Duration.ofNanos(System.nanoTime() - begin).toMillis());
          // By then every server has finished its deferred startup work.
          TimeUnit.SECONDS.sleep(AFTER_READY_SECONDS);
          if (i > 0)
            memory.add(residentKilobytes(server.handle().orElseThrow().pid()));
          if (endsCleanly(server, settings))
            clean++;
        }
      }
    }
    Collections.sort(starts);
    Collections.sort(memory);
    System.out.printf(Locale.ROOT,
        "| %s | %d | %s | %.1f s (%.1f-%.1f) | %d MiB | %d of %d | `%s` |%n",
        settings.server().title(), Runtime.version().feature(),
        System.getProperty("measure.suite", "not run"), median(starts) / 1000.0,
        starts.get(0) / 1000.0, starts.get(starts.size() - 1) / 1000.0, median(memory) / 1024,
        clean, STARTS, sha256(settings.war()).substring(0, 16));
  }

  /**
   * By SIGTERM within 30 seconds: no process is left, and the server has reported its stop to the
   * others.
   */
  private static boolean endsCleanly(ServerProcess server, RunSettings settings)
      throws InterruptedException {
    var handle = server.handle().orElseThrow();
    var children = handle.descendants().toList();
    handle.destroy();
    try {
      handle.onExit().get(30, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
      return false;
    }
    return children.stream().noneMatch(ProcessHandle::isAlive) && Ports.isFree(settings.httpPort())
        && saidThatItStops(settings.database());
  }

  private static boolean saidThatItStops(DatabaseAddress database) {
    try (
        var connection = DriverManager.getConnection(database.jdbcUrl(), database.user(),
            database.password());
        var rows = connection.createStatement()
            .executeQuery("select bool_and(state = 'stopped') from tasker.servers")) {
      return rows.next() && rows.getBoolean(1);
    } catch (SQLException e) {
      throw new RunProblem("The database cannot be asked: " + e.getMessage(), e);
    }
  }

  /** As the kernel reports it; elsewhere, as ps does. */
  private static long residentKilobytes(long pid) {
    var ps = Command.run(Path.of("."), List.of("ps", "-o", "rss=", "-p", Long.toString(pid)));
    return ps.succeeded() ? Long.parseLong(ps.output().strip()) : 0;
  }

  private static Map<String, String> environment(RunSettings settings) {
    var database = settings.database();
    return Map.of(
        "HTTP_HOST", "127.0.0.1", "HTTP_PORT", Integer.toString(settings.httpPort()),
        "DB_HOST", database.host(), "DB_PORT", Integer.toString(database.port()),
        "DB_NAME", database.name(), "DB_USER", database.user(), "DB_PASSWORD", database.password(),
        "TASKER_TEMPLATES_FOLDER", settings.checkout().resolve("samples").toString());
  }

  private static long median(List<Long> sorted) {
    return sorted.get(sorted.size() / 2);
  }

  private static String sha256(Path file) throws IOException {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}

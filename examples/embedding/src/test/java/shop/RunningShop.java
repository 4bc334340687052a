package shop;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A PostgreSQL and an Open Liberty with the product's configuration and our WAR, as in production except for the size. */
final class RunningShop implements AutoCloseable {
  /** The product may require authentication for the whole WAR. */
  private static final String PASSWORD = "only-for-this-test";
  /** A server on a busy machine takes long over its first answers. */
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String CALLER = "Basic " + Base64.getEncoder().encodeToString(("admin:" + PASSWORD).getBytes(StandardCharsets.UTF_8));

  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(2)).build();
  private final EmbeddedPostgres postgres;
  private final Process server;
  private final int port;
  private final Path folder = Path.of(System.getProperty("test.folder"));

  private RunningShop() throws IOException {
    delete(folder);
    Files.createDirectories(folder);
    postgres = EmbeddedPostgres.builder().setDataDirectory(folder.resolve("postgres")).start();
    port = freePort();
    server = startServer();
    Runtime.getRuntime().addShutdownHook(new Thread(server::destroy, "shop-server"));
  }

  static RunningShop start() throws IOException, InterruptedException {
    RunningShop shop = new RunningShop();
    try {
      shop.awaitReady();
      return shop;
    } catch (RuntimeException | IOException | InterruptedException e) {
      shop.close();
      throw e;
    }
  }

  HttpResponse<String> order(String body) throws IOException, InterruptedException {
    return http.send(HttpRequest.newBuilder(address("/shop/orders")).header("Authorization", CALLER).header("Content-Type", "application/json").timeout(LIMIT)
        .POST(HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
  }

  int status(String path) throws IOException, InterruptedException {
    return http.send(HttpRequest.newBuilder(address(path)).header("Authorization", CALLER).timeout(LIMIT).build(), HttpResponse.BodyHandlers.ofString()).statusCode();
  }

  /** The first column of the first row, as text. */
  String sql(String query) throws SQLException {
    try (Connection connection = postgres.getPostgresDatabase().getConnection();
        var statement = connection.createStatement(); var rows = statement.executeQuery(query)) {
      return rows.next() ? rows.getString(1) : null;
    }
  }

  /** Repeats the request until the response is the expected one, with a time limit. */
  void await(String query, String expected) throws SQLException, InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    String answer = sql(query);
    while (!expected.equals(answer)) {
      if (System.nanoTime() > end) {
        throw new AssertionError(query + " is " + answer + " and not " + expected + "; see " + log());
      }
      TimeUnit.MILLISECONDS.sleep(50);
      answer = sql(query);
    }
  }

  @Override
  public void close() throws IOException {
    server.destroy();
    try {
      if (!server.waitFor(40, TimeUnit.SECONDS)) {
        server.destroyForcibly();
      }
    } catch (InterruptedException e) {
      server.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    postgres.close();
  }

  private Process startServer() throws IOException {
    Path home = Path.of(System.getProperty("server.home"));
    Path configuration = folder.resolve("usr/servers/shop");
    copy(Path.of(System.getProperty("server.config")), configuration);
    // The configuration deploys tasker-ee.war from this folder; the shop's WAR replaces it.
    Files.createDirectories(configuration.resolve("apps"));
    Files.copy(Path.of(System.getProperty("application.war")), configuration.resolve("apps/tasker-ee.war"));
    Files.createDirectories(configuration.resolve("jdbc"));
    Path driver = Path.of(URI.create(org.postgresql.Driver.class.getProtectionDomain().getCodeSource().getLocation().toString()));
    Files.copy(driver, configuration.resolve("jdbc").resolve(driver.getFileName()));

    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-javaagent:" + home.resolve("bin/tools/ws-javaagent.jar")));
    Path options = home.resolve("lib/platform/java").resolve(Runtime.version().feature() < 24 ? "java9.options" : "java24.options");
    Files.readAllLines(options).stream().map(String::strip).filter(line -> !line.isEmpty() && !line.startsWith("#")).forEach(words::add);
    words.addAll(List.of("-jar", home.resolve("bin/tools/ws-server.jar").toString(), "shop"));
    ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(folder.resolve("console.log").toFile());
    builder.environment().putAll(java.util.Map.of(
        "WLP_USER_DIR", folder.resolve("usr").toString(), "HTTP_PORT", Integer.toString(port),
        "DB_HOST", "127.0.0.1", "DB_PORT", Integer.toString(postgres.getPort()),
        "DB_NAME", "postgres", "DB_USER", "postgres", "DB_PASSWORD", "postgres",
        "TASKER_SECURITY_ADMIN_PASSWORD", PASSWORD));
    return builder.start();
  }

  private void awaitReady() throws IOException, InterruptedException {
    long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
    while (System.nanoTime() < end && server.isAlive()) {
      try {
        if (status("/health/ready") == 200) {
          return;
        }
      } catch (IOException e) {
        // The server does not listen yet.
      }
      server.waitFor(200, TimeUnit.MILLISECONDS);
    }
    throw new IllegalStateException("the server did not become ready; see " + log());
  }

  private Path log() {
    return folder.resolve("console.log");
  }

  private URI address(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path target = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }

  private static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

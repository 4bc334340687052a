package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Program;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A PostgreSQL that speaks TLS only, with a certificate for the name localhost by an authority that
 * this test makes.
 */
@Tag("long")
class DatabaseTlsIT {
  private static final String ACCESS = """
      host    all postgres  127.0.0.1/32 trust
      hostssl all certified 127.0.0.1/32 cert
      hostssl all tasker    127.0.0.1/32 scram-sha-256
      hostssl all rotated   127.0.0.1/32 scram-sha-256
      """;

  @TempDir
  private static Path keys;
  private static Cluster cluster;

  @BeforeAll
  static void start() {
    Program.OPENSSL.require();
    authority("ca");
    authority("stranger");
    certificate("server", "localhost", "subjectAltName=DNS:localhost");
    certificate("client", "certified", "extendedKeyUsage=clientAuth");
    openssl("pkcs8", "-topk8", "-nocrypt", "-in", "client.key", "-outform", "DER", "-out",
        "client.pk8");
    cluster = new Cluster();
    cluster.administer("postgres", "create role certified login", "create database certified owner "
        + "certified", "create role rotated login password 'first'",
        "create database rotated owner rotated");
    // Where PostgreSQL may read them, also as another account.
    Path data = cluster.database().data();
    for (String file : List.of("server.crt", "server.key", "ca.crt")) {
      copy(file, data.resolve("tls-" + file));
    }
    cluster.restartWith(Map.of("ssl", "on", "ssl_cert_file", "tls-server.crt", "ssl_key_file",
        "tls-server.key", "ssl_ca_file", "tls-ca.crt"), ACCESS);
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static void copy(String from, Path to) {
    try {
      Files.copy(keys.resolve(from), to, StandardCopyOption.REPLACE_EXISTING);
      Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rw-------"));
      Files.setOwner(to, Files.getOwner(to.getParent()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void openssl(String... words) {
    Program.Ended made = Program.OPENSSL.run(keys, Map.of(), List.of(words));
    assertThat(made.status()).as(made.output()).isZero();
  }

  private static void authority(String name) {
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", name + ".key", "-out",
        name + ".crt", "-days", "3", "-subj", "/CN=" + name + " of a test");
  }

  private static void certificate(String name, String subject, String extension) {
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", name + ".key", "-out", name + ".csr",
        "-subj", "/CN=" + subject);
    try {
      Files.writeString(keys.resolve(name + ".ext"), extension + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.crt", "-CAkey", "ca.key",
        "-CAcreateserial", "-days", "3", "-extfile", name + ".ext", "-out", name + ".crt");
  }

  private static String file(String name) {
    return keys.resolve(name).toString();
  }

  private static TestServer starting(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(Map.of("DB_HOST", "localhost", "DB_SSL_MODE",
        "verify-full", "DB_SSL_ROOT_CERT", file("ca.crt")));
    all.putAll(settings);
    return TestServer.starting(cluster.database(), all);
  }

  /** In the words of PostgreSQL, which knows what it encrypts. */
  private static long connections(String user, boolean isEncrypted) {
    return TestServer.clientOf(cluster.database()).count(
        "select count(*) from pg_stat_activity a join pg_stat_ssl s using (pid) where a.usename = ? "
            + "and a.application_name in ('tasker-ee', 'tasker-listener') and s.ssl = ?",
        user, isEncrypted);
  }

  private static void awaitListening(TestServer server) {
    TaskerClient.until("it listens", Duration.ofSeconds(60),
        () -> server.log().contains("TK1401"));
  }

  /** It is deployed, and not ready, and says of what it cannot connect. */
  private static void assertThatItWaitsBecauseOf(TestServer server, String cause) {
    TaskerClient.until("it waits", Duration.ofSeconds(120), () -> {
      try {
        Answer ready = server.client().get("/health/ready");
        return ready.status() == 503 && ready.body().contains("waiting for the database");
      } catch (UncheckedIOException notYet) {
        return false;
      }
    });
    assertThat(server.log()).contains("TK1005").containsPattern(cause)
        .doesNotContain("TK1003", "TK1401");
  }

  @Test
  void both_connections_are_encrypted_where_name_and_authority_are_right() {
    try (TestServer server = starting(Map.of()).awaitReady()) {
      awaitListening(server);
      assertThat(Cluster.runTask(server, 6)).isEqualTo("complete");
      assertThat(connections("tasker", true)).isGreaterThan(1);
      assertThat(connections("tasker", false)).isZero();
    }
  }

  @Test
  void a_host_that_the_certificate_does_not_name_is_no_database() {
    try (TestServer server = starting(Map.of("DB_HOST", "127.0.0.1"))) {
      assertThatItWaitsBecauseOf(server, "TK1005.*127\\.0\\.0\\.1");
    }
  }

  @Test
  void a_database_that_another_authority_has_certified_is_none() {
    try (TestServer server = starting(Map.of("DB_SSL_ROOT_CERT", file("stranger.crt")))) {
      assertThatItWaitsBecauseOf(server, "TK1005.*(SSL|PKIX|certif)");
    }
  }

  @Test
  void the_listening_connection_checks_the_name_by_itself() {
    try (TestServer server = starting(Map.of("DB_LISTEN_HOST", "127.0.0.1")).awaitReady()) {
      TaskerClient.until("health says that it does not listen", Duration.ofSeconds(60),
          () -> server.client().get("/health/ready").body().contains("127.0.0.1"));
      assertThat(server.log()).contains("TK1402").doesNotContain("TK1401");
      assertThat(Cluster.runTask(server, 8)).isEqualTo("complete");
    }
  }

  @Test
  void a_client_certificate_takes_the_place_of_a_password() {
    try (TestServer server = starting(Map.of("DB_USER", "certified", "DB_NAME", "certified",
        "DB_PASSWORD", "not needed", "DB_SSL_CERT", file("client.crt"), "DB_SSL_KEY",
        file("client.pk8"))).awaitReady()) {
      awaitListening(server);
      assertThat(Cluster.runTask(server, 6)).isEqualTo("complete");
      assertThat(connections("certified", true)).isGreaterThan(1);
    }
  }

  @Test
  void the_password_in_a_file_is_changed_under_load_without_a_restart() throws IOException {
    Path password = keys.resolve("password");
    Files.writeString(password, "first\n");
    try (TestServer server = starting(Map.of("DB_USER", "rotated", "DB_NAME", "rotated",
        "DB_PASSWORD", "of no meaning", "DB_PASSWORD_FILE", password.toString()))
        .awaitReady()) {
      awaitListening(server);
      assertThat(tasks(server, 2, 20)).containsOnly("complete");

      cluster.administer("postgres", "alter role rotated password 'second'");
      Path next = Files.writeString(keys.resolve("password.next"), "second\n");
      Files.move(next, password, StandardCopyOption.REPLACE_EXISTING,
          StandardCopyOption.ATOMIC_MOVE);

      assertThat(tasks(server, 42, 20)).containsOnly("complete");
      // Every connection has to log in again.
      cluster.administer("postgres",
          "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'rotated'");
      TaskerClient.until("it is ready and listens again", Duration.ofSeconds(60),
          () -> server.client().get("/health/ready").status() == 200
              && TestServer.clientOf(cluster.database()).count(
                  "select count(*) from pg_stat_activity where application_name = 'tasker-listener' and usename = 'rotated'") == 1);
      assertThat(tasks(server, 82, 20)).containsOnly("complete");
      assertThat(server.log()).doesNotContain("password authentication failed");
    }
  }

  private static List<String> tasks(TestServer server, int first, int count) {
    return Stream.iterate(first, number -> number + 2).limit(count)
        .map(number -> Cluster.runTask(server, number)).distinct().toList();
  }
}

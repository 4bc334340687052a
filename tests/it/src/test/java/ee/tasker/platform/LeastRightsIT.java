package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ee.tasker.release.InstallScript;
import ee.tasker.release.Versions;
import ee.tasker.run.RunProblem;
import ee.tasker.testing.Program;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers whose login is no superuser, installed in each of the three ways. */
@Tag("long")
class LeastRightsIT {
  private static final Pattern STATEMENTS = Pattern
      .compile("As an administrator of the database: ([^\\n]*;)");
  private static final Path CHECKOUT = Path.of(System.getProperty("tasker.checkout"));

  private static Cluster cluster;

  @TempDir
  private Path folder;

  @BeforeAll
  static void start() {
    cluster = new Cluster();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static void makeLogin(String name) {
    cluster.administer("postgres", "create role " + name + " login password '" + name + "'",
        "create database " + name,
        // Since PostgreSQL 15 that is so; here also for the right to create temporary tables.
        "revoke all on database " + name + " from public", "grant connect on database " + name
            + " to " + name);
  }

  private static TestServer starting(String name, Map<String, String> more) {
    return TestServer.starting(cluster.database(), cluster.environment(name, name, name, more));
  }

  /** The statements that a server which cannot start asks an administrator for. */
  private static String refusal(String name) {
    try (TestServer server = starting(name, Map.of())) {
      Throwable problem = catchThrowable(server::awaitReady);
      assertThat(problem).isInstanceOf(RunProblem.class);
      Matcher statements = STATEMENTS.matcher(problem.getMessage());
      assertThat(statements.find()).as(problem.getMessage()).isTrue();
      return statements.group(1);
    }
  }

  @Test
  void a_login_that_owns_its_database_installs_the_schema_itself() {
    makeLogin("owning");
    cluster.administer("postgres", "alter database owning owner to owning");

    try (TestServer server = starting("owning", Map.of()).awaitReady()) {
      assertThat(Cluster.runTask(server, 6)).isEqualTo("complete");
    }
  }

  @Test
  void a_login_without_rights_is_told_at_once_what_to_grant_and_migrates_then() {
    makeLogin("guest");
    String statements = refusal("guest");
    assertThat(statements).isEqualTo("create schema tasker authorization guest; "
        + "create schema pgmq authorization guest;");

    cluster.administer("guest", statements);

    try (TestServer server = starting("guest", Map.of()).awaitReady()) {
      assertThat(Cluster.runTask(server, 6)).isEqualTo("complete");
    }
    // And again, where there is nothing to migrate.
    try (TestServer server = starting("guest", Map.of()).awaitReady()) {
      assertThat(Cluster.runTask(server, 8)).isEqualTo("complete");
    }
  }

  @Test
  void a_login_that_may_not_connect_is_told_so() {
    makeLogin("outside");
    cluster.administer("postgres", "revoke connect on database outside from outside");

    assertThat(refusal("outside"))
        .isEqualTo("grant connect on database \"outside\" to \"outside\";");
  }

  @Test
  void a_login_that_may_only_read_is_named_as_such_and_served_once_it_may_write() {
    makeLogin("reading");
    cluster.administer("postgres", "alter database reading owner to reading",
        "alter role reading set default_transaction_read_only = on");
    try (TestServer server = starting("reading", Map.of())) {
      TaskerClient.until("health names it", Duration.ofSeconds(120), () -> {
        try {
          Answer ready = server.client().get("/health/ready");
          return ready.status() == 503
              && ready.body().contains("alter role reading reset default_transaction_read_only;");
        } catch (UncheckedIOException notYet) {
          return false;
        }
      });
      assertThat(server.log()).containsPattern("TK1005.*login reading is read-only");

      cluster.administer("postgres", "alter role reading reset default_transaction_read_only");

      server.awaitReady();
      assertThat(Cluster.runTask(server, 6)).isEqualTo("complete");
    }
  }

  @Test
  void in_a_schema_that_psql_installed_a_server_needs_no_right_to_change_it() throws IOException {
    Program.PSQL.require();
    makeLogin("hardened");
    cluster.administer("postgres", "create role installing login createrole",
        "create role hardened_owner nologin", "grant hardened_owner to installing",
        "grant create on database hardened to hardened_owner",
        "grant connect on database hardened to installing");
    // Nothing is installed, and this server is not to do it.
    try (TestServer server = starting("hardened", Map.of("TASKER_MIGRATE", "false"))) {
      assertThat(catchThrowable(server::awaitReady)).hasMessageContaining("tasker.migrate is false")
          .hasMessageContaining("db/install.sql");
    }
    install();
    String statements = refusal("hardened");
    assertThat(statements).isEqualTo("grant tasker_server to hardened;");
    cluster.administer("hardened", statements);

    for (String migrate : List.of("false", "true")) {
      try (TestServer server = starting("hardened", Map.of("TASKER_MIGRATE", migrate))
          .awaitReady()) {
        assertThat(Cluster.runTask(server, migrate.equals("true") ? 6 : 8)).isEqualTo("complete");
        assertThat(server.client().get("/v1/analytics/health").status()).isEqualTo(200);
        assertThat(server.log()).doesNotContain("42501", "permission denied");
      }
    }
  }

  private void install() throws IOException {
    Path db = CHECKOUT.resolve("db");
    try (Stream<Path> files = Files.walk(db)) {
      for (Path file : files.toList()) {
        Files.copy(file, folder.resolve("db").resolve(db.relativize(file).toString()));
      }
    }
    Files.writeString(folder.resolve("db/install.sql"),
        InstallScript.of(db, Versions.of(CHECKOUT)));
    // The superuser's own database access needs no password; the login that installs gets one.
    cluster.administer("postgres", "alter role installing password 'installing'");
    Program.Ended installed = Program.PSQL.run(folder, Map.of("PGPASSWORD", "installing"),
        List.of("-X", "-h", "127.0.0.1", "-p", Integer.toString(cluster.port()), "-U", "installing",
            "-d", "hardened", "-v", "owner=hardened_owner", "-v", "hardened=yes", "-f",
            "db/install.sql"));
    assertThat(installed.status()).as(installed.output()).isZero();
  }
}

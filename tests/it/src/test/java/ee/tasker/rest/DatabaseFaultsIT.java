package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Faults of the database that pass: PostgreSQL itself refuses, and the server says so, once and
 * without a stack trace.
 */
@Tag("long")
class DatabaseFaultsIT {
  private static final Duration BACK = Duration.ofSeconds(90);
  private static final Pattern OWN = Pattern.compile("\\bTK\\d{4}\\b");

  private static EmbeddedDatabase database;
  private static TestServer server;
  private static TaskerClient tasker;
  private static UUID task;

  @BeforeAll
  static void start() {
    database = TestServer.newDatabase();
    server = TestServer.start(database, Map.of());
    tasker = server.client();
    tasker.register("/testing/templates.yaml");
    task = tasker.submit("hello", "{}");
    tasker.awaitTerminalOrBlocked(task);
  }

  @AfterAll
  static void stop() {
    server.close();
    database.close();
  }

  private static List<String> lines() {
    return server.log().lines().filter(line -> !line.isBlank()).toList();
  }

  private static void assertLoggedWithoutTraces(int since, int mostLines) {
    List<String> written = lines().subList(since, lines().size());
    assertThat(written).noneMatch(line -> line.contains("TK1502"));
    assertThat(written.stream().filter(
        line -> OWN.matcher(line).find() && (line.contains("GET ") || line.contains("POST "))))
        .hasSizeLessThanOrEqualTo(mostLines);
    for (int i = 1; i < written.size(); i++) {
      assertThat(OWN.matcher(written.get(i - 1)).find() && isOfStackTrace(written.get(i)))
          .as("a stack trace of %s", written.get(i - 1))
          .isFalse();
    }
  }

  private static boolean isOfStackTrace(String line) {
    return Character.isWhitespace(line.charAt(0)) || line.startsWith("Caused by:");
  }

  private static void assertUnavailable(Answer answer) {
    assertThat(answer.status()).as("%s", answer).isEqualTo(503);
    assertThat(answer.text("code")).isEqualTo("unavailable");
    assertThat(answer.header("Retry-After")).isEqualTo("5");
    assertThat(answer.body()).doesNotContain("SQL", "ERROR");
  }

  private static Answer submit() {
    return tasker.post("/v1/tasks", TaskerClient.taskRequest("testing", "hello", "{}"));
  }

  private static Answer read() {
    return tasker.get("/v1/tasks/" + task);
  }

  /** As a failover or the pool's age would. */
  private static void cutConnections(Connection own) throws SQLException {
    TaskerClient.sql(own,
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and usename = 'tasker'");
  }

  private static boolean isReady() {
    return tasker.get("/health/ready").status() == 200;
  }

  private static void assertNotReady(String problem) {
    Answer ready = tasker.get("/health/ready");
    assertThat(ready.status()).as("%s", ready).isEqualTo(503);
    assertThat(ready.body()).contains(problem);
  }

  private static void awaitBack() {
    TaskerClient.until("the server is ready again", BACK,
        () -> isReady() && read().status() == 200 && submit().status() == 201);
  }

  @Test
  void exhausted_connections_are_503_and_the_server_is_not_ready() throws Exception {
    int before = lines().size();
    try (Connection own = tasker.connect()) {
      TaskerClient.sql(own, "alter database tasker connection limit 0");
      try {
        cutConnections(own);
        for (int n = 0; n < 3; n++) {
          assertUnavailable(read());
          assertUnavailable(submit());
        }
        assertNotReady("the database cannot be queried");
        assertLoggedWithoutTraces(before, 1);
        assertThat(server.log()).contains("too many connections");
      } finally {
        TaskerClient.sql(own, "alter database tasker connection limit -1");
      }
    }
    awaitBack();
  }

  @Test
  void a_refused_password_is_503_and_the_server_is_not_ready() throws Exception {
    int before = lines().size();
    try (Connection own = tasker.connect()) {
      TaskerClient.sql(own, "alter role tasker password 'another'");
      try {
        cutConnections(own);
        for (int n = 0; n < 3; n++) {
          assertUnavailable(read());
          assertUnavailable(submit());
        }
        assertNotReady("refuses the login");
        assertLoggedWithoutTraces(before, 1);
      } finally {
        TaskerClient.sql(own, "alter role tasker password 'tasker'");
      }
    }
    awaitBack();
  }

  @Test
  void a_statement_that_takes_too_long_is_503() throws Exception {
    try (Connection own = tasker.connect()) {
      TaskerClient.sql(own, "alter role tasker set statement_timeout = '300ms'");
      try {
        cutConnections(own);
        TaskerClient.until("the new connections are used", BACK, () -> read().status() == 200);
        int before = lines().size();
        own.setAutoCommit(false);
        TaskerClient.sql(own, "lock table tasker.tasks in access exclusive mode");
        Answer late = read();
        own.rollback();
        own.setAutoCommit(true);
        assertUnavailable(late);
        assertThat(late.text("detail")).contains("cannot do this at present");
        assertLoggedWithoutTraces(before, 1);
        assertThat(server.log()).contains("sql_state=57014");
      } finally {
        TaskerClient.sql(own, "alter role tasker reset statement_timeout");
        cutConnections(own);
      }
    }
    awaitBack();
  }

  @Test
  void a_full_disk_and_other_faults_that_pass_are_503_and_with_a_full_disk_the_server_is_not_ready() {
    tasker.sql("create table testing.refusals (state text)");
    tasker.sql("create function testing.refuse() returns trigger language plpgsql as "
        + "$$declare v_state text; begin select state into v_state from testing.refusals; "
        + "if found then raise exception 'refused by a test' using errcode = v_state; end if; return new; end$$");
    tasker.sql(
        "create trigger a_refusal before insert on tasker.tasks for each row execute function testing.refuse()");
    int before = lines().size();
    List<String> states = List.of("40001", "40P01", "53200", "55P03", "57014", "58030", "53100");
    for (String state : states) {
      tasker.sql("delete from testing.refusals");
      assertThat(isReady()).as("ready before %s", state).isTrue();
      tasker.sql("insert into testing.refusals values (?)", state);
      assertUnavailable(submit());
    }
    assertNotReady("disk of the database is full");
    assertThat(read().status()).as("reads go on").isEqualTo(200);
    assertLoggedWithoutTraces(before, states.size());

    tasker.sql("delete from testing.refusals");
    awaitBack();
  }
}

package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.TestDatabase;
import jakarta.json.JsonObject;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

@DatabaseTest
@DatabaseTest.Covers({"check_storage", "count_servers", "notify_servers", "get_ancestor_results"})
class GetInstallationStatusTest {
  private final Sql sql = Sql.open();

  @Test
  void a_server_counts_until_its_heartbeat_is_overdue() {
    sql.text("select tasker.heartbeat(?, 'one', 'worker', 10, 0)", UUID.randomUUID());
    JsonObject status = sql.object("select tasker.get_installation_status()");

    assertThat(status.getInt("servers")).isEqualTo(1);
    assertThat(status.getString("schema_version")).matches("0*[0-9]+");
    assertThat(sql.number("select tasker.count_servers(?)", Instant.now().plusSeconds(61)))
        .isZero();
  }

  @Test
  void a_database_that_refuses_writes_says_so() throws Exception {
    assertThat(sql.object("select tasker.get_installation_status()").getBoolean("read_only"))
        .isFalse();
    try (Connection reader = TestDatabase.get().connect();
        Statement statement = reader.createStatement()) {
      // As on a standby, where no transaction can be anything else.
      statement.execute("set session characteristics as transaction read only");
      try (ResultSet row = statement
          .executeQuery("select tasker.get_installation_status() ->> 'read_only'")) {
        row.next();
        assertThat(row.getBoolean(1)).isTrue();
      }
    }
  }

  @Test
  void a_check_of_the_storage_writes_and_leaves_nothing_and_raises_what_the_write_did() {
    long pages = sql.number("select pg_total_relation_size('tasker.servers')");
    sql.text("select tasker.check_storage()");
    assertThat(sql.number("select pg_total_relation_size('tasker.servers')")).as("it needs room")
        .isGreaterThan(pages + 30_000);
    assertThat(sql.number("select count(*) from tasker.servers where name = 'check_storage'"))
        .isZero();

    try (Sql full = Sql.session()) {
      full.run("create function tasker.refuse() returns trigger language plpgsql as "
          + "$$begin raise exception 'could not extend file' using errcode = '53100'; end$$");
      full.run(
          "create trigger full_disk before insert on tasker.servers for each row execute function tasker.refuse()");
      assertThatThrownBy(() -> full.text("select tasker.check_storage()"))
          .isInstanceOfSatisfying(Sql.SqlProblem.class,
              refused -> assertThat(refused.state()).isEqualTo("53100"));
      full.rollback();
    }
  }

  @Test
  void listening_servers_hear_every_kind_and_who_sent_it() throws Exception {
    UUID sender = UUID.randomUUID();
    try (Connection listener = TestDatabase.get().connect();
        Statement listen = listener.createStatement()) {
      listen.execute("listen tasker_wakeup");
      sql.text("select tasker.notify_servers(?, ?)", sender, List.of("steps", "results"));
      PGNotification[] heard = listener.unwrap(PGConnection.class).getNotifications(5000);
      assertThat(heard).extracting(PGNotification::getParameter).containsExactly("steps " + sender,
          "results " + sender);
    }
  }

  @Test
  void the_results_of_all_ancestors_are_found_by_name() {
    Dag.Task task = Dag.linear(3).started();
    try (SqlWorker worker = SqlWorker.open()) {
      worker.complete(worker.claimOne().success("{\"n\": 1}"));
      worker.complete(worker.claimOne().success("{\"n\": 2}"));
    }
    assertThat(sql.text("select tasker.get_ancestor_results(?)", task.step("s3")))
        .isEqualTo("{\"s1\": {\"n\": 1}, \"s2\": {\"n\": 2}}");
    assertThat(sql.text("select tasker.get_ancestor_results(?)", task.step("s1"))).isEqualTo("{}");
  }
}

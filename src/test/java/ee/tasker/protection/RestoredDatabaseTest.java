package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.sql.SchemaInstaller;
import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/**
 * A dump that is restored, as pg_dump and pg_restore do it: the schema is made anew, and the rows
 * of all tables and the values of all sequences are copied into it.
 */
@DatabaseTest
class RestoredDatabaseTest {
  private static final String RESTORED = "restored";
  private static final String OURS = "relnamespace in ('tasker'::regnamespace, 'pgmq'::regnamespace)";
  private static final String TABLES = """
      select c.oid::regclass || ' (' || string_agg(quote_ident(a.attname), ', ' order by a.attnum) || ')'
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.%s and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'flyway_schema_history'
        and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      group by c.oid""".formatted(OURS);
  private static final String SEQUENCES = """
      select format('select setval(%L, %s, true)', quote_ident(schemaname) || '.' || quote_ident(sequencename), last_value)
      from pg_sequences where schemaname in ('tasker', 'pgmq') and last_value is not null""";
  private static final String TOKENS = """
      select s.workflow_step_uuid || ' ' || tasker.format_idempotency_token(s.workflow_step_uuid, s.idempotency_resets)
      from tasker.workflow_steps s order by 1""";

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  @AfterEach
  void drop() throws SQLException {
    TestDatabase.get().switchTo(null);
    try (Connection aside = TestDatabase.get().connectAside();
        Statement statement = aside.createStatement()) {
      statement.execute("drop database if exists " + RESTORED + " with (force)");
    }
  }

  private void restore() throws SQLException, IOException {
    try (Connection aside = TestDatabase.get().connectAside();
        Statement statement = aside.createStatement()) {
      statement.execute("create database " + RESTORED);
    }
    SchemaInstaller.install(TestDatabase.get().database(RESTORED, "postgres"));
    TestDatabase.guard(TestDatabase.get().database(RESTORED, "postgres"));
    try (Connection from = TestDatabase.get().connect();
        Connection to = TestDatabase.get().database(RESTORED, "postgres").getConnection();
        Statement statement = to.createStatement()) {
      statement.execute("set session_replication_role = replica");
      for (String queue : sql.texts("select queue_name from pgmq.list_queues()")) {
        statement.execute("select tasker.ensure_task_queue('" + queue + "')");
      }
      List<String> tables = sql.texts(TABLES);
      for (String table : tables) {
        statement.execute("truncate " + table.substring(0, table.indexOf(' ')) + " cascade");
      }
      for (String table : tables) {
        copy(from, to, table);
      }
      for (String sequence : sql.texts(SEQUENCES)) {
        statement.execute(sequence);
      }
    }
  }

  private static void copy(Connection from, Connection to, String table)
      throws SQLException, IOException {
    String name = table.substring(0, table.indexOf(' '));
    String columns = table.substring(table.indexOf('(') + 1, table.length() - 1);
    ByteArrayOutputStream rows = new ByteArrayOutputStream();
    copying(from).copyOut("copy (select " + columns + " from " + name + ") to stdout", rows);
    copying(to).copyIn("copy " + table + " from stdin",
        new ByteArrayInputStream(rows.toByteArray()));
  }

  private static CopyManager copying(Connection connection) throws SQLException {
    return connection.unwrap(PGConnection.class).getCopyAPI();
  }

  private static String token(Claim claim) {
    return claim.claimedStep().getString("idempotency_token");
  }

  @Test
  void steps_have_the_same_idempotency_tokens_in_it_and_run_again_with_them() throws Exception {
    Dag.Task renewed = Dag.of("a").step("b").dependsOn("a").started();
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().permanentFailure());
    new Operator().step(renewed, "b", "reset_for_retry", "{\"new_idempotency_token\": true}");
    Claim second = worker.claimOne();
    assertThat(token(second)).isEqualTo(renewed.step("b") + ":reset-1");
    Dag.of("a").maxAttempts(3).started();
    Claim running = worker.claimOne();
    List<String> tokens = sql.texts(TOKENS);

    restore();

    TestDatabase.get().switchTo(RESTORED);
    try (Sql restored = Sql.open(); SqlWorker another = SqlWorker.open()) {
      assertThat(restored.texts(TOKENS)).isEqualTo(tokens);
      another.at(Instant.now().plusSeconds(120)).advance();
      List<Claim> again = another.claim(9);
      assertThat(again).extracting(Claim::step)
          .containsExactlyInAnyOrder(second.step(), running.step());
      assertThat(again).allSatisfy(claim -> assertThat(token(claim))
          .isEqualTo(token(claim.step().equals(second.step()) ? second : running)));
      assertThat(restored.texts(
          "select invariant from tasker.check_history() where violations > 0")).isEmpty();
    }
  }
}

package ee.tasker.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The annotation checks after each test that the promises hold for the copies as well. */
@DatabaseTest
class ClonesTest {
  private static final String ROWS = """
      select count(*) from (
        select task_uuid from tasker.tasks union all select task_uuid from tasker.task_contexts
        union all select task_uuid from tasker.workflow_steps union all select task_uuid from tasker.workflow_step_edges
        union all select task_uuid from tasker.workflow_step_result_audit
        union all select task_uuid from tasker.task_transitions union all select task_uuid from tasker.workflow_step_transitions) all_rows""";

  @Test
  void copies_of_a_finished_task_have_all_its_rows_and_keys_of_their_own() throws SQLException {
    try (Sql sql = Sql.open(); SqlWorker worker = SqlWorker.open()) {
      UUID task = Dag.diamond().started().uuid();
      worker.runToTheEnd();
      long rows = sql.number(ROWS);

      clone(task, 300);

      assertThat(sql.number(ROWS)).isEqualTo(301 * rows);
      assertThat(sql.number("select count(distinct workflow_step_uuid) from tasker.workflow_steps"))
          .isEqualTo(301 * 4);
      assertThat(
          sql.text("select task_uuid::text from tasker.tasks order by task_uuid desc limit 1"))
          .isEqualTo(task.toString());
      assertThat(sql.number(
          "select count(*) from tasker.tasks t where t.created_at > (select o.created_at from tasker.tasks o where o.task_uuid = ?)",
          task))
          .isZero();
    }
  }

  @Test
  void copies_of_a_task_that_waits_for_its_retry_can_be_worked_by_the_engine() throws SQLException {
    try (Sql sql = Sql.open(); SqlWorker worker = SqlWorker.open()) {
      UUID task = Dag.of("a").started().uuid();
      worker.complete(worker.claimOne().retryableFailure());

      clone(task, 5);
      worker.at(sql.instant("select now() + interval '1 hour'"));
      worker.advance();
      worker.runToTheEnd();

      assertThat(sql.texts("select distinct state::text from tasker.tasks"))
          .containsExactly("complete");
      assertThat(sql.number("select count(*) from tasker.tasks")).isEqualTo(6);
    }
  }

  @Test
  void copies_of_a_sleeping_task_fire_in_their_time() throws SQLException {
    try (Sql sql = Sql.open(); SqlWorker worker = SqlWorker.open()) {
      UUID task = Dag.of("a").step("sleep").dependsOn("a")
          .waitingOnly("{\"wait\": {\"for\": \"PT3H\"}}").step("b").dependsOn("sleep")
          .started().uuid();
      worker.complete(worker.claimOne().success());

      clone(task, 5);
      worker.at(sql.instant("select now() + interval '4 hours'"));
      worker.advance();
      worker.runToTheEnd();

      assertThat(sql.texts("select distinct state::text from tasker.tasks"))
          .containsExactly("complete");
      assertThat(sql.number("select count(*) from tasker.step_waits where state = 'satisfied'"))
          .isEqualTo(6);
    }
  }

  @Test
  void two_connections_make_as_many_copies_as_one() throws SQLException {
    try (Sql sql = Sql.open();
        SqlWorker worker = SqlWorker.open();
        Connection one = TestDatabase.get().connect();
        Connection other = TestDatabase.get().connect()) {
      UUID task = Dag.linear(2).started().uuid();
      worker.runToTheEnd();

      Clones.inParallel(one, other, task, 11);

      assertThat(sql.number("select count(*) from tasker.tasks")).isEqualTo(12);
      assertThat(sql.number("select count(distinct created_at) from tasker.tasks")).isEqualTo(12);
    }
  }

  private static void clone(UUID task, int count) throws SQLException {
    try (Connection connection = TestDatabase.get().connect()) {
      Clones.of(connection, task, count);
    }
  }
}

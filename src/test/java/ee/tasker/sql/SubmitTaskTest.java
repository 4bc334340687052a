package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
class SubmitTaskTest {
  private final Sql sql = Sql.open();

  @Test
  void a_task_submitted_in_a_transaction_that_rolls_back_was_never_there() {
    Dag.Template template = Dag.of("a").registered();
    try (Sql session = Sql.session()) {
      session.uuid("select tasker.submit_task('orders', ?, '1')", template.name());
      session.rollback();
    }
    assertThat(sql.number(
        "select (select count(*) from tasker.tasks) + (select count(*) from pgmq.q_worker_orders_queue)"))
        .isZero();
  }

  @Test
  void options_are_kept_and_unknown_ones_are_refused() {
    Dag.Template template = Dag.of("a").registered();
    UUID task = sql.uuid(
        "select tasker.submit_task('orders', ?, '1', '{}', '{\"initiator\": \"me\", \"priority\": 7, \"tags\": [\"x\"]}')",
        template.name());
    assertThat(sql.text(
        "select concat_ws(' ', initiator, priority, tags) from tasker.tasks where task_uuid = ?",
        task))
        .isEqualTo("me 7 [\"x\"]");
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.submit_task('orders', ?, '1', '{}', '{\"prio\": 7}')",
            template.name()))
        .hasMessageContaining("prio");
  }

  @Test
  void each_refusal_has_its_code() {
    Dag.Template strict = Dag.of("a").identity("strict").registered();
    String call = "select tasker.submit_task('orders', ?, '1', ?)";
    UUID first = sql.uuid(call, strict.name(), "{}");
    assertThatDatabaseRefuses("TK001", () -> sql.text(call, "nothing", "{}"));
    assertThatDatabaseRefuses("TK004", () -> sql.text(call, strict.name(), "{}"))
        .hasMessageContaining(first.toString());
    assertThatDatabaseRefuses("TK007", () -> sql.text(call, strict.name(), "[]"));
    assertThat(sql.uuid(
        "select tasker.submit_task('orders', ?, '1', '{}', '{\"on_duplicate\": \"return\"}')",
        strict.name()))
        .isEqualTo(first);
  }
}

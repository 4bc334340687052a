package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"get_next_ready_task", "get_task_ready_info", "calculate_priority"})
class GetNextReadyTasksTest {
  private final Sql sql = Sql.open();

  @Test
  void two_sessions_get_different_tasks_for_as_long_as_their_transactions_last() {
    for (int i = 0; i < 6; i++) {
      Dag.of("a").submitted();
    }
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      List<String> one = first.texts("select task_uuid from tasker.get_next_ready_tasks(4)");
      List<String> two = second.texts("select task_uuid from tasker.get_next_ready_tasks(4)");
      assertThat(one).hasSize(4);
      assertThat(two).hasSize(2).doesNotContainAnyElementsOf(one);
      first.rollback();
      assertThat(second.texts("select task_uuid from tasker.get_next_ready_tasks(4)")).hasSize(4);
    }
  }

  @Test
  void the_default_is_five_and_the_singular_gives_one() {
    for (int i = 0; i < 7; i++) {
      Dag.of("a").submitted();
    }
    assertThat(sql.texts("select task_uuid from tasker.get_next_ready_tasks()")).hasSize(5);
    assertThat(sql.texts("select task_uuid from tasker.get_next_ready_task()")).hasSize(1);
  }

  @Test
  void among_due_tasks_priority_decides_the_order() {
    Dag.Task low = Dag.of("a").priority(-10).submitted();
    Dag.Task high = Dag.of("a").priority(10).submitted();
    assertThat(sql.texts("select task_uuid from tasker.get_next_ready_tasks()"))
        .containsExactly(high.uuid().toString(), low.uuid().toString());
  }

  @Test
  void a_task_that_waits_for_its_retry_is_found_when_that_is_due() {
    Dag.Task task = Dag.of("a").started();
    try (SqlWorker worker = SqlWorker.open()) {
      worker.complete(worker.claimOne().retryableFailure(10_000));
    }
    assertThat(sql.texts("select task_uuid from tasker.get_next_ready_tasks(5, ?)",
        Instant.now().plusSeconds(9))).isEmpty();
    assertThat(sql.texts(
        "select task_uuid || ' ' || current_state || ' ' || ready_steps_count from tasker.get_next_ready_tasks(5, ?)",
        Instant.now().plusSeconds(11))).containsExactly(task.uuid() + " waiting_for_retry 1");
  }

  @Test
  void finished_and_blocked_tasks_and_unchecked_ones_are_never_found() {
    Dag.of("a").started();
    Dag.of("a").started();
    Dag.of("a").withInputSchema().submitted();
    try (SqlWorker worker = SqlWorker.open()) {
      List<Claim> claims = worker.claim(2);
      worker.complete(claims.get(0).success(), claims.get(1).permanentFailure());
    }
    assertThat(sql.texts("select task_uuid from tasker.get_next_ready_tasks(5, ?)",
        Instant.now().plus(Duration.ofDays(400)))).isEmpty();
  }

  @Test
  void the_priority_of_a_waiting_task_only_rises() {
    Dag.Task task = Dag.of("a").priority(5).submitted();
    String priority = "select computed_priority::text from tasker.get_task_ready_info(?, ?)";
    double now = Double.parseDouble(sql.text(priority, task.uuid(), Instant.now()));
    double later = Double
        .parseDouble(sql.text(priority, task.uuid(), Instant.now().plusSeconds(600)));
    assertThat(now).isBetween(4.9, 5.5);
    assertThat(later - now).isBetween(9.9, 10.1);
    assertThat(sql.rows("select * from tasker.get_task_ready_info(gen_random_uuid())")).isEmpty();
  }
}

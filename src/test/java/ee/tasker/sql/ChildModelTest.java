package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random lives of a parent with two children, one of which has a child itself: after each move
 * every promise holds, and nothing hangs at the end.
 */
@DatabaseTest
class ChildModelTest {
  private static final int MOVES = 25;
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Operator operator = new Operator();

  private static String call(Dag.Template child, int attempts) {
    return "{\"task\": {\"name\": \"" + child.name() + "\"}, \"retry\": {\"max_attempts\": "
        + attempts + ", \"backoff_base_ms\": 1}}";
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatever_happens_to_parent_and_children_every_promise_holds(long seed) {
    Random random = new Random(seed);
    Dag.Template leaf = Dag.of("x").maxAttempts(1).registered();
    Dag.Template middle = Dag.of("m").waitingOnly(call(leaf, 1)).step("n").dependsOn("m")
        .maxAttempts(1).registered();
    Dag.Task parent = Dag.of("s1").waitingOnly(call(leaf, 2)).step("s2")
        .waitingOnly(call(middle, 2)).step("end").dependsOn("s1", "s2")
        .started();

    for (int i = 0; i < MOVES; i++) {
      move(random, parent);
      assertThatHistoryIsSound();
    }
    // From here on all goes well, but for what is blocked.
    for (int i = 0; i < 30; i++) {
      sql.run(
          "update tasker.step_waits set due_at = armed_at where state = 'open' and due_at is not null");
      sql.run(
          "update tasker.task_wakeups w set wake_at = now() from tasker.step_waits v where v.task_uuid = w.task_uuid and v.kind = 'child_retry' and v.state = 'open'");
      worker.advance();
      worker.claim(99).forEach(claim -> worker.complete(claim.success()));
    }

    assertThat(sql.number("select count(*) from tasker.task_notices")).as("notices").isZero();
    assertThat(sql.texts(
        "select state from tasker.tasks where completed_at is null and state <> 'blocked_by_failures' and not exists ("
            + "select from tasker.step_waits w join tasker.tasks c on c.task_uuid = w.child_task_uuid "
            + "where w.task_uuid = tasks.task_uuid and w.state = 'open' and c.completed_at is null)"))
        .as("tasks that hang").isEmpty();
    assertThatHistoryIsSound();
  }

  private void move(Random random, Dag.Task parent) {
    List<UUID> tasks = sql.texts("select task_uuid from tasker.tasks order by task_uuid").stream()
        .map(UUID::fromString).toList();
    UUID any = tasks.get(random.nextInt(tasks.size()));
    switch (random.nextInt(9)) {
      case 0, 1 -> worker.claim(1).forEach(claim -> worker.complete(claim.success()));
      case 2 -> worker.claim(1).forEach(claim -> worker.complete(claim.permanentFailure()));
      case 3, 4 -> worker.advance();
      case 5 ->
        sql.object("select tasker.act_on_task(?, ?, 'ann', 'move ' || ?)", any,
            List.of("retry", "resolve", "fail").get(random.nextInt(3)),
            String.valueOf(random.nextInt()));
      case 6 -> operator.step(parent, random.nextBoolean() ? "s1" : "s2",
          List.of("reset_for_retry", "reset_for_retry", "resolve_manually").get(random.nextInt(3)));
      case 7 -> sql.object("select tasker.evaluate_tasks(array[?], null)", any);
      default -> {
        if (random.nextInt(3) == 0) {
          sql.object("select tasker.request_cancel(?, 'ann', 'not needed')", any);
        }
      }
    }
  }
}

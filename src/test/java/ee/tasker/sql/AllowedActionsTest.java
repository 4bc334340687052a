package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a document says is allowed is compared with what the actions then answer, each in a transaction that is rolled back. */
@DatabaseTest
@DatabaseTest.Covers({"get_allowed_actions", "get_allowed_step_actions", "judge_restart", "judge_end_of_task", "judge_step_action"})
class AllowedActionsTest {
  private static final List<String> TASK_ACTIONS = List.of("cancel", "compensate", "fail", "resolve", "retry");
  private static final List<String> STEP_ACTIONS = List.of("complete_manually", "reset_for_retry", "resolve_manually");

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private Set<String> told(JsonObject document) {
    Set<String> told = new TreeSet<>();
    document.getJsonArray("allowed_actions").getValuesAs(JsonString.class).forEach(action -> told.add(action.getString()));
    return told;
  }

  /** As the documents say, for the task and each of its steps. */
  private Map<String, Set<String>> said(UUID task) {
    Map<String, Set<String>> said = new TreeMap<>();
    said.put("the task", told(sql.object("select tasker.get_task_documents(array[?::uuid]) -> 0", task)));
    sql.array("select tasker.get_step_documents(?::uuid)", task).getValuesAs(JsonObject.class)
        .forEach(step -> said.put(step.getString("step_uuid"), told(step)));
    return said;
  }

  /** As the actions answer. */
  private Map<String, Set<String>> done(UUID task) {
    Map<String, Set<String>> done = new TreeMap<>();
    try (Sql trial = Sql.session()) {
      Set<String> ofTask = new TreeSet<>();
      for (String action : TASK_ACTIONS) {
        if (trial.object("select tasker.act_on_task(?, ?, 'ann', 'a trial')", task, action).getString("outcome").equals("done")) {
          ofTask.add(action);
        }
        trial.rollback();
      }
      done.put("the task", ofTask);
      for (String step : sql
          .texts("select workflow_step_uuid::text from tasker.workflow_steps where task_uuid = ? and batch_step_uuid is null", task)) {
        Set<String> ofStep = new TreeSet<>();
        for (String action : STEP_ACTIONS) {
          String data = action.equals("complete_manually") ? "{\"result\": 1}" : "{}";
          if (trial.object("select tasker.act_on_step(?, ?::uuid, ?, 'ann', 'a trial', ?::jsonb)", task, step, action, data)
              .getString("outcome").equals("done")) {
            ofStep.add(action);
          }
          trial.rollback();
        }
        done.put(step, ofStep);
      }
    }
    return done;
  }

  private void assertSaidIsDone(String when, UUID task) {
    assertThat(said(task)).as(when).isEqualTo(done(task));
  }

  @Test
  void in_every_state_what_is_allowed_is_done_and_what_is_not_allowed_is_not() {
    Dag dag = Dag.of("a").maxAttempts(2).inNamespace("allowed").step("b").dependsOn("a").step("c");
    assertSaidIsDone("pending", dag.submitted().uuid());
    Dag.Task task = dag.started();
    assertSaidIsDone("offered", task.uuid());
    worker.forNamespaces("allowed");
    List<Claim> claims = worker.claim(2);
    assertSaidIsDone("running", task.uuid());
    Claim a = claims.stream().filter(claim -> claim.step().equals(task.step("a"))).findFirst().orElseThrow();
    Claim c = claims.stream().filter(claim -> !claim.step().equals(task.step("a"))).findFirst().orElseThrow();
    worker.complete(a.retryableFailure(60_000));
    assertSaidIsDone("waiting for a retry beside a running step", task.uuid());
    worker.complete(c.permanentFailure());
    assertSaidIsDone("blocked", task.uuid());
    assertThat(said(task.uuid()).get("the task")).containsExactly("cancel", "fail", "resolve", "retry");
    assertThat(said(task.uuid()).get(task.step("b").toString())).containsExactly("complete_manually", "resolve_manually");

    sql.text("select tasker.act_on_task(?, 'fail', 'ann', 'hopeless')", task.uuid());
    assertSaidIsDone("error", task.uuid());
    assertThat(said(task.uuid()).get("the task")).containsExactly("resolve", "retry");
    sql.text("select tasker.act_on_task(?, 'resolve', 'ann', 'no matter')", task.uuid());
    assertSaidIsDone("resolved", task.uuid());

    Dag.Task cancelling = Dag.of("a").inNamespace("allowed").started();
    Claim running = worker.claimOne();
    sql.text("select tasker.request_cancel(?, 'ann', 'enough', 'allow_finish')", cancelling.uuid());
    assertSaidIsDone("a cancel was requested", cancelling.uuid());
    worker.complete(running.success());
    assertSaidIsDone("cancelled or complete", cancelling.uuid());

    Dag.Task complete = Dag.of("a").inNamespace("allowed").started();
    worker.runToTheEnd();
    assertSaidIsDone("complete", complete.uuid());
    assertThat(said(complete.uuid()).values()).allMatch(Set::isEmpty);
  }

  @Test
  void a_template_with_compensations_offers_compensate_until_it_is_asked_for_or_the_task_has_ended() {
    Dag dag = Dag.of("a").compensatedBy("undo", 2).step("b").dependsOn("a").maxAttempts(1).inNamespace("allowed");
    worker.forNamespaces("allowed");
    Dag.Task task = dag.started();
    assertSaidIsDone("offered", task.uuid());
    worker.complete(worker.claimOne().success());
    Claim b = worker.claimOne();
    assertSaidIsDone("running", task.uuid());
    assertThat(said(task.uuid()).get("the task")).containsExactly("cancel", "compensate");
    sql.text("select tasker.request_cancel(?, 'ann', 'enough')", task.uuid());
    assertSaidIsDone("a cancel without the compensation", task.uuid());
    assertThat(said(task.uuid()).get("the task")).containsExactly("compensate");
    sql.text("select tasker.act_on_task(?, 'compensate', 'ann', 'all of it')", task.uuid());
    assertSaidIsDone("a cancel with the compensation", task.uuid());
    assertThat(said(task.uuid()).get("the task")).isEmpty();
    worker.complete(b.cancelled());
    assertSaidIsDone("being compensated", task.uuid());
    worker.complete(worker.claimOne().permanentFailure());
    assertSaidIsDone("blocked by its compensation", task.uuid());

    Dag.Task blocked = dag.started();
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().permanentFailure());
    assertSaidIsDone("blocked", blocked.uuid());
    assertThat(said(blocked.uuid()).get("the task")).containsExactly("cancel", "compensate", "fail", "resolve", "retry");
    sql.text("select tasker.act_on_task(?, 'compensate', 'ann', 'undo it')", blocked.uuid());
    assertSaidIsDone("compensated by an operator", blocked.uuid());
    worker.complete(worker.claimOne().success());
    assertSaidIsDone("compensated", blocked.uuid());

    Dag.Task complete = dag.started();
    worker.runToTheEnd();
    assertSaidIsDone("complete", complete.uuid());
  }

  @Test
  void a_batch_a_replaced_task_and_random_moves_agree_as_well() {
    Dag dag = Dag.of("a").inNamespace("allowed").identity("strict").reuse("after_failure");
    Dag.Task replaced = dag.started();
    worker.forNamespaces("allowed");
    worker.complete(worker.claimOne().permanentFailure());
    sql.text("select tasker.act_on_task(?, 'fail', 'ann', 'hopeless')", replaced.uuid());
    dag.started();
    assertSaidIsDone("replaced", replaced.uuid());

    long seed = Long.getLong("allowed.seed", System.nanoTime());
    System.out.println("AllowedActionsTest seed " + seed);
    java.util.Random random = new java.util.Random(seed);
    for (int round = 0; round < 6; round++) {
      Dag.Task task = Dag.diamond().inNamespace("allowed").maxAttempts(2).started();
      for (int move = 0; move < 4; move++) {
        for (Claim claim : worker.claim(2)) {
          switch (random.nextInt(5)) {
            case 0 -> worker.complete(claim.permanentFailure());
            case 1 -> worker.complete(claim.retryableFailure(60_000));
            case 2 -> {
              /* It goes on. */ }
            default -> worker.complete(claim.success());
          }
        }
        assertSaidIsDone("round " + round + ", move " + move, task.uuid());
      }
    }
  }
}

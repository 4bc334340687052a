package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.RunRecord;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.TaskerAssertions;
import ee.tasker.testing.TestDatabase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Decisions, nested ones, batches, a deferred convergence, failures, cancels and compensations in
 * one workflow, at random: the steps that are created, those that
 * complete, those that are undone and the end of the task are those of a small model in memory. A
 * failure prints its seed.
 */
class GrownWorkflowsModelTest {
  private static final List<String> FIRST = List.of("x", "cut", "d2");
  private static final List<String> SECOND = List.of("y", "z");
  private static final Set<String> JOINED = Set.of("x", "load", "y", "z");
  private static final Set<String> COMPENSATED = Set.of("start", "x", "cut", "y", "join");

  private static final class Model {
    private final Random random;
    private final boolean compensatesFailures;
    private final int batches;
    private final int tolerate;
    private final int likelihood;
    private final Set<String> created = new TreeSet<>(Set.of("start", "d1"));
    private final Set<String> completed = new TreeSet<>();
    private int workersFailed;
    private boolean hasFailed;
    private boolean isCancelled;
    private boolean isToBeUndone;

    Model(Random random) {
      this.random = random;
      compensatesFailures = random.nextBoolean();
      batches = random.nextInt(6);
      tolerate = random.nextInt(3);
      likelihood = 3 + random.nextInt(40);
    }

    Dag dag() {
      Dag dag = Dag.of("start").maxAttempts(1).compensatedBy("undo", 1).step("d1").decision()
          .dependsOn("start").maxAttempts(1)
          .step("x").dependsOn("d1").maxAttempts(1).compensatedBy("undo", 1)
          .step("cut").batchable().dependsOn("d1").maxAttempts(1).compensatedBy("undo", 1)
          .step("load").dependsOn("cut").maxAttempts(1).compensatedBy("undo", 1)
          .batchWorker("{\"parallelism\": 50, \"failure_strategy\": \"isolate\", \"tolerate\": "
              + tolerate + "}")
          .step("d2").decision().dependsOn("d1").maxAttempts(1)
          .step("y").dependsOn("d2").maxAttempts(1).compensatedBy("undo", 1).step("z")
          .dependsOn("d2").maxAttempts(1)
          .step("join").convergence().dependsOn("x", "load", "y", "z").maxAttempts(1)
          .compensatedBy("undo", 1)
          .step("end").dependsOn("join").maxAttempts(1);
      return compensatesFailures ? dag.lifecycle("on_failure", "compensate") : dag;
    }

    private static boolean isWorker(String step) {
      return step.startsWith("load_");
    }

    private List<String> choose(List<String> among) {
      return among.stream().filter(name -> random.nextBoolean()).toList();
    }

    SqlWorker.Result result(String step, Claim claim) {
      if (random.nextInt(likelihood) == 0) {
        hasFailed |= !isWorker(step) || ++workersFailed > tolerate;
        return claim.permanentFailure();
      }
      completed.add(step);
      if (step.equals("d1") || step.equals("d2")) {
        List<String> chosen = choose(step.equals("d1") ? FIRST : SECOND);
        grow(step, chosen);
        return claim.decided(chosen.toArray(String[]::new));
      }
      if (step.equals("cut")) {
        if (!hasFailed && !isCancelled) {
          for (int i = 1; i <= batches; i++) {
            created.add("load_00" + i);
          }
        }
        return claim.batches(batches);
      }
      return claim.success();
    }

    /** What a decision brings about; the convergence once no decision above it is open. */
    private void grow(String decision, List<String> chosen) {
      if (isCancelled) {
        return;
      }
      created.addAll(chosen);
      if (chosen.contains("cut")) {
        created.add("load");
      }
      boolean isOpen = decision.equals("d1") && chosen.contains("d2");
      if (!isOpen && created.stream().anyMatch(JOINED::contains)) {
        created.add("join");
        created.add("end");
      }
    }

    void cancel(boolean compensates) {
      isCancelled = true;
      isToBeUndone |= compensates;
    }

    boolean isCompensated() {
      return isCancelled ? isToBeUndone : hasFailed && compensatesFailures;
    }

    String end() {
      return isCancelled ? "cancelled"
          : !hasFailed ? "complete" : compensatesFailures ? "error" : "blocked_by_failures";
    }

    Set<String> undone() {
      Set<String> undone = new TreeSet<>();
      if (isCompensated()) {
        completed.stream().filter(step -> COMPENSATED.contains(step) || isWorker(step))
            .forEach(step -> undone.add(step + ":compensation"));
      }
      return undone;
    }
  }

  @Property(tries = 120, shrinking = ShrinkingMode.OFF)
  void what_grows_completes_and_is_undone_is_that_of_the_model(@ForAll long seed) {
    TestDatabase.get().reset();
    Random random = new Random(seed);
    Model model = new Model(random);
    try (Sql sql = Sql.open(); SqlWorker worker = SqlWorker.open()) {
      Dag.Task task = model.dag().started();
      Set<String> undone = new TreeSet<>();
      for (List<Claim> claims = worker.claim(1 + random.nextInt(3)); !claims
          .isEmpty(); claims = worker.claim(1 + random.nextInt(3))) {
        List<Claim> mixed = new ArrayList<>(claims);
        Collections.shuffle(mixed, random);
        for (Claim claim : mixed) {
          if (random.nextInt(40) == 0) {
            boolean compensates = random.nextBoolean();
            String outcome = sql.text(
                "select tasker.request_cancel(?, 'ann', 'enough', 'allow_finish', p_compensate => ?) ->> 'outcome'",
                task.uuid(), compensates);
            if (outcome.equals("requested") || (outcome.equals("already_requested")
                && model.isCancelled && undone.isEmpty()
                && sql.number(
                    "select count(*) from tasker.tasks where task_uuid = ? and compensation is null",
                    task.uuid()) > 0)) {
              model.cancel(compensates);
            }
          }
          String name = sql
              .text(
                  "select coalesce(s.name, n.name) from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) "
                      + "where s.workflow_step_uuid = ?",
                  claim.step());
          if (name.endsWith(":compensation")) {
            undone.add(name);
            worker.complete(claim.success());
          } else {
            worker.complete(model.result(name, claim));
          }
        }
      }

      String how = "seed " + seed + ": " + sql.texts(
          "select s.state || ' ' || coalesce(s.name, n.name) from tasker.workflow_steps s "
              + "join tasker.named_steps n using (named_step_uuid) where s.task_uuid = ? order by s.step_position",
          task.uuid());
      assertThat(sql.text("select state from tasker.tasks where task_uuid = ?", task.uuid()))
          .as(how).isEqualTo(model.end());
      assertThat(names(sql, task, "s.compensates_step_uuid is null")).as("created, %s", how)
          .isEqualTo(model.created);
      assertThat(names(sql, task,
          "s.compensates_step_uuid is null and s.state = 'complete' and coalesce(s.name, n.name) <> 'load'"))
          .as("complete, %s", how).isEqualTo(model.completed);
      assertThat(undone).as("undone, %s", how).isEqualTo(model.undone());
      RunRecord.replayed(GrownWorkflowsModelTest.class,
          TaskerAssertions.assertThatHistoryIsSound());
    }
  }

  private static Set<String> names(Sql sql, Dag.Task task, String condition) {
    return new TreeSet<>(
        sql.texts(
            "select coalesce(s.name, n.name) from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) "
                + "where s.task_uuid = ? and " + condition,
            task.uuid()));
  }
}

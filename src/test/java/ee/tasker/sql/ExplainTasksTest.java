package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.EveryCause;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * The sentence of a page of tasks is that of each task alone, and the most important one of the
 * steps of its diagnosis.
 */
@DatabaseTest
@DatabaseTest.Covers({"explain_waiting_steps", "explain_tasks", "diagnose_task"})
class ExplainTasksTest {
  private static final List<String> BY_IMPORTANCE = List.of("failed", "no_server", "no_handler",
      "paused", "slot", "not_checked", "delayed",
      "cancelling", "lease_expired", "retry", "retry_due", "running", "offered", "result_submitted",
      "batch", "child", "child_retry",
      "approval", "signal", "timer", "not_started", "ready", "held_back", "parents");

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Operator ann = new Operator();
  private final List<UUID> tasks = new ArrayList<>();

  private Dag.Task keep(Dag.Task task) {
    tasks.add(task.uuid());
    return task;
  }

  private void aServer(List<String> namespaces, List<String> handlers) {
    sql.run(
        "insert into tasker.workers (worker_uuid, name, served_version, capacity, lease_expires_at, heartbeat_seconds, namespaces, handlers) "
            + "values (gen_random_uuid(), 'blue', 0, 10, now() + interval '1 hour', 900, ?, ?)",
        namespaces, handlers);
  }

  private static String alone(JsonObject step, int steps) {
    String others = steps == 1 ? "." : steps == 2 ? "; 1 other step is not done."
        : "; " + (steps - 1) + " other steps are not done.";
    return "Step " + step.getString("name") + " " + step.getString("sentence") + others;
  }

  /** From the whole diagnosis of the task, chosen here. */
  private Optional<String> chosen(UUID task) {
    String compensated = sql.text(
        "select format('The task is compensated (%s), %s of %s steps are done. ', d ->> 'cause', "
            + "d ->> 'completed_steps', d ->> 'planned_steps') from tasker.get_compensation_document(?) d where d ->> 'state' = 'running'",
        task);
    List<JsonObject> steps = sql
        .array("select coalesce(tasker.get_waiting_document(?, false, false) -> 'waiting', '[]')",
            task)
        .getValuesAs(JsonObject.class).stream()
        .filter(step -> compensated == null || step.getString("name").endsWith(":compensation"))
        .toList();
    return steps.stream().min(Comparator.comparingInt(step -> rank(step.getString("cause"))))
        .map(step -> (compensated == null ? "" : compensated) + alone(step, steps.size()));
  }

  /** What has no rank comes last. */
  private static int rank(String cause) {
    int at = BY_IMPORTANCE.indexOf(cause);
    return at < 0 ? BY_IMPORTANCE.size() : at;
  }

  private void assertThatAPageSaysWhatEachSays(String when) {
    JsonObject page = sql.object("select tasker.explain_tasks(?::uuid[])", tasks);
    Map<String, String> onThePage = new TreeMap<>();
    page.forEach((task, sentence) -> onThePage.put(task, page.getString(task)));
    Map<String, String> alone = new TreeMap<>();
    Map<String, String> chosen = new TreeMap<>();
    for (UUID task : tasks) {
      Optional.ofNullable(sql.text("select tasker.diagnose_task(?)", task))
          .ifPresent(sentence -> alone.put(task.toString(), sentence));
      chosen(task).ifPresent(sentence -> chosen.put(task.toString(), sentence));
    }
    assertThat(onThePage).as(when).isEqualTo(alone).isEqualTo(chosen);
  }

  private Set<String> causes() {
    return new TreeSet<>(
        sql.texts("select distinct cause from tasker.explain_waiting_steps(?::uuid[])", tasks));
  }

  @Test
  void a_page_and_a_task_say_the_same_of_every_cause() {
    EveryCause every = new EveryCause();
    tasks.addAll(every.tasks().values());
    tasks.add(UUID.randomUUID());

    assertThatAPageSaysWhatEachSays("every cause");

    Set<String> expected = new TreeSet<>(BY_IMPORTANCE);
    expected.add("yielded");
    assertThat(causes()).isEqualTo(expected);
    assertThat(sql.object("select tasker.explain_tasks(?::uuid[])", tasks).keySet())
        .doesNotContain(every.tasks().get("done").toString());
    assertThat(sql.text("select tasker.explain_tasks(?::uuid[])", tasks))
        .as("the value of the key is part of a context")
        .doesNotContain("Holmes");
    every.resume();
  }

  @Test
  void of_a_compensated_task_only_what_compensates_counts() {
    Dag.Task task = keep(Dag.of("a").compensatedBy("undo", 1).step("b").maxAttempts(1)
        .dependsOn("a").step("c").dependsOn("b")
        .lifecycle("on_failure", "compensate").started());
    worker.complete(worker.claim(1).get(0).success());
    worker.complete(worker.claim(1).get(0).permanentFailure());

    assertThatAPageSaysWhatEachSays("compensated");
    assertThat(sql.text("select tasker.diagnose_task(?)", task.uuid()))
        .startsWith("The task is compensated (failure)")
        .contains("Step a:compensation ").doesNotContain("other step");
  }

  @Test
  void a_page_and_a_task_say_the_same_of_random_tasks() {
    long seed = Long.getLong("explain.seed", System.nanoTime());
    System.out.println("ExplainTasksTest seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 12; i++) {
      Dag dag = Dag.of("n0").inNamespace(random.nextInt(3) == 0 ? "random_paused" : "random");
      for (int step = 1; step < 1 + random.nextInt(7); step++) {
        dag.step("n" + step);
        if (random.nextBoolean()) {
          dag.dependsOn("n" + random.nextInt(step));
        }
        dag.maxAttempts(1 + random.nextInt(2));
      }
      if (random.nextInt(3) == 0) {
        dag.continueOnError();
      }
      if (random.nextInt(4) == 0) {
        dag.policy("{\"limit\": 1}");
      }
      keep(random.nextInt(4) == 0 ? dag.submitted() : dag.started());
    }
    if (random.nextBoolean()) {
      aServer(List.of("random"), null);
    }
    worker.forNamespaces("random", "random_paused");
    for (int move = 0; move < 12; move++) {
      switch (random.nextInt(7)) {
        case 0 -> worker.advance();
        case 1 -> ann.pause("random_paused", null);
        case 2 -> sql.text("select tasker.request_cancel(?, 'me', 'x', 'allow_finish')",
            tasks.get(random.nextInt(tasks.size())));
        case 3 -> ann.task(tasks.get(random.nextInt(tasks.size())), "retry", "{}");
        default -> worker.claim(1 + random.nextInt(4)).forEach(claim -> {
          switch (random.nextInt(5)) {
            case 0 -> worker.complete(claim.permanentFailure());
            case 1 -> worker.complete(claim.retryableFailure(random.nextInt(2) * 100_000));
            case 2 -> worker.submitResults(claim.success());
            case 3 -> worker.complete(claim.success());
            default -> {
              /* It goes on. */ }
          }
        });
      }
      assertThatAPageSaysWhatEachSays("seed " + seed + ", move " + move);
    }
    ann.resume("random_paused", null);
  }
}

package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What readiness says can be handed off, what the diagnosis says is ready, and what the engine then
 * hands off are the same steps.
 */
@DatabaseTest
@DatabaseTest.Covers({"accepts_handoffs", "waits_for_slot", "get_readiness_documents",
  "get_task_headers"})
class ReadinessAgreementTest {
  private static final String READY = "select workflow_step_uuid::text from tasker.get_step_readiness_status(?, null, ?) where ready_for_execution";
  private static final String DIAGNOSED = "select workflow_step_uuid::text from tasker.explain_waiting(?, ?) where cause in ('ready', 'retry_due', 'not_started')";
  private static final String COUNTED = "select ready_steps from tasker.get_task_execution_contexts_batch(array[?]::uuid[], ?)";

  /** The document of a task that has ended has a shorter way to the same. */
  private static final String SHOWN = "select (tasker.get_task_documents(array[t.task_uuid]) -> 0 -> 'steps')::jsonb = tasker.get_readiness_documents(t.task_uuid)::jsonb "
      + "from tasker.tasks t where t.task_uuid = ?";

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private Set<String> ready(Dag.Task task, Instant now) {
    return new TreeSet<>(sql.texts(READY, task.uuid(), now));
  }

  private void assertNothingIsReady(Dag.Task task, String why) {
    Instant now = Instant.now();
    assertThat(ready(task, now)).as(why).isEmpty();
    assertThat(sql.texts(DIAGNOSED, task.uuid(), now)).as(why).isEmpty();
    assertThat(sql.number(COUNTED, task.uuid(), now)).as(why).isZero();
  }

  @Test
  void an_unvalidated_context_makes_nothing_ready() {
    assertNothingIsReady(Dag.of("a").withInputSchema().submitted(), "not checked");
  }

  @Test
  void a_pause_makes_nothing_ready() {
    Dag.Task task = Dag.of("a").submitted();
    sql.text("select tasker.pause_templates(?, ?, null, 'me', 'a pause')",
        task.template().namespace(), task.template().name());
    try {
      assertNothingIsReady(task, "paused");
    } finally {
      sql.text("select tasker.resume_templates(?, ?, null, 'me', 'over')",
          task.template().namespace(), task.template().name());
    }
    assertThat(ready(task, Instant.now())).containsExactly(task.step("a").toString());
  }

  @Test
  void a_step_that_stands_in_line_for_a_slot_is_not_ready() {
    Dag dag = Dag.of("a").policy("{\"limit\": 1}");
    Dag.Task first = dag.started();
    worker.advance();
    Dag.Task second = dag.started();
    worker.advance();

    assertThat(sql.text("select state from tasker.workflow_steps where workflow_step_uuid = ?",
        first.step("a"))).isEqualTo("enqueued");
    assertNothingIsReady(second, "waits for a slot");
  }

  @Test
  void a_failure_that_stops_the_task_makes_nothing_ready() {
    Dag.Task task = Dag.of("a").step("b").started();
    List<Claim> claims = worker.claim(2);
    worker.complete(claims.get(0).retryableFailure(1), claims.get(1).permanentFailure());

    Instant later = Instant.now().plusSeconds(60);
    assertThat(ready(task, later)).isEmpty();
    assertThat(sql.texts(DIAGNOSED, task.uuid(), later)).isEmpty();
    assertThat(sql.number(COUNTED, task.uuid(), later)).isZero();
  }

  @Test
  void a_task_is_shown_with_the_readiness_of_its_steps_in_whatever_state_it_has_ended() {
    Map<String, Dag.Task> tasks = new TreeMap<>();
    tasks.put("complete", Dag.linear(2).started());
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().success());
    tasks.put("cancelled", Dag.linear(3).started());
    worker.complete(worker.claimOne().success());
    sql.text("select tasker.request_cancel(?, 'me', 'x', 'cancel_running')",
        tasks.get("cancelled").uuid());
    for (String end : List.of("error", "resolved_manually")) {
      Dag.Task task = Dag.of("a").step("b").step("c").dependsOn("a", "b").started();
      tasks.put(end, task);
      List<Claim> claims = worker.claim(2);
      worker.complete(claims.get(0).success(), claims.get(1).permanentFailure());
      sql.text("select tasker.act_on_task(?, ?, 'me', 'x')", task.uuid(),
          end.equals("error") ? "fail" : "resolve");
    }
    worker.advance();

    tasks.forEach((state, task) -> {
      assertThat(sql.text("select state from tasker.tasks where task_uuid = ?", task.uuid()))
          .isEqualTo(state);
      assertThat(sql.isTrue(SHOWN, task.uuid())).as(state).isTrue();
    });
  }

  /**
   * Random graphs in random states, evaluated in three ways at one moment; then the engine
   * evaluates them.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void readiness_diagnosis_and_engine_agree(long seed) {
    Random random = new Random(seed);
    List<Dag.Task> tasks = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      tasks.add(task(random, i));
    }
    String pausedNamespace = "agree_paused";
    boolean paused = false;
    int seen = 0;
    for (int move = 0; move < 15; move++) {
      switch (random.nextInt(6)) {
        case 0 -> worker.advance();
        case 1 -> {
          if (paused) {
            sql.text("select tasker.resume_templates(?, null, null, 'me', 'over')",
                pausedNamespace);
          } else {
            sql.text("select tasker.pause_templates(?, null, null, 'me', 'a pause')",
                pausedNamespace);
          }
          paused = !paused;
        }
        case 2 -> sql.text("select tasker.request_cancel(?, 'me', 'x', 'allow_finish')",
            tasks.get(random.nextInt(tasks.size())).uuid());
        default -> {
          List<SqlWorker.Result> results = new ArrayList<>();
          for (Claim claim : worker.claim(1 + random.nextInt(4))) {
            int how = random.nextInt(10);
            results.add(how < 6 ? claim.success()
                : how < 9 ? claim.retryableFailure(5_000) : claim.permanentFailure());
          }
          if (!results.isEmpty()) {
            worker.complete(0, results);
          }
        }
      }
      seen += assertAgreement(tasks,
          random.nextBoolean() ? Instant.now() : Instant.now().plusSeconds(10));
    }
    if (paused) {
      sql.text("select tasker.resume_templates(?, null, null, 'me', 'over')", pausedNamespace);
    }
    assertThat(seen).as("steps that were ready at some time").isPositive();
  }

  private static Dag.Task task(Random random, int number) {
    int steps = 1 + random.nextInt(5);
    Dag dag = Dag.of("s0");
    for (int s = 1; s < steps; s++) {
      dag.step("s" + s);
      for (int parent = 0; parent < s; parent++) {
        if (random.nextInt(3) == 0) {
          dag.dependsOn("s" + parent);
        }
      }
    }
    dag.inNamespace(random.nextInt(3) == 0 ? "agree_paused" : "agree");
    if (random.nextInt(3) == 0) {
      dag.continueOnError();
    }
    if (random.nextInt(4) == 0) {
      dag.withInputSchema();
    }
    if (random.nextInt(4) == 0) {
      dag.policy("{\"limit\": 1}");
    } else if (random.nextInt(4) == 0) {
      dag.stepPolicy("{\"limit\": 1}");
    }
    return number % 2 == 0 ? dag.started() : dag.submitted();
  }

  private int assertAgreement(List<Dag.Task> tasks, Instant now) {
    int seen = 0;
    for (Dag.Task task : tasks) {
      Set<String> ready = ready(task, now);
      assertThat(new TreeSet<>(sql.texts(DIAGNOSED, task.uuid(), now)))
          .as("diagnosis of " + task.uuid()).isEqualTo(ready);
      assertThat(sql.number(COUNTED, task.uuid(), now)).as("count of " + task.uuid())
          .isEqualTo(ready.size());
      try (Sql session = Sql.session()) {
        String before = "select workflow_step_uuid::text || ' ' || attempts from tasker.workflow_steps where task_uuid = ?";
        Set<String> attempts = new TreeSet<>(session.texts(before, task.uuid()));
        session.text("select tasker.evaluate_tasks(array[?]::uuid[], null, 0, 60, ?)", task.uuid(),
            now);
        Set<String> handedOff = new TreeSet<>();
        for (String step : session.texts(before, task.uuid())) {
          if (!attempts.contains(step)) {
            handedOff.add(step.substring(0, step.indexOf(' ')));
          }
        }
        Set<String> nowInLine = new TreeSet<>(session.texts(
            "select s.workflow_step_uuid::text from tasker.workflow_steps s where s.task_uuid = ? and tasker.waits_for_slot(s)",
            task.uuid()));
        assertThat(ready).as("what the engine handed off was ready").containsAll(handedOff);
        Set<String> left = new TreeSet<>(ready);
        left.removeAll(handedOff);
        assertThat(nowInLine).as("what was ready and was not handed off has just found no slot")
            .containsAll(left);
        session.rollback();
      }
      assertThat(sql.isTrue(SHOWN, task.uuid())).as("what is shown of " + task.uuid()).isTrue();
      seen += ready.size();
    }
    return seen;
  }
}

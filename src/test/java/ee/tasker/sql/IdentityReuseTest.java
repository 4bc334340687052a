package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.TaskerAssertions;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * When another task may have the identity of an earlier one: the key {@code reuse} of a template.
 */
@DatabaseTest
class IdentityReuseTest {
  private final Sql sql = Sql.open();
  private final Operator operator = new Operator();

  private static Dag dag(String reuse) {
    return Dag.of("a").identity("strict").reuse(reuse).context("{\"order\": 1}");
  }

  private static List<JsonObject> submit(Sql session, JsonObject... requests) {
    JsonArrayBuilder array = Json.createArrayBuilder();
    List.of(requests).forEach(array::add);
    return session.object("select tasker.submit_tasks(?)", array.build()).getJsonArray("verdicts")
        .getValuesAs(JsonObject.class);
  }

  private static JsonObject submit(Sql session, Dag.Template template, Dag dag) {
    return submit(session, dag.request(template)).get(0);
  }

  private static String verdictWords(List<JsonObject> verdicts) {
    return String.join(",",
        verdicts.stream().map(verdict -> verdict.getString("verdict")).toList());
  }

  private Dag.Task task(JsonObject verdict, Dag.Template template) {
    return new Dag.Task(UUID.fromString(verdict.getString("task_uuid")), template);
  }

  /** Brings a started task of one step to that state. */
  private void bring(Dag.Task task, String state) {
    try (SqlWorker worker = SqlWorker.open()) {
      switch (state) {
        case "steps_in_process" -> {
        }
        case "complete" -> worker.runToTheEnd();
        case "cancelled" ->
          sql.text("select tasker.request_cancel(?, 'ann', 'not wanted any more')", task.uuid());
        case "blocked_by_failures" -> worker.complete(worker.claimOne().permanentFailure());
        case "error", "resolved_manually" -> {
          worker.complete(worker.claimOne().permanentFailure());
          assertThat(
              operator.task(task, state.equals("error") ? "fail" : "resolve").getString("outcome"))
              .isEqualTo("done");
        }
        default -> throw new IllegalArgumentException(state);
      }
      // Takes the message of a revoked offer off the queue.
      if (state.equals("cancelled")) {
        assertThat(worker.claim(1)).isEmpty();
      }
    }
    assertThatTask(task).isIn(state);
  }

  private Dag.Task ended(Dag dag, String state) {
    Dag.Task task = dag.started();
    bring(task, state);
    return task;
  }

  @ParameterizedTest
  @CsvSource({
    "never, complete, duplicate", "never, error, duplicate", "never, cancelled, duplicate",
    "never, resolved_manually, duplicate",
    "after_failure, steps_in_process, duplicate", "after_failure, blocked_by_failures, duplicate",
    "after_failure, complete, duplicate",
    "after_failure, resolved_manually, duplicate", "after_failure, error, created",
    "after_failure, cancelled, created",
    "after_end, steps_in_process, duplicate", "after_end, blocked_by_failures, duplicate",
    "after_end, complete, created",
    "after_end, resolved_manually, created", "after_end, error, created",
    "after_end, cancelled, created"})
  void the_state_of_the_earlier_task_and_the_rule_decide(String reuse, String state,
      String verdict) {
    Dag dag = dag(reuse);
    Dag.Task first = ended(dag, state);

    JsonObject second = submit(sql, first.template(), dag);

    assertThat(second.getString("verdict")).isEqualTo(verdict);
    if (verdict.equals("duplicate")) {
      assertThat(second.getString("task_uuid")).isEqualTo(first.uuid().toString());
      assertThat(second.getString("state")).isEqualTo(state);
      assertThat(second).doesNotContainKey("replaces_task_uuid");
    } else {
      assertThat(second.getString("task_uuid")).isNotEqualTo(first.uuid().toString());
      assertThat(second.getString("replaces_task_uuid")).isEqualTo(first.uuid().toString());
      assertThat(sql.text("select replaced_by_task_uuid from tasker.tasks where task_uuid = ?",
          first.uuid()))
          .isEqualTo(second.getString("task_uuid"));
      assertThatTask(first).isIn(state);
    }
  }

  @Test
  void neither_an_unfinished_task_nor_one_with_another_end_gives_its_identity_up() {
    Dag blocked = dag("after_failure");
    Dag.Task first = ended(blocked, "blocked_by_failures");
    assertThat(submit(sql, first.template(), blocked).getString("verdict")).isEqualTo("duplicate");
    Dag complete = blocked.context("{\"order\": 2}");
    Dag.Task second = ended(complete, "complete");
    assertThat(submit(sql, second.template(), complete).getString("verdict"))
        .isEqualTo("duplicate");
    Dag afterEnd = dag("after_end");
    Dag.Task third = ended(afterEnd, "blocked_by_failures");
    assertThat(submit(sql, third.template(), afterEnd).getString("verdict")).isEqualTo("duplicate");
  }

  @Test
  void a_template_without_the_key_keeps_its_identities() {
    Dag.Task first = ended(Dag.of("a").identity("strict"), "error");

    assertThat(sql.text("select identity_reuse from tasker.named_tasks where named_task_uuid = ?",
        first.template().uuid()))
        .isEqualTo("never");
    assertThat(submit(sql, first.template(), Dag.of("a").identity("strict")).getString("verdict"))
        .isEqualTo("duplicate");
  }

  @Test
  void a_failed_task_that_an_operator_closed_as_resolved_keeps_its_identity_after_failure() {
    Dag dag = dag("after_failure");
    Dag.Task first = ended(dag, "error");
    assertThat(operator.task(first, "resolve").getString("outcome")).isEqualTo("done");

    assertThat(submit(sql, first.template(), dag).getString("verdict")).isEqualTo("duplicate");
  }

  @Test
  void every_end_frees_the_identity_for_one_task_and_the_chain_can_be_followed() {
    Dag dag = dag("after_end");
    Dag.Task task = ended(dag, "complete");
    List<String> uuids = new ArrayList<>(List.of(task.uuid().toString()));
    for (int i = 0; i < 3; i++) {
      task = task(submit(sql, task.template(), dag), task.template());
      uuids.add(task.uuid().toString());
      assertThat(submit(sql, task.template(), dag).getString("task_uuid"))
          .isEqualTo(task.uuid().toString());
      bring(task, "complete");
    }

    assertThat(
        sql.texts(
            "with recursive run as (select task_uuid, replaced_by_task_uuid from tasker.tasks where replaces_task_uuid is null "
                + "union all select t.task_uuid, t.replaced_by_task_uuid from run r join tasker.tasks t on t.task_uuid = r.replaced_by_task_uuid and t.replaces_task_uuid = r.task_uuid) "
                + "select task_uuid from run"))
        .isEqualTo(uuids);
  }

  @ParameterizedTest
  @ValueSource(strings = {"caller_provided", "always_unique"})
  void a_key_that_the_caller_gives_follows_the_rule_too(String strategy) {
    Dag dag = Dag.of("a").identity(strategy).reuse("after_failure").option("idempotency_key", "k1");
    Dag.Task first = ended(dag, "error");

    JsonObject second = submit(sql, first.template(), dag.context("{\"other\": true}"));
    assertThat(second.getString("replaces_task_uuid")).isEqualTo(first.uuid().toString());
    assertThat(submit(sql, first.template(), dag).getString("verdict")).isEqualTo("duplicate");
  }

  @Test
  void a_key_of_a_template_whose_tasks_are_all_unique_is_no_broken_promise() {
    Dag.of("a").identity("always_unique").option("idempotency_key", "k1").started();
    Dag.of("a").identity("always_unique").started();

    TaskerAssertions.assertThatHistoryIsSound();
  }

  @Test
  void of_one_identity_twice_in_a_batch_after_an_end_the_first_is_created() {
    Dag dag = dag("after_end");
    Dag.Task first = ended(dag, "complete");
    JsonObject request = dag.request(first.template());

    List<JsonObject> verdicts = submit(sql, request,
        dag.context("{\"order\": 2}").request(first.template()), request, request);

    assertThat(verdictWords(verdicts)).isEqualTo("created,created,duplicate,duplicate");
    assertThat(verdicts.get(0).getString("replaces_task_uuid")).isEqualTo(first.uuid().toString());
    assertThat(verdicts.get(1)).doesNotContainKey("replaces_task_uuid");
    assertThat(verdicts.subList(2, 4)).allSatisfy(verdict -> {
      assertThat(verdict.getString("task_uuid")).isEqualTo(verdicts.get(0).getString("task_uuid"));
      assertThat(verdict).doesNotContainKey("replaces_task_uuid");
    });
  }

  @Test
  void a_request_that_is_refused_takes_nothing_over() {
    Dag dag = dag("after_end");
    Dag.Task first = ended(dag, "complete");

    assertThat(verdictWords(submit(sql,
        Json.createObjectBuilder(dag.request(first.template())).add("priority", 101).build())))
        .isEqualTo("invalid");

    assertThat(sql.isTrue(
        "select identity_hash is not null and replaced_by_task_uuid is null from tasker.tasks"))
        .isTrue();
  }

  @Test
  void of_two_sessions_after_an_end_one_creates_the_task() {
    twoSessionsAfterAnEnd(true, "duplicate");
  }

  @Test
  void when_the_first_of_two_sessions_after_an_end_rolls_back_the_second_creates_the_task() {
    twoSessionsAfterAnEnd(false, "created");
  }

  private void twoSessionsAfterAnEnd(boolean commits, String expected) {
    Dag dag = dag("after_end");
    Dag.Task ended = ended(dag, "complete");
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      JsonObject created = submit(first, ended.template(), dag);
      assertThat(created.getString("verdict")).isEqualTo("created");
      Sql.Later<JsonObject> waiting = second
          .later(session -> submit(session, ended.template(), dag)).untilItWaits();
      if (commits) {
        first.commit();
      } else {
        first.rollback();
      }
      JsonObject other = waiting.get();
      assertThat(other.getString("verdict")).isEqualTo(expected);
      assertThat(other.getString("task_uuid").equals(created.getString("task_uuid")))
          .isEqualTo(commits);
      second.commit();
    }
    assertThat(sql.number("select count(*) from tasker.tasks")).isEqualTo(2);
  }

  @Test
  void two_batches_in_opposite_order_after_ends_do_not_deadlock() {
    Dag dag = dag("after_end");
    Dag.Template template = dag.registered();
    JsonObject[] requests = IntStream.range(0, 20)
        .mapToObj(i -> dag.context("{\"n\": " + i + "}").request(template))
        .toArray(JsonObject[]::new);
    JsonObject[] reversed = IntStream.range(0, 20).mapToObj(i -> requests[19 - i])
        .toArray(JsonObject[]::new);
    // Half of them have an ended holder: both kinds of lock are taken.
    submit(sql, IntStream.range(0, 10).mapToObj(i -> requests[i * 2]).toArray(JsonObject[]::new));
    try (SqlWorker worker = SqlWorker.open();
        Sql first = Sql.session();
        Sql second = Sql.session()) {
      worker.runToTheEnd();
      assertThat(verdictWords(submit(first, requests))).doesNotContain("duplicate");
      Sql.Later<String> waiting = second.later(session -> verdictWords(submit(session, reversed)))
          .untilItWaits();
      first.commit();
      assertThat(waiting.get()).doesNotContain("created");
      second.commit();
    }
  }

  @Test
  void a_task_that_an_operator_takes_up_again_at_the_same_time_keeps_its_identity() {
    Dag dag = dag("after_failure");
    Dag.Task failed = ended(dag, "error");
    try (Sql person = Sql.session(); Sql client = Sql.session()) {
      assertThat(person.text("select tasker.act_on_task(?, 'retry', 'ann', 'fixed') ->> 'outcome'",
          failed.uuid())).isEqualTo("done");
      Sql.Later<JsonObject> waiting = client
          .later(session -> submit(session, failed.template(), dag)).untilItWaits();
      person.commit();
      JsonObject verdict = waiting.get();
      assertThat(verdict.getString("verdict")).isEqualTo("duplicate");
      assertThat(verdict.getString("task_uuid")).isEqualTo(failed.uuid().toString());
      assertThat(verdict.getString("state")).isEqualTo("steps_in_process");
      client.commit();
    }
  }

  @ParameterizedTest
  @CsvSource({"true, refused", "false, done"})
  void a_task_whose_identity_is_being_taken_over_is_taken_up_again_only_if_that_fails(
      boolean commits, String expected) {
    Dag dag = dag("after_failure");
    Dag.Task failed = ended(dag, "error");
    try (Sql client = Sql.session(); Sql person = Sql.session()) {
      JsonObject created = submit(client, failed.template(), dag);
      Sql.Later<JsonObject> waiting = person
          .later(session -> session.object("select tasker.act_on_task(?, 'retry', 'ann', 'fixed')",
              failed.uuid()))
          .untilItWaits();
      if (commits) {
        client.commit();
      } else {
        client.rollback();
      }
      JsonObject answer = waiting.get();
      assertThat(answer.getString("outcome")).isEqualTo(expected);
      if (commits) {
        assertThat(answer.getString("code")).isEqualTo("task-already-replaced");
        assertThat(answer.getString("message")).contains(created.getString("task_uuid"));
      }
      person.commit();
    }
    assertThat(sql.number("select count(*) from tasker.tasks where completed_at is null")).isOne();
  }

  @Test
  void a_replaced_task_is_started_again_by_no_way_and_can_be_closed() {
    Dag dag = dag("after_failure");
    Dag.Task failed = ended(dag, "error");
    assertThat(submit(sql, failed.template(), dag).getString("verdict")).isEqualTo("created");

    assertThat(operator.task(failed, "retry").getString("code")).isEqualTo("task-already-replaced");
    assertThat(operator.task(failed, "retry", "{\"context\": {\"order\": 1}}").getString("code"))
        .isEqualTo("task-already-replaced");
    assertThat(operator.task(failed, "retry_from_step", "{\"step\": \"a\"}").getString("code"))
        .isEqualTo("task-already-replaced");
    assertThatThrownBy(() -> sql.text(
        "select tasker.transition_task_state_atomic(?, 'error', 'evaluating_results', null, '{\"actor\": \"operator\"}')",
        failed.uuid()))
        .isInstanceOfSatisfying(Sql.SqlProblem.class,
            refusal -> assertThat(refusal.state()).isEqualTo("TK005"))
        .hasMessageContaining("identity");
    assertThatTask(failed).isIn("error");
    assertThat(operator.task(failed, "resolve").getString("outcome")).isEqualTo("done");
  }

  @Test
  void a_request_waits_for_a_purge_of_the_ended_task_and_then_replaces_nothing() {
    Dag dag = dag("after_end");
    Dag.Task ended = ended(dag, "complete");
    sql.text("select tasker.roll_up_analytics()");
    try (Sql purger = Sql.session(); Sql client = Sql.session()) {
      assertThat(purger.text("select tasker.purge_tasks(?)", List.of(ended.uuid())))
          .contains(ended.uuid().toString());
      Sql.Later<JsonObject> waiting = client
          .later(session -> submit(session, ended.template(), dag)).untilItWaits();
      purger.commit();
      JsonObject verdict = waiting.get();
      assertThat(verdict.getString("verdict")).isEqualTo("created");
      assertThat(verdict).doesNotContainKey("replaces_task_uuid");
      client.commit();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void either_of_two_tasks_of_one_identity_can_be_purged_first(boolean earlierFirst) {
    Dag dag = dag("after_end");
    Dag.Task first = ended(dag, "complete");
    Dag.Task second = task(submit(sql, first.template(), dag), first.template());
    bring(second, "complete");
    sql.text("select tasker.roll_up_analytics()");

    sql.text("select tasker.purge_tasks(?)", List.of((earlierFirst ? first : second).uuid()));

    TaskerAssertions.assertThatHistoryIsSound();
    // The identity is free once the task that holds it is gone; the earlier one does not get it
    // back.
    assertThat(submit(sql, first.template(), dag).containsKey("replaces_task_uuid"))
        .isEqualTo(earlierFirst);
  }

  @Test
  void submit_task_answers_with_the_new_task_after_an_end_and_refuses_a_duplicate_before() {
    Dag dag = dag("after_end");
    Dag.Task first = ended(dag, "complete");
    String submit = "select tasker.submit_task('orders', ?, '1', '{\"order\": 1}')";

    assertThat(sql.uuid(submit, first.template().name())).isNotEqualTo(first.uuid());
    assertThatThrownBy(() -> sql.uuid(submit, first.template().name()))
        .isInstanceOfSatisfying(Sql.SqlProblem.class,
            refusal -> assertThat(refusal.state()).isEqualTo("TK004"));
  }

  /**
   * Random commands against a model that knows of each identity which task has it, in which state.
   */
  @ParameterizedTest
  @ValueSource(strings = {"never", "after_failure", "after_end"})
  void verdicts_are_those_of_a_model(String reuse) {
    long seed = Long.getLong("model.seed", new Random().nextLong());
    Random random = new Random(seed);
    Set<String> frees = Map
        .of("never", Set.<String>of(), "after_failure", Set.of("error", "cancelled"),
            "after_end", Set.of("error", "cancelled", "complete", "resolved_manually"))
        .get(reuse);
    Map<Integer, Dag.Task> holders = new LinkedHashMap<>();
    Map<UUID, String> states = new LinkedHashMap<>();
    List<Dag.Task> replaced = new ArrayList<>();
    Dag.Template template = dag(reuse).registered();
    for (int command = 0; command < 120; command++) {
      String at = "again with -Dmodel.seed=" + seed + ", command " + command;
      int identity = random.nextInt(3);
      Dag.Task holder = holders.get(identity);
      String state = holder == null ? null : states.get(holder.uuid());
      switch (random.nextInt(4)) {
        case 0 -> {
          if (holder != null && state.equals("steps_in_process")
              && states.values().stream().filter("steps_in_process"::equals).count() == 1) {
            String end = List.of("complete", "error", "cancelled", "resolved_manually")
                .get(random.nextInt(4));
            bring(holder, end);
            states.put(holder.uuid(), end);
          }
        }
        case 1 -> {
          Dag.Task other = random.nextBoolean() || replaced.isEmpty() ? holder
              : replaced.get(random.nextInt(replaced.size()));
          if (other != null && states.get(other.uuid()).equals("error")) {
            String outcome = operator.task(other, "retry").getString("outcome");
            assertThat(outcome).as(at).isEqualTo(other.equals(holder) ? "done" : "refused");
            if (outcome.equals("done")) {
              states.put(other.uuid(), "steps_in_process");
            }
          }
        }
        default -> {
          boolean isFree = holder == null || frees.contains(state);
          // Only one is under way at a time, so that a worker's claim is known.
          if (isFree && states.containsValue("steps_in_process")) {
            continue;
          }
          JsonObject verdict = submit(sql, template,
              dag(reuse).context("{\"identity\": " + identity + "}"));
          assertThat(verdict.getString("verdict")).as(at)
              .isEqualTo(isFree ? "created" : "duplicate");
          if (isFree) {
            assertThat(verdict.getString("replaces_task_uuid", null)).as(at)
                .isEqualTo(holder == null ? null : holder.uuid().toString());
            if (holder != null) {
              replaced.add(holder);
            }
            Dag.Task task = task(verdict, template);
            holders.put(identity, task);
            states.put(task.uuid(), "steps_in_process");
          } else {
            assertThat(verdict.getString("task_uuid")).as(at).isEqualTo(holder.uuid().toString());
            assertThat(verdict.getString("state")).as(at).isEqualTo(state);
          }
        }
      }
    }
    states.forEach((uuid, state) -> assertThatTask(new Dag.Task(uuid, template)).isIn(state));
  }

  @Test
  void however_many_submit_at_once_while_tasks_end_each_identity_is_one_chain()
      throws InterruptedException {
    Dag dag = dag("after_end");
    Dag.Template template = dag.registered();
    JsonObject request = dag.request(template);
    AtomicBoolean isOver = new AtomicBoolean();
    List<String> created = java.util.Collections.synchronizedList(new ArrayList<>());
    List<Throwable> faults = java.util.Collections.synchronizedList(new ArrayList<>());
    Thread worker = new Thread(() -> {
      try (SqlWorker own = SqlWorker.open()) {
        while (!isOver.get()) {
          own.runToTheEnd();
        }
      } catch (RuntimeException | Error e) {
        faults.add(e);
      }
    });
    List<Thread> clients = IntStream.range(0, 4).mapToObj(client -> new Thread(() -> {
      try (Sql own = Sql.open()) {
        for (int i = 0; i < 60; i++) {
          submit(own, request, request).stream()
              .filter(verdict -> verdict.getString("verdict").equals("created"))
              .forEach(verdict -> created.add(verdict.getString("task_uuid")));
        }
      } catch (RuntimeException | Error e) {
        faults.add(e);
      }
    })).toList();
    worker.start();
    clients.forEach(Thread::start);
    for (Thread client : clients) {
      client.join();
    }
    isOver.set(true);
    worker.join();

    assertThat(faults).isEmpty();
    assertThat(created).hasSizeGreaterThan(1).doesNotHaveDuplicates();
    assertThat(sql.texts("select task_uuid from tasker.tasks"))
        .containsExactlyInAnyOrderElementsOf(created);
    assertThat(sql.number("select count(*) from tasker.tasks where replaces_task_uuid is null"))
        .as("beginnings of chains").isOne();
    assertThat(sql.number("select count(*) from tasker.tasks where identity_hash is not null"))
        .as("holders").isOne();
  }
}

package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"get_waiting_document", "explain_tasks", "get_task_history",
  "get_action_schemas"})
class ExplainWaitingTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Operator ann = new Operator();

  private String cause(Dag.Task task, String step) {
    return sql.text("select cause from tasker.explain_waiting(?) where step_name = ?", task.uuid(),
        step);
  }

  private String sentence(Dag.Task task, String step) {
    return sql.text("select sentence from tasker.explain_waiting(?) where step_name = ?",
        task.uuid(), step);
  }

  private void aServer(String name, List<String> namespaces, List<String> handlers) {
    sql.run(
        "insert into tasker.workers (worker_uuid, name, served_version, capacity, lease_expires_at, namespaces, handlers) values (?, ?, 0, 10, now() + interval '1 minute', ?, ?)",
        worker.uuid(), name, namespaces, handlers);
  }

  @Test
  void an_offer_says_who_could_take_it() {
    Dag.Task task = Dag.linear(2).started();
    assertThat(cause(task, "s1")).isEqualTo("no_server");
    aServer("elsewhere", List.of("payments"), null);
    assertThat(sentence(task, "s1")).contains("no live worker serves namespace orders");
    sql.run("update tasker.workers set namespaces = '{orders}', handlers = '{other}'");
    assertThat(cause(task, "s1")).isEqualTo("no_handler");
    sql.run("update tasker.workers set handlers = null");
    assertThat(sentence(task, "s1")).contains("none of 1 workers has claimed it yet");
    sql.run("update tasker.workers set state = 'draining'");
    assertThat(cause(task, "s1")).isEqualTo("no_server");
    assertThat(sentence(task, "s2")).isEqualTo("waits for s1 (enqueued)");
  }

  @Test
  void sentences_are_the_same_in_every_session() {
    Dag.Task offered = Dag.linear(2).started();
    Dag.Task running = Dag.of("a").inNamespace("abroad").started();
    worker.forNamespaces("abroad").claimOne();
    Dag.Task retried = Dag.of("a").inNamespace("abroad").maxAttempts(3).started();
    worker.complete(worker.claimOne().retryableFailure());
    sql.run("""
        create function pg_temp.said_abroad(p_task uuid) returns text language plpgsql
        set datestyle = 'German' set intervalstyle = 'sql_standard' set timezone = 'Asia/Tokyo' set extra_float_digits = 0 as $f$
        begin
          return concat_ws(' ', tasker.diagnose_task(p_task), (select string_agg(e.sentence, ' ') from tasker.explain_waiting(p_task) e));
        end $f$""");

    for (Dag.Task task : List.of(offered, running, retried)) {
      assertThat(sql.text("select pg_temp.said_abroad(?)", task.uuid()))
          .matches(".* 20[0-9]{2}-[0-9]{2}-[0-9]{2} .*")
          .doesNotContainPattern("[0-9]{2}\\.[0-9]{2}\\.[0-9]{4}")
          .isEqualTo(sql.text(
              "select concat_ws(' ', tasker.diagnose_task(?), (select string_agg(e.sentence, ' ') "
                  + "from tasker.explain_waiting(?) e))",
              task.uuid(), task.uuid()));
    }
  }

  @Test
  void a_page_of_tasks_is_explained_by_the_sentences_of_each() {
    Dag.Task waiting = Dag.linear(2).started();
    Dag.Task failed = Dag.of("a").inNamespace("page").started();
    worker.complete(worker.forNamespaces("page").claimOne().permanentFailure());
    Dag.Task done = Dag.of("a").inNamespace("page").started();
    worker.complete(worker.claimOne().success());

    JsonObject page = sql.object(
        "select tasker.explain_tasks(array[?, ?, ?, gen_random_uuid()]::uuid[])", waiting.uuid(),
        failed.uuid(), done.uuid());
    assertThat(page.keySet()).containsExactlyInAnyOrder(waiting.uuid().toString(),
        failed.uuid().toString());
    for (Dag.Task task : List.of(waiting, failed)) {
      assertThat(page.getString(task.uuid().toString()))
          .isEqualTo(sql.text("select tasker.diagnose_task(?)", task.uuid()));
    }
    assertThat(sql.object("select tasker.explain_tasks('{}')")).isEmpty();
  }

  @Test
  void a_running_step_says_where_and_since_when() {
    aServer("blue-1", null, null);
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    assertThat(sentence(task, "a")).startsWith("has been running on blue-1 since ")
        .contains("with a lease until");
    sql.text("select tasker.request_cancel(?, 'bob', 'why not')", task.uuid());
    assertThat(sentence(task, "a")).contains("bob requested").contains("cancel_running");
    sql.run(
        "update tasker.workflow_steps set lease_expires_at = clock_timestamp() - interval '1 s'");
    assertThat(cause(task, "a")).isEqualTo("lease_expired");
    worker.complete(claim.success());
    assertThat(sql.rows("select * from tasker.explain_waiting(?)", task.uuid()))
        .as("a finished task waits for nothing").isEmpty();
  }

  @Test
  void failures_say_what_they_hold_back() {
    Dag.Task task = Dag.of("a").step("b").step("c").dependsOn("b").started();
    worker.complete(0, worker.claim(2).stream()
        .map(c -> c.step().equals(task.step("a")) ? c.permanentFailure() : c.success()).toList());
    assertThat(sentence(task, "a")).isEqualTo(
        "failed permanently at attempt 1: Test: as the test wants it; an operator must act");
    assertThat(sentence(task, "c")).isEqualTo("is blocked because a failed; an operator must act");
  }

  @Test
  void retries_pauses_and_results_on_their_way_are_told() {
    Dag.Task task = Dag.of("a").inNamespace("waiting").step("b").step("c").started();
    List<Claim> claims = worker.forNamespaces("waiting").claim(3);
    worker.complete(claims.get(0).retryableFailure(60_000), claims.get(1).retryableFailure(0));
    worker.submitResults(claims.get(2).success());
    assertThat(sql.texts("select cause from tasker.explain_waiting(?) order by cause", task.uuid()))
        .containsExactly("result_submitted",
            "retry",
            "retry_due");
    ann.pause("waiting", null);
    assertThat(sql.texts("select cause from tasker.explain_waiting(?) order by cause", task.uuid()))
        .containsExactly("paused",
            "result_submitted", "retry");
    assertThat(sql.text("select sentence from tasker.explain_waiting(?) where cause = 'paused'",
        task.uuid()))
        .startsWith("ann paused the namespace at ").endsWith(": " + Operator.REASON);
    ann.resume("waiting", null);
  }

  @Test
  void a_task_that_was_not_started_says_so() {
    assertThat(cause(Dag.of("a").submitted(), "a")).isEqualTo("not_started");
    assertThat(cause(Dag.of("a").withInputSchema().submitted(), "a")).isEqualTo("not_checked");
    Dag.Task task = Dag.parallel(2).started();
    worker.complete(0, worker.claim(2).stream().map(Claim::permanentFailure).toList());
    ann.step(task, "p1", "reset_for_retry");
    assertThat(cause(task, "p1")).isEqualTo("held_back");
    JsonObject document = sql.object("select tasker.get_waiting_document(?)", task.uuid());
    assertThat(document.getString("state")).isEqualTo("blocked_by_failures");
    assertThat(document.getJsonArray("waiting")).hasSize(2);
    assertThat(sql.text("select tasker.get_waiting_document(gen_random_uuid())")).isNull();
  }

  @Test
  void who_waits_for_a_slot_says_which_and_who_holds_it() {
    Dag dag = Dag.of("a").stepPolicy("{\"limit\": 1}").inNamespace("slots");
    Dag.Task first = dag.started();
    Dag.Task second = dag.started();
    worker.advance();
    assertThat(cause(first, "a")).isEqualTo("no_server");
    assertThat(cause(second, "a")).isEqualTo("slot");
    assertThat(sentence(second, "a")).contains("one of the 1 slots").contains("/a")
        .endsWith("held by task " + first.uuid());
    Dag.Task third = dag.started();
    worker.advance();
    assertThat(sql.number(
        "select (details ->> 'place')::int from tasker.explain_waiting(?) where step_name = 'a'",
        second.uuid()))
        .isEqualTo(1);
    assertThat(sql.number(
        "select (details ->> 'place')::int from tasker.explain_waiting(?) where step_name = 'a'",
        third.uuid()))
        .isEqualTo(2);
    assertThat(sql.isTrue(
        "select exists (select from tasker.explain_waiting(?) e join tasker.concurrency_policies p "
            + "on p.policy_uuid::text = e.details ->> 'policy_uuid' where e.step_name = 'a')",
        third.uuid())).isTrue();
    worker.at(Instant.now().plusSeconds(7200)).advance();
    assertThat(
        sql.number("select count(*) from tasker.tasks_dlq where task_uuid = ?", second.uuid()))
        .as("and no failure is recorded")
        .isZero();
    worker.at(null).forNamespaces("slots").runToTheEnd();
    worker.advance();
    worker.runToTheEnd();
    worker.advance();
    worker.runToTheEnd();
  }

  @Test
  void everything_that_waits_always_has_a_sentence() {
    long seed = System.nanoTime();
    Random luck = new Random(seed);
    for (int round = 0; round < 12; round++) {
      Dag dag = Dag.of("n0");
      for (int i = 1; i < 8; i++) {
        dag.step("n" + i);
        if (luck.nextBoolean()) {
          dag.dependsOn("n" + luck.nextInt(i));
        }
        dag.maxAttempts(1 + luck.nextInt(2));
      }
      if (luck.nextBoolean()) {
        dag.continueOnError();
      }
      Dag.Task task = luck.nextInt(5) == 0 ? dag.submitted() : dag.started();
      for (int i = 0; i < 14; i++) {
        switch (luck.nextInt(9)) {
          case 0, 1, 2 -> worker.claim(1 + luck.nextInt(3)).forEach(claim -> {
            switch (luck.nextInt(5)) {
              case 0 -> worker.complete(claim.permanentFailure());
              case 1 -> worker.complete(claim.retryableFailure(luck.nextInt(2) * 100_000));
              case 2 -> worker.submitResults(claim.success());
              case 3 -> worker.complete(claim.success());
              default -> sql.text("select 1");
            }
          });
          case 3 -> worker.at(Instant.now().plusSeconds(luck.nextInt(100))).advance();
          case 4 -> ann.task(task, List.of("retry", "fail", "resolve").get(luck.nextInt(3)));
          case 5 -> ann.step(task, "n" + luck.nextInt(8),
              List.of("resolve_manually", "reset_for_retry").get(luck.nextInt(2)));
          case 6 -> ann.pause("orders", task.template().name());
          case 7 -> ann.resume("orders", task.template().name());
          default -> {
            if (luck.nextInt(4) == 0) {
              sql.text("select tasker.request_cancel(?, 'luck', 'luck')", task.uuid());
            }
          }
        }
        worker.at(null);
        assertThat(sql.texts(
            "select s.workflow_step_uuid || ' ' || s.state from tasker.workflow_steps s join tasker.tasks t using (task_uuid) "
                + "where s.task_uuid = ? and t.completed_at is null and s.state not in ('complete', 'resolved_manually', 'cancelled') "
                + "except select e.workflow_step_uuid || ' ' || e.state from tasker.explain_waiting(?) e where length(e.sentence) > 10 and e.cause is not null and e.details is not null",
            task.uuid(), task.uuid())).as("seed " + seed).isEmpty();
        assertThat(sql.isTrue(
            "select t.completed_at is not null or exists (select from tasker.explain_waiting(t.task_uuid)) from tasker.tasks t where t.task_uuid = ?",
            task.uuid()))
            .as("an unfinished task has a reason, seed " + seed).isTrue();
      }
      ann.resume("orders", task.template().name());
    }
  }

  @Test
  void the_history_of_a_task_is_in_its_order() {
    Dag.Task task = Dag.of("a").started();
    worker.complete(worker.claimOne().permanentFailure());
    ann.step(task, "a", "reset_for_retry");
    worker.runToTheEnd();
    JsonArray history = sql.array("select tasker.get_task_history(?)", task.uuid());
    List<String> told = history.getValuesAs(JsonObject.class).stream()
        .map(e -> e.getString("kind") + " "
            + e.getString("to_state",
                e.getString("action", e.getString("outcome", e.getString("reason", "")))))
        .toList();
    assertThat(told).containsSubsequence("step in_progress", "result permanent_failure",
        "step error",
        "dead_letter_opened permanent_failure",
        "task blocked_by_failures", "action reset_for_retry", "step pending", "step enqueued",
        "step complete", "task complete");
    assertThat(told).contains("dead_letter_closed the task is no longer blocked");
    assertThat(sql.text("select tasker.get_task_history(gen_random_uuid())")).isEqualTo("[]");
    assertThat(sql.text("select tasker.get_action_schemas(?, ?) ->> 'result_schema'", task.uuid(),
        task.step("a"))).isNull();
    assertThat(sql.text("select tasker.get_action_schemas(?, gen_random_uuid())", task.uuid()))
        .isNull();
  }
}

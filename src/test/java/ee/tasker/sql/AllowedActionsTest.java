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

/**
 * What a document says is allowed is compared with what the actions then answer, each in a
 * transaction that is rolled back.
 */
@DatabaseTest
@DatabaseTest.Covers({"get_allowed_actions", "get_allowed_step_actions", "judge_restart",
  "judge_end_of_task", "judge_step_action",
  "judge_fork",
  "judge_signal", "judge_webhook_action", "judge_delivery_action", "judge_schedule_action",
  "judge_dlq_update", "get_drained_state",
  "get_allowed_worker_actions"})
class AllowedActionsTest {
  private static final List<String> TASK_ACTIONS = List.of("cancel", "compensate", "fail",
      "resolve", "retry");
  private static final List<String> STEP_ACTIONS = List.of("complete_manually", "reset_for_retry",
      "resolve_manually");

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private Set<String> told(JsonObject document) {
    Set<String> told = new TreeSet<>();
    document.getJsonArray("allowed_actions").getValuesAs(JsonString.class)
        .forEach(action -> told.add(action.getString()));
    return told;
  }

  /** As the documents say, for the task and each of its steps. */
  private Map<String, Set<String>> said(UUID task) {
    Map<String, Set<String>> said = new TreeMap<>();
    said.put("the task",
        told(sql.object("select tasker.get_task_documents(array[?::uuid]) -> 0", task)));
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
        if (trial.object("select tasker.act_on_task(?, ?, 'ann', 'a trial')", task, action)
            .getString("outcome").equals("done")) {
          ofTask.add(action);
        }
        trial.rollback();
      }
      if (trial
          .object(
              "select tasker.fork_task(?, 'ann', 'a trial', jsonb_build_object('from', jsonb_build_array((select workflow_step_uuid "
                  + "from tasker.workflow_steps where task_uuid = ? order by step_position limit 1))))",
              task, task)
          .getString("outcome")
          .equals("done")) {
        ofTask.add("fork");
      }
      trial.rollback();
      if (trial.object(
          "select tasker.send_signals(array[?], coalesce((select min(n.wait_for ->> 'name') from tasker.tasks t "
              + "join tasker.named_tasks_named_steps n using (named_task_uuid) where t.task_uuid = ? and n.wait_for ->> 'kind' = 'signal'), 'none')) "
              + "#> '{signals,0}'",
          task, task).getString("outcome").equals("accepted")) {
        ofTask.add("signal");
      }
      trial.rollback();
      done.put("the task", ofTask);
      for (String step : sql
          .texts(
              "select workflow_step_uuid::text from tasker.workflow_steps where task_uuid = ? and batch_step_uuid is null",
              task)) {
        Set<String> ofStep = new TreeSet<>();
        for (String action : STEP_ACTIONS) {
          String data = action.equals("complete_manually") ? "{\"result\": 1}" : "{}";
          if (trial
              .object("select tasker.act_on_step(?, ?::uuid, ?, 'ann', 'a trial', ?::jsonb)", task,
                  step, action, data)
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
    Claim a = claims.stream().filter(claim -> claim.step().equals(task.step("a"))).findFirst()
        .orElseThrow();
    Claim c = claims.stream().filter(claim -> !claim.step().equals(task.step("a"))).findFirst()
        .orElseThrow();
    worker.complete(a.retryableFailure(60_000));
    assertSaidIsDone("waiting for a retry beside a running step", task.uuid());
    worker.complete(c.permanentFailure());
    assertSaidIsDone("blocked", task.uuid());
    assertThat(said(task.uuid()).get("the task")).containsExactly("cancel", "fail", "fork",
        "resolve", "retry");
    assertThat(said(task.uuid()).get(task.step("b").toString()))
        .containsExactly("complete_manually", "resolve_manually");

    sql.text("select tasker.act_on_task(?, 'fail', 'ann', 'hopeless')", task.uuid());
    assertSaidIsDone("error", task.uuid());
    assertThat(said(task.uuid()).get("the task")).containsExactly("fork", "resolve", "retry");
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
    assertThat(said(complete.uuid())).containsEntry("the task", Set.of("fork"))
        .containsEntry(complete.step("a").toString(), Set.of());
  }

  @Test
  void a_template_with_compensations_offers_compensate_until_it_is_asked_for_or_the_task_has_ended() {
    Dag dag = Dag.of("a").compensatedBy("undo", 2).step("b").dependsOn("a").maxAttempts(1)
        .inNamespace("allowed");
    worker.forNamespaces("allowed");
    Dag.Task task = dag.started();
    assertSaidIsDone("offered", task.uuid());
    worker.complete(worker.claimOne().success());
    Claim b = worker.claimOne();
    assertSaidIsDone("running", task.uuid());
    assertThat(said(task.uuid()).get("the task")).containsExactly("cancel", "compensate", "fork");
    sql.text("select tasker.request_cancel(?, 'ann', 'enough')", task.uuid());
    assertSaidIsDone("a cancel without the compensation", task.uuid());
    assertThat(said(task.uuid()).get("the task")).containsExactly("compensate", "fork");
    sql.text("select tasker.act_on_task(?, 'compensate', 'ann', 'all of it')", task.uuid());
    assertSaidIsDone("a cancel with the compensation", task.uuid());
    assertThat(said(task.uuid()).get("the task")).containsExactly("fork");
    worker.complete(b.cancelled());
    assertSaidIsDone("being compensated", task.uuid());
    worker.complete(worker.claimOne().permanentFailure());
    assertSaidIsDone("blocked by its compensation", task.uuid());

    Dag.Task blocked = dag.started();
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().permanentFailure());
    assertSaidIsDone("blocked", blocked.uuid());
    assertThat(said(blocked.uuid()).get("the task")).containsExactly("cancel", "compensate", "fail",
        "fork", "resolve", "retry");
    sql.text("select tasker.act_on_task(?, 'compensate', 'ann', 'undo it')", blocked.uuid());
    assertSaidIsDone("compensated by an operator", blocked.uuid());
    worker.complete(worker.claimOne().success());
    assertSaidIsDone("compensated", blocked.uuid());

    Dag.Task complete = dag.started();
    worker.runToTheEnd();
    assertSaidIsDone("complete", complete.uuid());
  }

  @Test
  void a_task_takes_signals_until_it_ends_or_is_cancelled_and_no_fork_of_a_grown_task_is_made() {
    Dag dag = Dag.of("pay").waitingOnly("{\"signal\": {\"name\": \"payment\"}}").step("b")
        .dependsOn("pay").inNamespace("allowed");
    Dag.Task task = dag.started();
    assertSaidIsDone("waits for a signal", task.uuid());
    assertThat(said(task.uuid()).get("the task")).containsExactly("cancel", "fork", "signal");
    sql.text("select tasker.send_signals(array[?], 'payment')", task.uuid());
    assertSaidIsDone("the signal has come, and another one may", task.uuid());
    worker.forNamespaces("allowed");
    Claim b = worker.claimOne();
    sql.text("select tasker.request_cancel(?, 'ann', 'enough', 'allow_finish')", task.uuid());
    assertSaidIsDone("is being cancelled", task.uuid());
    worker.complete(b.success());
    assertSaidIsDone("has ended", task.uuid());

    Dag.Task grown = Dag.linear(2).inNamespace("allowed").started();
    worker.claimOne();
    sql.object("select tasker.add_steps(?, ?, ?)", grown.uuid(),
        "[{\"name\": \"w1\", \"step\": \"s1\"}]",
        "[{\"from\": \"s1\", \"to\": \"w1\"}, {\"from\": \"w1\", \"to\": \"s2\"}]");
    assertSaidIsDone("grown", grown.uuid());
    assertThat(said(grown.uuid()).get("the task")).containsExactly("cancel");
  }

  // ---- Other objects

  private static final String WEBHOOK = "{\"name\": \"books\", \"url\": \"https://books.example.com/\", \"secret\": \"whsec_x\", "
      + "\"from\": \"beginning\", \"timeout_seconds\": 15, \"max_attempts\": 1, \"max_in_flight\": 4, \"backoff_seconds\": 3600, "
      + "\"backoff_cap_seconds\": 3600, \"pause_after_hours\": 24}";

  /** What the action answers in a transaction that is rolled back. */
  private String outcome(String call, Object... arguments) {
    try (Sql trial = Sql.session()) {
      return trial.object(call, arguments).getString("outcome");
    }
  }

  private Set<String> doneOf(List<String> actions,
      java.util.function.Function<String, String> outcome, String... asDone) {
    Set<String> done = new TreeSet<>();
    actions.stream().filter(action -> Set.of(asDone).contains(outcome.apply(action)))
        .forEach(done::add);
    return done;
  }

  @Test
  void a_webhook_and_its_deliveries_allow_what_their_actions_do() {
    UUID webhook = UUID.fromString(sql
        .object("select tasker.save_webhook(?, 'ann', 'test')", WEBHOOK).getString("webhook_uuid"));
    for (String move : List.of("", "pause", "resume")) {
      if (!move.isEmpty()) {
        sql.text("select tasker.change_webhook(?, ?, 'ann', 'test')", webhook, move);
      }
      JsonObject document = sql.object(
          "select tasker.get_webhook_documents(jsonb_build_object('webhook_uuid', ?::uuid)) -> 'webhooks' -> 0",
          webhook);
      Set<String> done = doneOf(
          List.of("delete", "pause", "ping", "replay", "resume", "rotate_secret"),
          action -> outcome("select tasker.change_webhook(?, ?, 'ann', 'a trial', "
              + "'{\"from\": \"beginning\", \"secret\": \"whsec_y\", \"overlap_seconds\": 0}')",
              webhook, action),
          "done");
      if (Set.of("updated")
          .contains(outcome(
              "select tasker.save_webhook(?::jsonb || '{\"max_attempts\": 7}', 'ann', 'a trial', ?, ?)",
              WEBHOOK,
              webhook, document.getInt("version")))) {
        done.add("update");
      }
      assertThat(told(document)).as("after " + move).isEqualTo(done)
          .contains(move.equals("pause") ? "resume" : "pause")
          .doesNotContain(move.equals("pause") ? "pause" : "resume");
    }

    Dag.of("a").publishes("[{\"name\": \"paid\"}]").inNamespace("allowed").started(4);
    worker.forNamespaces("allowed").runToTheEnd();
    List<String> claimed = sql.texts(
        "select d::text from jsonb_array_elements(tasker.claim_deliveries(?, 3) -> 'deliveries') d",
        worker.uuid());
    for (int status : List.of(200, 500)) {
      sql.text(
          "select tasker.settle_deliveries(jsonb_build_array(?::jsonb || jsonb_build_object('status', ?::int)))",
          claimed.get(status == 200 ? 0 : 1), status);
    }
    sql.text("select tasker.change_webhook(?, 'ping', 'ann', 'test')", webhook);
    Map<String, Set<String>> seen = new TreeMap<>();
    for (JsonObject delivery : sql.object("select tasker.list_webhook_deliveries(?)", webhook)
        .getJsonArray("deliveries")
        .getValuesAs(JsonObject.class)) {
      seen.put(delivery.getString("state"), told(delivery));
      assertThat(told(delivery)).as(delivery.getString("state"))
          .isEqualTo(doneOf(List.of("discard", "retry"),
              action -> outcome("select tasker.change_delivery(?, ?::uuid, ?, 'ann', 'a trial')",
                  webhook, delivery.getString("delivery_uuid"), action),
              "done"));
    }
    assertThat(seen).isEqualTo(Map.of("dead", Set.of("discard", "retry"), "delivered", Set.of(),
        "in_flight", Set.of(), "pending", Set.of("discard")));
  }

  @Test
  void a_schedule_allows_what_its_actions_do() {
    Dag.Template template = Dag.of("a").inNamespace("allowed").registered();
    UUID schedule = UUID.fromString(sql
        .object(
            "select tasker.save_schedule(jsonb_build_object('namespace', 'allowed', 'name', 'nightly', 'template_name', ?::text, "
                + "'context', '{}'::jsonb, 'every_seconds', 86400, 'zone', 'UTC', 'anchor_at', now(), 'jitter_seconds', 0, 'overlap', 'skip', "
                + "'catch_up', 'last', 'catch_up_seconds', 86400, 'pause_after_failures', 10, 'next_fire_at', now() + interval '1 day', "
                + "'next_due_at', now() + interval '1 day'), 'ann', 'test')",
            template.name())
        .getString("schedule_uuid"));
    for (String move : List.of("", "pause", "resume")) {
      if (!move.isEmpty()) {
        sql.text("select tasker.change_schedule(?, ?, 'ann', 'test', jsonb_build_object('version', "
            + "(select version from tasker.schedules where schedule_uuid = ?)))", schedule, move,
            schedule);
      }
      JsonObject document = sql
          .object(
              "select tasker.get_schedule_documents(jsonb_build_object('schedule_uuid', ?::uuid)) -> 'schedules' -> 0",
              schedule);
      Set<String> done = doneOf(List.of("delete", "pause", "resume"), action -> outcome(
          "select tasker.change_schedule(?, ?, 'ann', 'a trial', jsonb_build_object('version', ?::int))",
          schedule, action, document.getInt("version")), "done");
      if (outcome("select tasker.trigger_schedule(?, 'ann', 'a trial')", schedule)
          .equals("started")) {
        done.add("trigger");
      }
      if (outcome(
          "select tasker.start_backfill(?, now() - interval '1 day', now() - interval '1 hour', 'allow', 'ann', 'a trial')",
          schedule)
          .equals("created")) {
        done.add("backfill");
      }
      done.add("update");
      assertThat(told(document)).as("after " + move).isEqualTo(done)
          .contains(move.equals("pause") ? "resume" : "pause")
          .doesNotContain(move.equals("pause") ? "pause" : "resume");
    }
  }

  @Test
  void a_dead_letter_a_parked_message_and_a_worker_allow_what_their_actions_do() {
    Dag.Task task = Dag.of("a").inNamespace("allowed").started();
    worker.complete(worker.forNamespaces("allowed").claimOne().permanentFailure());
    UUID entry = sql.uuid("select dlq_entry_uuid from tasker.tasks_dlq where task_uuid = ?",
        task.uuid());
    for (boolean isOpen : new boolean[]{true, false}) {
      assertThat(
          told(sql.object(
              "select tasker.get_dlq_documents(jsonb_build_object('dlq_entry_uuid', ?::uuid)) -> 'entries' -> 0",
              entry)))
          .isEqualTo(doneOf(List.of("update"),
              action -> outcome("select tasker.update_dlq_entry(?, 'cancelled', 'bob', 'a trial')",
                  entry),
              "done"))
          .hasSize(isOpen ? 1 : 0);
      sql.text("select tasker.update_dlq_entry(?, 'manually_resolved', 'ann', 'looked into')",
          entry);
    }

    UUID message = sql.uuid(
        "insert into tasker.dead_messages (queue_name, msg_id, read_ct, enqueued_at, cause, message) "
            + "values ('orchestration_step_results', 1, 9, now(), 'a test', '{}') returning dead_message_uuid");
    for (boolean isParked : new boolean[]{true, false}) {
      assertThat(told(sql.object(
          "select m from jsonb_array_elements(tasker.list_dead_messages(null, true) -> 'messages') m "
              + "where m ->> 'dead_message_uuid' = ?::text",
          message.toString())))
          .isEqualTo(doneOf(List.of("replay"),
              action -> outcome("select tasker.replay_dead_message(?, 'ann')", message), "done"))
          .hasSize(isParked ? 1 : 0);
      sql.text("select tasker.replay_dead_message(?, 'ann')", message);
    }

    for (String state : List.of("healthy", "draining", "stopped")) {
      UUID external = sql.uuid(
          "insert into tasker.workers (worker_uuid, name, served_version, capacity, lease_expires_at, state) "
              + "values (gen_random_uuid(), ?, 0, 10, now() + interval '1 minute', ?::tasker.worker_state) returning worker_uuid",
          "ext-" + state, state);
      try (Sql trial = Sql.session()) {
        trial.text("select tasker.drain_worker(?)", external);
        boolean changes = !trial
            .text("select state from tasker.workers where worker_uuid = ?", external).equals(state);
        assertThat(told(sql.object("select tasker.get_worker_documents(?)", external))).as(state)
            .isEqualTo(changes ? Set.of("drain") : Set.of());
      }
    }
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

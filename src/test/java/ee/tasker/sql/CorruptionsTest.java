package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Reports;
import ee.tasker.testing.SingleMoves;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * A healthy database with tasks of every kind, damaged in one way after another, each time in a
 * transaction that is rolled back: what does the check say?
 * What was seen here is the table in target/reports/corruptions.md.
 */
@DatabaseTest
@DatabaseTest.BreaksPromises
@DatabaseTest.Covers({"find_template_violations", "find_graph_violations",
  "find_identity_violations", "find_state_violations",
  "find_time_violations", "find_document_violations",
  "find_tally_violations", "find_worker_violations", "find_setting_violations", "find_cyclic_nodes",
  "hash_documents", "hash_approval",
  "hash_signal",
  "hash_idempotent_response", "hash_step_definition", "stamp_document_hash"})
class CorruptionsTest {
  private static final Pattern PLACE = Pattern.compile("\\{([a-z]\\w*)(?:\\.([\\w:]+))?}");
  private static final Pattern GUARD = Pattern.compile("constraint \"(\\w+)\"");

  private final Map<String, Dag.Task> tasks = new LinkedHashMap<>();
  private final Map<String, UUID> steps = new TreeMap<>();
  /** One for all of a kind: its plans and catalogs are made once. Each corruption is rolled back. */
  private final Sql guarded = session("origin");
  /** Past triggers and foreign keys: to change that in between would make all plans again. */
  private final Sql past = session("replica");

  private static Sql session(String role) {
    Sql sql = Sql.session();
    sql.run("set session_replication_role = " + role);
    sql.run("set plan_cache_mode = force_generic_plan");
    sql.commit();
    return sql;
  }

  /**
   * Finished, running, blocked, cancelled, waiting and given-up tasks, with results, retries,
   * checkpoints, slots and what operators did.
   */
  private void makeDatabase() {
    Operator operator = new Operator();
    try (SqlWorker worker = SqlWorker.open(); Sql sql = Sql.open()) {
      Dag.Task done = add("done",
          Dag.linear(3).identity("strict")
              .searchAttributes("{\"order\": \"order\", \"customer\": \"customer.id\"}")
              .context("{\"order\": 1}").backoff("none", 1, 1));
      complete(worker, done, "s1", "{\"total\": 12}");
      worker.complete(claim(worker, done, "s2").retryableFailure(0));
      worker.advance();
      complete(worker, done, "s2", "{\"total\": 13}");
      complete(worker, done, "s3", "{}");

      String account = "{\"properties\": {\"iban\": {\"x-sealed\": true}}}";
      String envelope = "{\"iban\": {\"$sealed\": {\"key\": \"k\", \"data\": \"\"}}}";
      Dag.Task sealed = add("sealed", Dag.of("a").resultSchema(account));
      complete(worker, sealed, "a", envelope);
      add("sealed_in", Dag.of("a").inputSchema(account).context(envelope));

      Dag.Task exhausted = add("exhausted",
          Dag.of("a").maxAttempts(1).slaMinutes(600).step("b").dependsOn("a"));
      worker.complete(claim(worker, exhausted, "a").retryableFailure());
      Dag.Task blocked = add("blocked", Dag.linear(2).context("{\"order\": 2}"));
      worker.complete(claim(worker, blocked, "s1").permanentFailure());
      Dag.Task failed = add("failed", Dag.linear(2));
      worker.complete(claim(worker, failed, "s1").permanentFailure());
      assertThat(operator.task(failed, "fail").getString("outcome")).isEqualTo("done");
      Dag.Task repaired = add("repaired", Dag.linear(3));
      worker.complete(claim(worker, repaired, "s1").permanentFailure());
      operator.step(repaired, "s1", "reset_for_retry", "{\"inputs\": {\"card\": \"tok_2\"}}");
      complete(worker, repaired, "s1", "{\"paid\": true}");
      worker.complete(claim(worker, repaired, "s2").permanentFailure());
      operator.step(repaired, "s2", "complete_manually", "{\"result\": {\"by\": \"hand\"}}");
      complete(worker, repaired, "s3", "{}");
      Dag.Task returned = add("returned", Dag.of("a"));
      Claim unstarted = claim(worker, returned, "a");
      sql.text(
          "select tasker.release_steps(jsonb_build_array(jsonb_build_object('step_uuid', ?::uuid, 'task_uuid', ?::uuid, 'handoff', 1)), ?)",
          unstarted.step(), unstarted.task(), worker.uuid());
      complete(worker, returned, "a", "{}");
      Dag.Task cancelled = add("cancelled", Dag.linear(2));
      sql.text("select tasker.request_cancel(?, 'ann', 'not wanted any more')", cancelled.uuid());
      assertThat(worker.forNamespaces("cancelled").claim(1))
          .as("takes the message of the offer off the queue").isEmpty();
      Dag.Task erased = add("erased", Dag.linear(1).context("{\"order\": 3}"));
      complete(worker, erased, "s1", "{\"total\": 14}");
      assertThat(sql.object("select tasker.erase_task_documents(?, 'dora', 'request 17')",
          erased.uuid()).getString("outcome")).isEqualTo("done");
      Dag.Task waiting = add("waiting", Dag.linear(2));
      worker.complete(claim(worker, waiting, "s1").retryableFailure(3_600_000));

      Dag once = Dag.of("a").identity("strict").reuse("after_failure").inNamespace("replaced");
      tasks.put("replaced", once.started());
      worker.complete(claim(worker, tasks.get("replaced"), "a").permanentFailure());
      assertThat(operator.task(tasks.get("replaced"), "fail").getString("outcome"))
          .isEqualTo("done");
      tasks.put("successor", once.started());

      Dag.Task running = add("running", Dag.diamond());
      complete(worker, running, "a", "{}");
      // Which of the two comes first is for their uuids to say, which are in no order within a
      // millisecond before PostgreSQL 18.
      sql.run(
          "update pgmq.q_worker_running_queue set vt = now() + interval '1 hour' where (message ->> 'step_uuid')::uuid = ?",
          running.step("c"));
      Claim held = claim(worker, running, "b");
      sql.run("update pgmq.q_worker_running_queue set vt = enqueued_at");
      sql.text("select tasker.save_checkpoint(?, ?, '{\"row\": 7}')", held.step(), held.handoff());
      Dag.Task grown = add("grown", Dag.linear(2));
      Claim growing = claim(worker, grown, "s1");
      assertThat(sql.object("select tasker.add_steps(?, ?, ?)", grown.uuid(),
          "[{\"name\": \"w1\", \"step\": \"s1\"}, {\"name\": \"w2\", \"step\": \"s1\"}]",
          "[{\"from\": \"s1\", \"to\": \"w1\"}, {\"from\": \"s1\", \"to\": \"w2\"}, {\"from\": \"w1\", \"to\": \"s2\"}, {\"from\": \"w2\", \"to\": \"s2\"}]")
          .getString("outcome")).isEqualTo("done");
      worker.complete(growing.success("{}"));
      Dag.Task decided = add("decided",
          Dag.of("a").step("route").dependsOn("a").decision().step("x").dependsOn("route").step("y")
              .dependsOn("route")
              .step("end").dependsOn("x", "y").convergence());
      complete(worker, decided, "a", "{}");
      worker.complete(claim(worker, decided, "route").decided("y"));
      complete(worker, decided, "y", "{}");
      complete(worker, decided, "end", "{}");
      Dag.Task asleep = add("asleep", Dag.of("sleep").waitingOnly("{\"wait\": {\"for\": \"PT2H\"}}")
          .step("b").dependsOn("sleep"));
      Dag.Task signalled = add("signalled",
          Dag.of("pay").waitingOnly("{\"signal\": {\"name\": \"payment\"}}")
              .step("again").dependsOn("pay").waitingOnly("{\"signal\": {\"name\": \"payment\"}}")
              .step("b").dependsOn("again"));
      for (int i = 1; i <= 3; i++) {
        sql.text("select tasker.send_signals(array[?], 'payment', ?::jsonb)", signalled.uuid(),
            "{\"n\": " + i + "}");
      }
      Dag.Task approved = add("approved",
          Dag.of("ok")
              .waitingOnly("{\"approval\": {\"title\": \"t\", \"form\": {\"type\": \"object\"}, "
                  + "\"candidates\": {\"users\": [\"ann\"]}, \"due\": \"P1D\"}}")
              .step("b").dependsOn("ok"));
      java.util.UUID approval = sql
          .uuid("select approval_uuid from tasker.approvals where task_uuid = ?", approved.uuid());
      sql.text("select tasker.claim_approval(?, 'ann')", approval);
      sql.text("select tasker.decide_approval(?, 'ann', true, '{\"limit\": 5}', null, true)",
          approval);
      Dag.Task published = add("published",
          Dag.of("a")
              .publishes("[{\"name\": \"paid\"}, {\"name\": \"ended\", \"condition\": \"always\"}]")
              .lifecycle("publishes_events",
                  List.of("tasks")));
      complete(worker, published, "a", "{}");
      sql.text(
          "select tasker.save_webhook('{\"name\": \"books\", \"url\": \"https://books.example.com/\", \"secret\": \"whsec_x\", \"from\": \"beginning\", "
              + "\"timeout_seconds\": 15, \"max_attempts\": 20, \"max_in_flight\": 4, \"backoff_seconds\": 3600, \"backoff_cap_seconds\": 3600, "
              + "\"pause_after_hours\": 24}', 'ann', 'test')");
      for (int status : List.of(200, 500)) {
        sql.text(
            "select tasker.settle_deliveries(jsonb_build_array(tasker.claim_deliveries(?) -> 'deliveries' -> 0 "
                + "|| jsonb_build_object('status', ?::int)))",
            worker.uuid(), status);
      }
      add("delayed",
          Dag.linear(1).option("start_at", java.time.Instant.now().plusSeconds(7_200).toString()));
      assertThat(asleep.step("b")).isNotNull();
      addSchedule(sql);
      Dag.Template leaf = Dag.of("x").inNamespace("children").registered();
      Dag calls = Dag.of("sub")
          .waitingOnly(
              "{\"task\": {\"namespace\": \"children\", \"name\": \"" + leaf.name() + "\"}}")
          .step("b").dependsOn("sub").output("{\"sub\": \"$.results.sub\"}");
      Dag.Task called = add("called", calls);
      completeChild(sql, worker, called);
      worker.advance();
      complete(worker, called, "b", "{}");
      add("calling", calls);
      Dag batches = Dag.of("cut").batchable().step("work").dependsOn("cut")
          .batchWorker("{\"parallelism\": 2}").step("join")
          .dependsOn("work");
      Dag.Task batched = add("batched", batches);
      worker.complete(claim(worker, batched, "cut").batches(2));
      for (String step : java.util.List.of("work_001", "work_002", "join")) {
        complete(worker, batched, step, "{}");
      }
      worker.complete(claim(worker, add("batching", batches), "cut").batches(3));
      Dag.Task forked = add("forked", Dag.linear(2));
      complete(worker, forked, "s1", "{\"n\": 1}");
      assertThat(sql.object("select tasker.fork_task(?, 'ann', 'again', '{\"from\": [\"s2\"]}')",
          forked.uuid()).getInt("copied_steps"))
          .isEqualTo(1);
      Dag.Task undone = add("undone",
          Dag.of("charge").compensatedBy("refund", 1).step("ship").dependsOn("charge")
              .compensatedBy("recall", 1)
              .step("tell").dependsOn("ship").maxAttempts(1).lifecycle("on_failure", "compensate"));
      complete(worker, undone, "charge", "{}");
      complete(worker, undone, "ship", "{}");
      worker.complete(claim(worker, undone, "tell").permanentFailure());
      complete(worker, undone, "ship:compensation", "{}");
      complete(worker, undone, "charge:compensation", "{}");
      Dag.Task unloaded = add("unloaded",
          Dag.of("cut").batchable().compensatedBy("undo", 1).step("load").dependsOn("cut")
              .batchWorker("{}").compensatedBy("undo", 1)
              .step("end").dependsOn("load").maxAttempts(1).lifecycle("on_failure", "compensate"));
      worker.complete(claim(worker, unloaded, "cut").batches(2));
      complete(worker, unloaded, "load_001", "{}");
      complete(worker, unloaded, "load_002", "{}");
      worker.complete(claim(worker, unloaded, "end").permanentFailure());
      complete(worker, unloaded, "load_001:compensation", "{}");
      complete(worker, unloaded, "load_002:compensation", "{}");
      complete(worker, unloaded, "cut:compensation", "{}");
      Dag.Template deed = Dag.of("x").compensatedBy("undo", 1).inNamespace("children").registered();
      Dag.Task recalled = add("recalled",
          Dag.of("sub")
              .waitingOnly(
                  "{\"task\": {\"namespace\": \"children\", \"name\": \"" + deed.name() + "\"}}")
              .step("b")
              .dependsOn("sub")
              .maxAttempts(1).lifecycle("on_failure", "compensate"));
      completeChild(sql, worker, recalled);
      worker.advance();
      worker.complete(claim(worker, recalled, "b").permanentFailure());
      worker.forNamespaces("children").claim(99).stream()
          .filter(claim -> claim.claimedStep().getString("name").equals("x:compensation"))
          .forEach(claim -> worker.complete(claim.success("{}")));
      worker.advance();
      Dag limited = Dag.of("a").stepPolicy("{\"limit\": 1}");
      Dag.Task admitted = add("admitted", limited);
      worker.advance();
      add("queued", limited);
      worker.advance();
      claim(worker, admitted, "a");
      add("elsewhere", Dag.of("a"));
      addTasksOfEveryTable(sql, worker);
      // No server has noticed the end of its child yet.
      completeChild(sql, worker, add("ending", calls));
      addWhatIsSet(sql);
      // However long the test takes, nothing becomes due or expires while it does.
      sql.run(
          "update tasker.workflow_steps set lease_expires_at = now() + interval '1 hour' where state = 'in_progress'");
      sql.run(
          "update tasker.task_wakeups w set wake_at = now() + interval '1 hour' from tasker.tasks t where t.task_uuid = w.task_uuid and t.state <> 'waiting_for_retry'");
      sql.text("select tasker.roll_up_analytics()");
    }
  }

  /** Tasks for the columns that those above leave empty. */
  private void addTasksOfEveryTable(Sql sql, SqlWorker worker) {
    Dag.Task asked = add("asked", Dag.of("ok")
        .waitingOnly("{\"approval\": {\"title\": \"Pay\", \"four_eyes\": true, \"due\": \"P1D\", "
            + "\"claim_for\": \"PT20H\", \"candidates\": {\"users\": [\"ann\"], \"roles\": [\"payers\"]}, "
            + "\"escalate_to\": {\"users\": [\"carl\"]}, \"show\": {\"amount\": \"$.context.amount\"}}}")
        .step("b").dependsOn("ok").context("{\"amount\": 100}").option("initiator", "bob"));
    sql.text(
        "select tasker.claim_approval(approval_uuid, 'ann') from tasker.approvals where task_uuid = ?",
        asked.uuid());
    Dag.Task trickling = add("trickling",
        Dag.of("cut").batchable().step("work").dependsOn("cut").batchWorker("{\"parallelism\": 2}")
            .step("join").dependsOn("work"));
    worker.complete(claim(worker, trickling, "cut").batches(5));
    worker.complete(worker.forNamespaces("trickling").claimOne().retryableFailure(3_600_000));
    worker.advance();
    add("cutting",
        Dag.of("cut").batchesOf("$.context.rows[*]", 1).step("work").dependsOn("cut")
            .batchWorker("{\"parallelism\": 1}")
            .context("{\"rows\": [1, 2, 3]}"));
    add("ruled",
        Dag.of("route")
            .decidedBy("{\"rules\": [{\"when\": \"$.context.n > 1\", \"then\": [\"x\"]}]}")
            .step("x").dependsOn("route")
            .step("y").dependsOn("route").context("{\"n\": 2}"));
    Dag.Task yielding = add("yielding", Dag.of("a"));
    worker.complete(claim(worker, yielding, "a").yielded("{\"row\": 1}", 3_600_000));
  }

  /** What operators, callers and other programs have set. */
  private static void addWhatIsSet(Sql sql) {
    sql.run(
        "insert into tasker.access_users (name, created_by) values ('ann', 'test'), ('eve', 'test')");
    Dag.Template held = Dag.of("a").inNamespace("held").registered();
    sql.text("select tasker.pause_templates('held', null, null, 'ann', 'test')");
    Dag.Template stopped = Dag.of("a").inNamespace("stopped").registered();
    // Registered long before: a template that is being registered during a pause may have missed
    // it.
    sql.run("set session_replication_role = replica");
    sql.run(
        "update tasker.named_tasks set created_at = created_at - interval '1 hour' where named_task_uuid = ?",
        stopped.uuid());
    sql.run("set session_replication_role = origin");
    sql.text("select tasker.pause_templates('stopped', ?, null, 'ann', 'test')", stopped.name());
    assertThat(held.name()).isNotEqualTo(stopped.name());
    sql.text(
        "select tasker.save_webhook('{\"name\": \"paused\", \"url\": \"https://x.example.com/\", \"secret\": \"whsec_x\", "
            + "\"timeout_seconds\": 15, \"max_attempts\": 20, \"max_in_flight\": 4, \"backoff_seconds\": 3600, \"backoff_cap_seconds\": 3600, "
            + "\"pause_after_hours\": 24}', 'ann', 'test')");
    sql.text(
        "select tasker.change_webhook(webhook_uuid, 'pause', 'ann', 'test') from tasker.webhooks where name = 'paused'");
    sql.text("select tasker.claim_event_consumer('topic', tasker.uuid_v7(), 30)");
    sql.text(
        "select tasker.preview_bulk_action('cancel', '{\"namespace\": \"running\"}', 'ann', 'test', p_background => true)");
    sql.text(
        "select tasker.save_idempotent_response('user:ann', 'k1', encode(sha256('request'), 'hex'), 201, '/v1/tasks/1', '{\"task\": 1}')");
    // After the templates: what it serves is calculated for the handlers that are known.
    sql.text(
        "select tasker.register_worker(jsonb_build_object('worker_uuid', tasker.uuid_v7(), 'name', 'w', 'capacity', 1, 'handlers', array['a'], "
            + "'heartbeat_seconds', 300), null, 'user:' || user_uuid, name) from tasker.access_users where name = 'ann'");
    sql.run(
        "insert into tasker.schedule_backfills (schedule_uuid, from_at, to_at, cursor_at, overlap, state, created_by, reason, ended_at) "
            + "select schedule_uuid, now() - interval '9 days', now() - interval '8 days', now() - interval '8 days', 'allow', 'complete', 'ann', 'test', now() "
            + "from tasker.schedules where name = 'hourly'");
  }

  /** A schedule that fired an hour ago, and fires again tomorrow. */
  private void addSchedule(Sql sql) {
    Dag.Template template = Dag.of("a").inNamespace("scheduled").registered();
    String uuid = sql
        .object(
            "select tasker.save_schedule(jsonb_build_object('namespace', 'scheduled', 'name', 'hourly', 'template_name', ?::text, "
                + "'context', '{}'::jsonb, 'every_seconds', 86400, 'zone', 'UTC', 'anchor_at', now() - interval '1 hour', 'jitter_seconds', 0, 'overlap', 'skip', "
                + "'catch_up', 'last', 'catch_up_seconds', 86400, 'pause_after_failures', 10, 'next_fire_at', now() - interval '1 hour', "
                + "'next_due_at', now() - interval '1 hour'), 'ann', 'test')",
            template.name())
        .getString("schedule_uuid");
    String task = sql
        .object(
            "select tasker.fire_schedules(jsonb_build_array(jsonb_build_object('schedule_uuid', s.schedule_uuid, 'version', 1, "
                + "'expected_fire_at', s.next_fire_at, 'fire_at', s.next_fire_at, 'due_at', s.next_due_at, 'next_fire_at', s.next_fire_at + interval '1 day', "
                + "'next_due_at', s.next_fire_at + interval '1 day'))) from tasker.schedules s where s.schedule_uuid = ?",
            UUID.fromString(uuid))
        .getJsonArray("fires").getJsonObject(0).getString("task_uuid");
    tasks.put("scheduled", new Dag.Task(UUID.fromString(task), template));
  }

  private Dag.Task add(String name, Dag dag) {
    Dag.Task task = dag.inNamespace(name.equals("queued") ? "admitted" : name).started();
    tasks.put(name, task);
    return task;
  }

  private static Claim claim(SqlWorker worker, Dag.Task task, String step) {
    // Each task is in a namespace of its own: there is nothing else to claim.
    Claim claim = worker.forNamespaces(task.template().namespace()).claimOne();
    assertThat(claim.step()).as(step).isEqualTo(task.step(step));
    return claim;
  }

  private static void completeChild(Sql sql, SqlWorker worker, Dag.Task parent) {
    java.util.UUID child = sql
        .uuid("select child_task_uuid from tasker.step_waits where task_uuid = ?", parent.uuid());
    worker.complete(worker.forNamespaces("children").claim(99).stream()
        .filter(claim -> claim.task().equals(child)).findAny().orElseThrow()
        .success("{}"));
  }

  private static void complete(SqlWorker worker, Dag.Task task, String step, String result) {
    worker.complete(claim(worker, task, step).success(result));
  }

  private String resolved(String statement) {
    Matcher place = PLACE.matcher(statement);
    StringBuilder text = new StringBuilder();
    while (place.find()) {
      Dag.Task task = tasks.get(place.group(1));
      String step = place.group(2);
      UUID uuid = step == null ? task.uuid() : step.equals("template") ? task.template().uuid()
          : steps.computeIfAbsent(place.group(1) + "." + step, key -> task.step(step));
      place.appendReplacement(text, "'" + uuid + "'");
    }
    return place.appendTail(text).toString();
  }

  /** The invariants that notice, in the order of the check; or the guard that refused. */
  private String seen(Corruption corruption) {
    // Asked for before the damage is done.
    List<String> statements = corruption.statements().stream().map(this::resolved).toList();
    Sql damaged = corruption.past() ? past : guarded;
    try {
      if (corruption.damagesMoves()) {
        SingleMoves.spellOut(damaged);
      }
      for (String statement : statements) {
        boolean isDefinition = statement.startsWith("alter") || statement.startsWith("drop");
        if (damaged.run(statement) == 0 && !isDefinition) {
          return "touches no row: " + statement;
        }
      }
      List<String> noticed = damaged.texts(
          "select invariant from tasker.check_history(p_quiet_for => '0 seconds') where violations > 0 "
              + "and jsonb_array_length(examples) between 1 and 5");
      return noticed.isEmpty() ? "" : "`" + String.join("`, `", noticed) + "`";
    } catch (Sql.SqlProblem refusal) {
      // Our own triggers have codes; of the database's own refusals the constraint is named.
      Matcher guard = GUARD.matcher(refusal.getMessage());
      boolean isNamed = !refusal.state().startsWith("TK") && guard.find();
      assertThat(refusal.state()).as(corruption + ": " + refusal.getMessage())
          .matches("TK\\d{3}|23...");
      return Corruption.REFUSED + "`" + (isNamed ? guard.group(1)
          : refusal.state().equals("23502") ? "not null" : refusal.state()) + "`";
    } finally {
      damaged.rollback();
    }
  }

  /**
   * What is seen of each. To spell the history out writes all of it, and what is rolled back stays
   * in the tables, where every later check reads over it: those that do come last.
   */
  private Map<Corruption, String> seenBy() {
    Map<Boolean, List<Corruption>> byCost = Corruptions.ALL.stream()
        .collect(Collectors.partitioningBy(Corruption::damagesMoves));
    Map<Corruption, String> seen = new HashMap<>();
    for (boolean isCostly : new boolean[]{false, true}) {
      byCost.get(isCostly).forEach(corruption -> seen.put(corruption, seen(corruption)));
    }
    return seen;
  }

  @Test
  void each_kind_of_corruption_is_noticed_or_refused() {
    makeDatabase();
    try (Sql sql = Sql.open()) {
      assertThat(
          sql.texts(
              "select invariant || ' ' || examples from tasker.check_history(p_quiet_for => '0 seconds') where violations > 0"))
          .as("healthy before").isEmpty();
    }

    Map<Corruption, String> seenBy = seenBy();
    List<String> lines = new ArrayList<>();
    List<String> wrong = new ArrayList<>();
    String group = "";
    int noticed = 0;
    for (Corruption corruption : Corruptions.ALL) {
      String seen = seenBy.get(corruption);
      boolean isRight = corruption.isUnseen() || corruption.isHealed() ? seen.isEmpty()
          : corruption.isRefused()
              ? seen.equals(Corruption.REFUSED + "`"
                  + corruption.expected().substring(Corruption.REFUSED.length()) + "`")
              : seen.contains("`" + corruption.expected() + "`");
      if (!isRight) {
        wrong.add(corruption + " expected " + corruption.expected() + ", seen " + seen);
      }
      if (!corruption.group().equals(group)) {
        group = corruption.group();
        lines.add("| **" + group + "** | |");
      }
      lines.add("| " + corruption.name() + " | "
          + (corruption.isUnseen() || corruption.isHealed() ? corruption.expected() : seen) + " |");
      noticed += corruption.isUnseen() ? 0 : 1;
    }
    String table = "Of " + Corruptions.ALL.size() + " kinds, " + noticed
        + " are noticed, refused or healed.\n\n| What was done | What notices |\n|---|---|\n"
        + String.join("\n", lines) + "\n";
    Reports.write("corruptions.md", table);

    assertThat(wrong).as("corruptions that are not noticed as expected").isEmpty();
    assertThat(Corruptions.ALL.stream().map(Corruption::toString).distinct())
        .hasSize(Corruptions.ALL.size())
        .hasSizeGreaterThanOrEqualTo(600);
    assertThat(noticed * 10).as("noticed, refused or healed, of ten")
        .isGreaterThanOrEqualTo(Corruptions.ALL.size() * 9);
    try (Sql sql = Sql.open()) {
      assertThat(sql.texts(
          "select invariant from tasker.check_history(p_quiet_for => '0 seconds') where violations > 0"))
          .as("healthy afterwards").isEmpty();
    }
  }

  @Test
  void every_invariant_is_the_one_that_notices_some_corruption() {
    try (Sql sql = Sql.open()) {
      List<String> invariants = sql
          .texts("select invariant from tasker.check_history(p_quiet_for => '0 seconds')");
      assertThat(Corruptions.ALL.stream().map(Corruption::expected))
          .as("invariants without a corruption that they must notice")
          .containsAll(invariants);
    }
  }
}

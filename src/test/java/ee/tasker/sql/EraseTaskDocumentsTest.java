package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sources;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What is left of a task whose documents were erased: its shape, states, times and history. */
@DatabaseTest
@DatabaseTest.Covers({"erase_documents", "erase_tasks_by_attribute", "find_erasure_family",
  "find_erasure_violations", "find_unerased_forks", "get_erased_error", "get_erased_row",
  "judge_erasure",
  "strip_action_details", "strip_metadata"})
class EraseTaskDocumentsTest {
  private static final String MARK = "Jane-Doe-4711";
  private static final String JSON = "'{\"type\": \"" + MARK + "\", \"message\": \"" + MARK
      + "\"}'::jsonb";
  private static final String PAST_TRIGGERS = "set session_replication_role = replica";
  private static final Operator ANN = new Operator();

  /** Column: with what it is filled; {@code where} limits the rows that can have a value. */
  private static final Map<String, String> ERASED = erased();

  /** Columns of the tables of tasks that keep their values, and why. */
  private static final Map<String, String> KEPT = kept();

  /** Tables with nothing of a task in them; the page about personal data says what to do. */
  private static final Set<String> OF_NO_TASK = Set.of("access_grants", "access_keys",
      "access_permissions", "access_role_permissions", "access_roles", "access_sessions",
      "access_users", "bulk_actions", "concurrency_policies", "dropped_history",
      "duration_tallies", "event_consumers", "expiring_tables", "flyway_schema_history",
      "installations", "installed_routines", "metric_templates", "metric_totals", "named_steps",
      "named_tasks",
      "named_tasks_named_steps", "namespace_handlers", "retention_policies", "saved_views",
      "schedule_backfills",
      "schedule_declines", "schedule_fires", "schedules", "servers", "step_paths", "task_paths",
      "task_namespaces", "task_transition_rules", "template_pauses", "webhook_secrets", "webhooks",
      "worker_queues", "workers", "workflow_step_transition_rules", "write_requests");

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private static Map<String, String> erased() {
    Map<String, String> columns = new TreeMap<>();
    for (String text : List.of("tasks.initiator", "tasks.reason", "tasks.cancel_reason",
        "decision_outcomes.reason", "task_compensations.reason", "task_signals.signal_id",
        "queued_signals.signal_id", "queued_signals.message", "approvals.title",
        "approval_events.note", "webhook_deliveries.last_error",
        "webhook_deliveries.last_response", "tasks_dlq.resolution_notes", "task_faults.cause",
        "dead_messages.cause", "task_search_attributes.value")) {
      columns.put(text, "'" + MARK + "'");
    }
    for (String json : List.of("tasks.tags", "task_contexts.context",
        "workflow_step_documents.inputs", "workflow_step_documents.checkpoint",
        "workflow_step_result_audit.result", "workflow_step_result_audit.error",
        "batch_items.item", "task_signals.payload", "queued_signals.payload", "approvals.shown",
        "domain_events.data", "domain_events.error", "tasks_dlq.task_snapshot",
        "tasks_dlq.metadata", "dead_messages.headers")) {
      columns.put(json, JSON);
    }
    for (String list : List.of("approvals.candidate_roles", "approvals.candidate_users",
        "approvals.escalation_roles", "approvals.escalation_users")) {
      columns.put(list, "array['" + MARK + "']");
    }
    columns.put("approvals.initiators",
        "case when is_four_eyes then initiators || '" + MARK + "'::text else '{}' end");
    columns.put("approvals.form_values", JSON + " where form_values is not null");
    columns.put("approvals.decision_comment", "'" + MARK + "' where decided_by is not null");
    columns.put("task_outputs.output", JSON + " where output is not null");
    columns.put("task_outputs.error", JSON + " where error is not null");
    columns.put("task_compensations.cancel_request", JSON + " where cause = 'cancel'");
    columns.put("task_contexts.trace_parent",
        "'00-' || repeat('ab', 16) || '-' || repeat('cd', 8) || '-01'");
    columns.put("task_notices.details", "'{\"reason\": \"" + MARK + "\"}'::jsonb");
    columns.put("dead_messages.message", "message || " + JSON);
    columns.put("idempotency_keys.body", "body || '" + MARK + "'");
    columns.put("idempotency_keys.idempotency_key", "'" + MARK + "'");
    columns.put("task_moves.metadata", "coalesce(metadata, '{}') || " + JSON
        + " || '{\"reason\": \"" + MARK + "\", \"metadata\": {\"x\": \"" + MARK + "\"}}'"
        + " where path is null");
    columns.put("step_moves.metadata", columns.get("task_moves.metadata"));
    columns.put("operator_actions.details", "coalesce(details, '{}') || " + JSON
        + " || '{\"before\": {\"context\": \"" + MARK + "\"}}' where task_uuid is not null");
    columns.put("operator_actions.reason", "'" + MARK + "' where task_uuid is not null");
    return columns;
  }

  private static Map<String, String> kept() {
    String actor = "who acted";
    String name = "a name of the template, or of a part of the engine";
    Map<String, String> columns = new TreeMap<>();
    for (String column : List.of("tasks.cancel_requested_by", "tasks.cancel_claimed_actor",
        "task_contexts.submitted_by", "task_compensations.asked_by", "task_signals.sent_by",
        "queued_signals.sent_by", "approvals.claimed_by", "approvals.assigned_by",
        "approvals.decided_by", "approval_events.acted_by", "approval_events.given_to",
        "tasks_dlq.resolved_by", "tasks_dlq.claimed_actor", "dead_messages.replayed_by",
        "dead_messages.claimed_actor", "operator_actions.acted_by",
        "operator_actions.authenticated_as", "idempotency_keys.principal")) {
      columns.put(column, actor);
    }
    for (String column : List.of("tasks.source_system", "task_search_attributes.name",
        "workflow_steps.name", "decision_outcomes.chosen", "step_waits.signal_name",
        "task_signals.name", "queued_signals.name", "queued_signals.code",
        "approvals.namespace_name", "batches.failure_strategy", "task_forks.from_steps",
        "domain_events.kind", "domain_events.name", "domain_events.delivery_mode",
        "webhook_deliveries.event_type", "webhook_deliveries.state", "task_faults.sqlstate",
        "dead_messages.queue_name", "dead_messages.sqlstate", "operator_actions.action",
        "operator_actions.namespace", "operator_actions.template_name",
        "operator_actions.template_version", "unclaimed_offers.why",
        "worker_claims.request_id", "idempotency_keys.location", "bulk_action_tasks.outcome",
        "bulk_action_tasks.code")) {
      columns.put(column, name);
    }
    columns.put("bulk_action_tasks.message", "states and names of steps; kept for 30 days");
    columns.put("concurrency_slots.key", "a task that has ended has none");
    columns.put("concurrency_releases.key", "gone when the next waiter is promoted");
    return columns;
  }

  private JsonObject erase(UUID task) {
    return sql.object("select tasker.erase_task_documents(?, 'dora', 'request 17')", task);
  }

  private Claim claim(Dag.Task task, String step) {
    for (List<Claim> claims = worker.claim(9); !claims.isEmpty(); claims = worker.claim(9)) {
      for (Claim claim : claims) {
        if (claim.step().equals(task.step(step))) {
          return claim;
        }
        worker.complete(claim.success());
      }
    }
    throw new AssertionError(step + " is not offered");
  }

  private Dag.Task finished(Dag dag) {
    Dag.Task task = dag.started();
    worker.runToTheEnd();
    return task;
  }

  /** Tasks that have ended, with a row in every table that has something of a task. */
  private List<UUID> everything() {
    Dag.Task searched = Dag.of("a").step("b").dependsOn("a").searchAttributes("{\"name\": \"who\"}")
        .context("{\"who\": \"" + MARK + "\"}").option("initiator", MARK).option("reason", MARK)
        .started();
    Claim a = worker.claimOne();
    worker.complete(a.yielded("{\"row\": 1}", 1));
    worker.advance();
    worker.complete(claim(searched, "a").permanentFailure(MARK));
    ANN.step(searched, "a", "reset_for_retry", "{\"inputs\": {\"n\": 2}}");
    worker.runToTheEnd();
    finished(Dag.of("a").step("route").dependsOn("a")
        .decidedBy("{\"rules\": [{\"when\": \"$.context.n > 1\", \"then\": [\"x\"]}]}")
        .step("x").dependsOn("route").step("y").dependsOn("a").context("{\"n\": 2}"));
    Dag.Task approved = Dag.of("ok").waitingOnly(
        "{\"approval\": {\"title\": \"t\", \"form\": {\"type\": \"object\"}, \"four_eyes\": true, "
            + "\"candidates\": {\"users\": [\"ann\"]}, \"due\": \"P1D\"}}")
        .option("initiator", MARK).started();
    UUID approval = sql.uuid("select approval_uuid from tasker.approvals where task_uuid = ?",
        approved.uuid());
    sql.text("select tasker.claim_approval(?, 'ann')", approval);
    sql.text("select tasker.decide_approval(?, 'ann', true, '{\"limit\": 5}', 'fine', true)",
        approval);
    worker.advance();
    Dag.Task signalled = Dag.of("pay").waitingOnly("{\"signal\": {\"name\": \"payment\"}}")
        .started();
    sql.text("select tasker.send_signals(array[?], 'payment', '{\"n\": 1}'::jsonb)",
        signalled.uuid());
    worker.advance();
    Dag.Task batched = Dag.of("cut").batchable().step("work").dependsOn("cut")
        .batchWorker("{\"parallelism\": 2}").step("join").dependsOn("work").started();
    worker.complete(claim(batched, "cut").batches(3));
    cancel(batched);
    Dag.Template leaf = Dag.of("x").inNamespace("leaves").registered();
    Dag.Task called = Dag.of("sub").waitingOnly(
        "{\"task\": {\"namespace\": \"leaves\", \"name\": \"" + leaf.name() + "\"}}")
        .step("b").dependsOn("sub").output("{\"sub\": \"$.results.sub\"}").started();
    worker.runToTheEnd();
    worker.advance();
    worker.runToTheEnd();
    assertThatTask(called).isIn("complete");
    finished(Dag.of("a").output("{\"n\": \"$.context.missing.deeper + 1\"}"));
    Dag undoable = Dag.of("charge").compensatedBy("refund", 1).step("ship").dependsOn("charge")
        .step("tell").dependsOn("ship").maxAttempts(1);
    Dag.Task undone = undoable.started();
    worker.complete(claim(undone, "charge").success());
    sql.text("select tasker.request_cancel(?, 'bob', 'why', p_compensate => true)", undone.uuid());
    worker.runToTheEnd();
    assertThatTask(undone).isIn("cancelled");
    Dag.Task failed = Dag.of("a").notRetryable().started();
    worker.complete(claim(failed, "a").permanentFailure());
    ANN.task(failed, "fail");
    Dag.Task published = finished(Dag.of("a")
        .publishes("[{\"name\": \"paid\"}, {\"name\": \"ended\", \"condition\": \"always\"}]"));
    sql.text("select tasker.save_webhook('{\"name\": \"books\", \"url\": "
        + "\"https://books.example.com/\", \"secret\": \"whsec_x\", \"from\": \"beginning\", "
        + "\"timeout_seconds\": 15, \"max_attempts\": 20, \"max_in_flight\": 4, "
        + "\"backoff_seconds\": 3600, \"backoff_cap_seconds\": 3600, \"pause_after_hours\": 24}', "
        + "'ann', 'test')");
    sql.text("select tasker.settle_deliveries(jsonb_build_array(tasker.claim_deliveries(?) -> "
        + "'deliveries' -> 0 || jsonb_build_object('status', 500)))", worker.uuid());
    Dag.Task source = Dag.linear(2).started();
    worker.runToTheEnd();
    sql.object("select tasker.fork_task(?, 'ann', 'again', '{\"from\": [\"s2\"]}')",
        source.uuid());
    worker.runToTheEnd();
    assertThat(published).isNotNull();
    assertThat(sql.texts("select n.name || ' ' || t.state from tasker.tasks t join "
        + "tasker.named_tasks n using (named_task_uuid) where t.completed_at is null")).isEmpty();
    return roots();
  }

  private List<UUID> roots() {
    return sql.texts("select task_uuid from tasker.tasks where parent_task_uuid is null "
        + "order by task_uuid").stream().map(UUID::fromString).toList();
  }

  private void cancel(Dag.Task task) {
    sql.text("select tasker.request_cancel(?, 'bob', 'no longer wanted')", task.uuid());
  }

  /** Rows that no ended task has in an ordinary way, or only for a moment. */
  private void addOddRows(UUID task) {
    sql.run("insert into tasker.task_faults (task_uuid, faults, first_at, last_at, sqlstate, cause)"
        + " values (?, 1, now(), now(), 'XX000', 'x')", task);
    sql.run("insert into tasker.dead_messages (queue_name, read_ct, enqueued_at, cause, message, "
        + "headers) values ('worker_orders_queue', 1, now(), 'x', jsonb_build_object('task_uuid', "
        + "?::uuid), '{}')", task);
    sql.run("insert into tasker.queued_signals (task_uuid, name, payload, refused_at, code) values "
        + "(?, 'late', '{}', now(), 'task-already-ended')", task);
    sql.run("insert into tasker.task_notices (task_uuid, sender_uuid, kind, details) values "
        + "(?, gen_random_uuid(), 'cancel', '{\"reason\": \"x\"}')", task);
    sql.run("insert into tasker.idempotency_keys (principal, idempotency_key, request_hash, "
        + "status, location, body) values ('', 'x', sha256('x'), 201, '/v1/tasks/' || ?::uuid, "
        + "'{}')", task);
  }

  private List<String> documentColumns() {
    return sql.texts("select c.relname || '.' || a.attname from pg_class c "
        + "join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped "
        + "where c.relnamespace = 'tasker'::regnamespace and c.relkind in ('r', 'p') "
        + "and not c.relispartition and a.atttypid in "
        + "('text'::regtype, 'varchar'::regtype, 'json'::regtype, 'jsonb'::regtype, "
        + "'text[]'::regtype, 'varchar[]'::regtype) order by 1");
  }

  private List<String> found(String marker) {
    List<String> places = new ArrayList<>();
    for (String column : sql.texts("select format('%I.%I.%I', c.relnamespace::regnamespace, "
        + "c.relname, a.attname) from pg_class c join pg_attribute a on a.attrelid = c.oid "
        + "and a.attnum > 0 and not a.attisdropped where c.relnamespace in ("
        + "'tasker'::regnamespace, 'pgmq'::regnamespace) and c.relkind in ('r', 'p') order by 1")) {
      String table = column.substring(0, column.lastIndexOf('.'));
      if (sql.isTrue("select exists (select from " + table + " x where strpos(x."
          + column.substring(column.lastIndexOf('.') + 1) + "::text, ?) > 0)", marker)) {
        places.add(column);
      }
    }
    return places;
  }

  @Test
  void every_column_is_either_erased_or_kept_for_a_reason() {
    Set<String> decided = new TreeSet<>(ERASED.keySet());
    decided.addAll(KEPT.keySet());

    List<String> columns = documentColumns().stream()
        .filter(column -> !OF_NO_TASK.contains(column.substring(0, column.indexOf('.')))).toList();

    assertThat(columns).containsExactlyElementsOf(decided);
    String page = Sources.text(Path.of("docs/reference/personal-data.md"));
    assertThat(decided.stream().map(column -> column.substring(0, column.indexOf('.'))).distinct())
        .allSatisfy(table -> assertThat(page).contains("`" + table + "`"));
  }

  @Test
  @DatabaseTest.BreaksPromises
  void of_what_every_column_had_nothing_is_left_in_any_column_of_any_table() {
    List<UUID> roots = everything();
    addOddRows(roots.get(0));
    try (Sql past = Sql.open()) {
      past.run(PAST_TRIGGERS);
      ERASED.forEach((column, value) -> {
        String[] name = column.split("\\.");
        assertThat(past.run("update tasker." + name[0] + " set " + name[1] + " = " + value))
            .as(column).isPositive();
      });
    }
    assertThat(found(MARK)).as("the columns that were filled").hasSizeGreaterThan(30);

    for (UUID root : roots) {
      assertThat(erase(root).getString("outcome")).isIn("done");
    }

    assertThat(found(MARK)).isEmpty();
    assertThat(
        sql.number("select count(*) from tasker.task_contexts where trace_parent is not null"))
        .isZero();
    assertThat(sql.texts("select invariant || examples from tasker.check_history() "
        + "where violations > 0 and invariant in ('erased_task_has_no_document', "
        + "'document_equals_its_hash', 'search_attributes_equal_the_context', "
        + "'erasure_is_recorded')")).isEmpty();
  }

  @Test
  void states_times_and_history_stay_and_all_promises_are_kept() {
    List<UUID> roots = everything();
    String shape = "select string_agg(concat_ws(' ', t.task_uuid, t.state, t.completed_at, "
        + "t.transition_count, t.total_steps, (select string_agg(concat_ws(' ', s.state, s.attempts,"
        + " s.completed_at), ',' order by s.step_position) from tasker.workflow_steps s "
        + "where s.task_uuid = t.task_uuid), (select string_agg(concat_ws(' ', m.sort_key, "
        + "m.to_state, m.created_at, m.actor), ',' order by m.created_at, m.sort_key) from "
        + "tasker.workflow_step_transitions m where m.task_uuid = t.task_uuid)), ';' "
        + "order by t.task_uuid) from tasker.tasks t";
    String before = sql.text(shape);

    for (UUID root : roots) {
      assertThat(erase(root).getString("outcome")).isEqualTo("done");
    }

    assertThat(sql.text(shape)).isEqualTo(before);
    assertThatHistoryIsSound();
    assertThat(sql.number("select count(*) from tasker.tasks where erased_at is null")).isZero();
    assertThat(sql.texts("select tasker.get_task_documents(array[task_uuid]) #>> '{0,context}' "
        + "from tasker.tasks")).containsOnly("{}");
    assertThat(sql.texts("select tasker.get_task_history(task_uuid) from tasker.tasks"))
        .allSatisfy(story -> assertThat(story).contains("\"erase\"", "request 17", "dora"));
  }

  @Test
  void a_second_erasure_changes_nothing() {
    Dag.Task task = finished(Dag.of("a"));
    JsonObject first = erase(task.uuid());
    long size = sql.number("select count(*) from tasker.operator_actions");

    JsonObject second = erase(task.uuid());

    assertThat(first.getInt("tasks")).isEqualTo(1);
    assertThat(second.getString("outcome")).isEqualTo("already");
    assertThat(second.getString("erased_at")).isEqualTo(first.getString("erased_at"));
    assertThat(sql.number("select count(*) from tasker.operator_actions")).isEqualTo(size);
  }

  @Test
  void an_unfinished_task_keeps_its_documents() {
    Dag.Task task = Dag.of("a").context("{\"n\": 1}").started();

    JsonObject reply = erase(task.uuid());

    assertThat(reply.getString("code")).isEqualTo("task-not-erasable");
    assertThat(reply.getString("message")).contains("steps_in_process", "cancel it first");
    assertThat(sql.text("select context from tasker.task_contexts")).isEqualTo("{\"n\": 1}");
  }

  @Test
  void a_forced_erasure_cancels_a_task_that_waits_and_refuses_one_that_runs() {
    Dag.Task waiting = Dag.of("pay").waitingOnly("{\"signal\": {\"name\": \"payment\"}}").started();
    Dag.Task running = Dag.of("a").started();

    JsonObject done = force(waiting);
    JsonObject refused = force(running);

    assertThat(done.getString("outcome")).isEqualTo("done");
    assertThat(done.getJsonArray("ended").getJsonObject(0).getString("task_uuid"))
        .isEqualTo(waiting.uuid().toString());
    assertThatTask(waiting).isIn("cancelled");
    assertThat(refused.getString("code")).isEqualTo("steps-in-flight");
    assertThatTask(running).isIn("steps_in_process");
    assertThat(
        sql.number("select count(*) from tasker.tasks where cancel_requested_at is not null"))
        .isEqualTo(1);
  }

  private JsonObject force(Dag.Task task) {
    return sql.object(
        "select tasker.erase_task_documents(?, 'dora', 'request 17', p_force => true)",
        task.uuid());
  }

  private Dag.Task parent() {
    Dag.Template leaf = Dag.of("x").inNamespace("leaves").registered();
    return Dag.of("sub").waitingOnly("{\"task\": {\"namespace\": \"leaves\", \"name\": \""
        + leaf.name() + "\"}}").step("b").dependsOn("sub").started();
  }

  private UUID childOf(Dag.Task task) {
    return sql.uuid("select task_uuid from tasker.tasks where parent_task_uuid = ?", task.uuid());
  }

  @Test
  void children_are_erased_with_their_parent_or_left_out() {
    Dag.Task with = parent();
    Dag.Task without = parent();
    worker.runToTheEnd();
    worker.advance();
    worker.runToTheEnd();

    JsonObject both = erase(with.uuid());
    JsonObject one = sql.object(
        "select tasker.erase_task_documents(?, 'dora', 'request 17', false)", without.uuid());

    assertThat(both.getInt("tasks")).isEqualTo(2);
    assertThat(one.getInt("tasks")).isEqualTo(1);
    assertThat(isErased(childOf(with))).isTrue();
    assertThat(isErased(childOf(without))).isFalse();
    assertThat(erase(without.uuid()).getInt("tasks")).as("the child that was left out")
        .isEqualTo(1);
  }

  private boolean isErased(UUID task) {
    return sql.isTrue("select erased_at is not null from tasker.tasks where task_uuid = ?", task);
  }

  @Test
  void a_child_keeps_its_output_until_its_parent_has_ended() {
    Dag.Task parent = parent();
    UUID child = childOf(parent);
    worker.complete(worker.claimOne().success("{\"n\": 1}"));
    assertThatTask(child).isIn("complete");

    JsonObject reply = erase(child);

    assertThat(reply.getString("code")).isEqualTo("task-not-erasable");
    assertThat(reply.getString("message")).contains(parent.uuid().toString());
    worker.advance();
    worker.runToTheEnd();
    assertThat(erase(child).getString("outcome")).isEqualTo("done");
  }

  @Test
  void a_child_in_a_namespace_of_others_is_left_to_them() {
    Dag.Task parent = parent();
    worker.runToTheEnd();
    worker.advance();
    worker.runToTheEnd();
    String call = "select tasker.erase_task_documents(?, 'dora', 'request 17', "
        + "p_namespaces => ?::jsonb)";

    JsonObject refused = sql.object(call, parent.uuid(), "[\"orders\"]");

    assertThat(refused.getString("code")).isEqualTo("not-permitted");
    assertThat(refused.getString("message")).contains(childOf(parent).toString(), "leaves");
    assertThat(isErased(parent.uuid())).isFalse();
    assertThat(sql.object(call, parent.uuid(), "[\"orders\", \"leaves\"]").getInt("tasks"))
        .isEqualTo(2);
  }

  @Test
  void an_unfinished_child_is_named_in_the_refusal() {
    Dag.Task parent = parent();
    cancel(parent);
    assertThatTask(parent).isIn("cancelled");
    UUID child = childOf(parent);

    JsonObject reply = erase(parent.uuid());

    assertThat(reply.getString("message")).contains(child.toString());
    assertThat(isErased(parent.uuid())).isFalse();
  }

  @Test
  void an_erased_task_is_neither_retried_nor_resolved_nor_forked() {
    Dag.Task task = Dag.of("a").notRetryable().started();
    worker.complete(worker.claimOne().permanentFailure());
    ANN.task(task, "fail");
    erase(task.uuid());

    assertThat(ANN.task(task, "retry").getString("code")).isEqualTo("task-erased");
    assertThat(ANN.task(task, "resolve").getString("code")).isEqualTo("task-erased");
    assertThat(sql.object("select tasker.fork_task(?, 'ann', 'again', '{\"from\": [\"a\"]}')",
        task.uuid()).getString("message")).contains("erased");
    assertThat(sql.text("select tasker.get_allowed_actions(t) from tasker.tasks t"))
        .isEqualTo("[]");
    assertThatDatabaseRefuses("TK005",
        () -> sql.text("select tasker.transition_task_state_atomic(?, "
            + "'error', 'resolved_manually', null, '{\"actor\": \"operator\"}')", task.uuid()))
        .hasMessageContaining("its documents were erased");
  }

  @Test
  void history_takes_no_other_change_also_of_an_erased_task() {
    Dag.Task erased = finished(Dag.of("a"));
    erase(erased.uuid());
    Dag.Task other = finished(Dag.of("a"));

    assertThatDatabaseRefuses("TK009",
        () -> sql.run("update tasker.workflow_step_result_audit set result = "
            + "null, document_hash = tasker.hash_documents(null, null) where task_uuid = ?",
            other.uuid()))
        .hasMessageContaining("append-only");
    assertThatDatabaseRefuses("TK009", () -> sql.run(
        "update tasker.workflow_step_result_audit set attempt = 7 where task_uuid = ?",
        erased.uuid())).hasMessageContaining("append-only");
    assertThatDatabaseRefuses("TK009", () -> sql.run("update tasker.workflow_step_result_audit "
        + "set result = '{}' where task_uuid = ?", erased.uuid()))
        .hasMessageContaining("append-only");
    assertThatDatabaseRefuses("TK009", () -> sql.run(
        "update tasker.task_moves set to_state = 'error' where task_uuid = ?", erased.uuid()))
        .hasMessageContaining("append-only");
    assertThatDatabaseRefuses("TK009", () -> sql.run(
        "delete from tasker.operator_actions where task_uuid = ?", erased.uuid()))
        .hasMessageContaining("append-only");
  }

  @Test
  void the_identity_stays_so_that_the_same_request_finds_the_erased_task() {
    Dag dag = Dag.of("a").identity("strict").context("{\"n\": 1}");
    Dag.Task task = finished(dag);
    erase(task.uuid());

    JsonObject verdict = sql.object(
        "select tasker.submit_tasks(jsonb_build_array(?::jsonb)) #> '{verdicts,0}'",
        dag.request(dag.registered()).toString());

    assertThat(verdict.getString("verdict")).isEqualTo("duplicate");
    assertThat(verdict.getString("task_uuid")).isEqualTo(task.uuid().toString());
  }

  @Test
  void forks_that_have_copies_are_named() {
    Dag.Task source = finished(Dag.linear(2));
    UUID fork = UUID.fromString(sql.object(
        "select tasker.fork_task(?, 'ann', 'again', '{\"from\": [\"s2\"]}')", source.uuid())
        .getString("task_uuid"));
    worker.runToTheEnd();

    assertThat(erase(source.uuid()).getJsonArray("forks").getString(0)).isEqualTo(fork.toString());
    assertThat(erase(fork).getJsonArray("forks")).isEmpty();
  }

  // ---- By a search attribute

  private static Dag customer(String name) {
    return Dag.of("a").searchAttributes("{\"customer\": \"who\"}")
        .context("{\"who\": \"" + name + "\"}");
  }

  private JsonObject eraseBy(String value, int limit, String after, boolean isDryRun) {
    return sql.object("select tasker.erase_tasks_by_attribute('orders', null, 'customer', ?, "
        + "'dora', 'request 17', p_limit => ?, p_after => ?::uuid, p_dry_run => ?)", value, limit,
        after, isDryRun);
  }

  @Test
  void all_tasks_of_a_value_are_erased_in_slices_and_those_of_others_are_not() {
    List<Dag.Task> hers = customer("jane").started(5);
    Dag.Task his = customer("joe").started();
    Dag.Task elsewhere = customer("jane").inNamespace("elsewhere").started();
    worker.runToTheEnd();
    Dag.Task running = customer("jane").started();

    JsonObject counted = eraseBy("jane", 2, null, true);
    assertThat(counted.getInt("count")).isEqualTo(6);
    assertThat(counted.getInt("erasable")).isEqualTo(5);
    assertThat(counted.getBoolean("more")).isFalse();
    assertThat(sql.number("select count(*) from tasker.tasks where erased_at is not null"))
        .isZero();

    int erased = 0;
    int slices = 0;
    List<String> skipped = new ArrayList<>();
    for (String after = null; slices == 0 || after != null; slices++) {
      JsonObject slice = eraseBy("jane", 2, after, false);
      erased += slice.getInt("erased");
      slice.getJsonArray("skipped").getValuesAs(JsonObject.class)
          .forEach(one -> skipped.add(one.getString("task_uuid") + one.getString("code")));
      assertThat(slice.getBoolean("more")).isEqualTo(!slice.isNull("next"));
      after = slice.getString("next", null);
    }

    assertThat(erased).isEqualTo(5);
    assertThat(slices).isEqualTo(4);
    assertThat(skipped).containsExactly(running.uuid() + "task-not-erasable");
    assertThat(hers).allSatisfy(task -> assertThat(isErased(task.uuid())).isTrue());
    assertThat(isErased(his.uuid())).isFalse();
    assertThat(isErased(elsewhere.uuid())).isFalse();
    assertThat(sql.texts("select details from tasker.operator_actions where action = 'erase'"))
        .hasSize(5).allSatisfy(details -> assertThat(details).contains("customer")
            .doesNotContain("jane"));
  }

  @Test
  void an_attribute_or_a_template_that_is_not_there_is_refused() {
    customer("jane").started();
    String call = "select tasker.erase_tasks_by_attribute(?, ?, ?, 'jane', 'dora', 'request 17')";

    assertThat(sql.object(call, "nowhere", null, "customer").getString("code"))
        .isEqualTo("template-not-found");
    assertThat(sql.object(call, "orders", "nothing", "customer").getString("code"))
        .isEqualTo("template-not-found");
    assertThat(sql.object(call, "orders", null, "client").getString("field"))
        .isEqualTo("attribute");
  }

  // ---- Two connections

  @Test
  void a_retry_that_comes_while_a_task_is_erased_is_refused() {
    Dag.Task task = failed();
    try (Sql erasing = Sql.session(); Sql retrying = Sql.session()) {
      erasing.object("select tasker.erase_task_documents(?, 'dora', 'request 17')", task.uuid());
      Sql.Later<JsonObject> retry = retrying.later(session -> session.object(
          "select tasker.act_on_task(?, 'retry', 'ann', 'try again')", task.uuid()))
          .untilItWaits();
      erasing.commit();
      assertThat(retry.get().getString("code")).isEqualTo("task-erased");
      retrying.commit();
    }
    assertThatTask(task).isIn("error");
  }

  @Test
  void an_erasure_that_comes_while_a_task_is_retried_is_refused() {
    Dag.Task task = failed();
    try (Sql erasing = Sql.session(); Sql retrying = Sql.session()) {
      retrying.object("select tasker.act_on_task(?, 'retry', 'ann', 'try again')", task.uuid());
      Sql.Later<JsonObject> erasure = erasing.later(session -> session.object(
          "select tasker.erase_task_documents(?, 'dora', 'request 17')", task.uuid()))
          .untilItWaits();
      retrying.commit();
      assertThat(erasure.get().getString("code")).isEqualTo("task-not-erasable");
      erasing.commit();
    }
    assertThatTask(task).isIn("steps_in_process");
  }

  private Dag.Task failed() {
    Dag.Task task = Dag.of("a").notRetryable().started();
    worker.complete(worker.claimOne().permanentFailure());
    ANN.task(task, "fail");
    return task;
  }

  @Test
  void a_fork_that_comes_while_its_source_is_erased_copies_nothing() {
    Dag.Task source = finished(Dag.linear(2));
    try (Sql erasing = Sql.session(); Sql forking = Sql.session()) {
      erasing.object("select tasker.erase_task_documents(?, 'dora', 'request 17')", source.uuid());
      Sql.Later<JsonObject> fork = forking.later(session -> session.object(
          "select tasker.fork_task(?, 'ann', 'again', '{\"from\": [\"s2\"]}')", source.uuid()))
          .untilItWaits();
      erasing.commit();
      assertThat(fork.get().getString("code")).isEqualTo("fork-not-possible");
      forking.commit();
    }
  }

  @Test
  void a_slice_leaves_out_what_another_transaction_holds() {
    List<Dag.Task> hers = customer("jane").started(2);
    worker.runToTheEnd();
    try (Sql holding = Sql.session()) {
      holding.text("select tasker.lock_tasks(array[?])", hers.get(0).uuid());

      JsonObject slice = eraseBy("jane", 10, null, false);

      assertThat(slice.getInt("erased")).isEqualTo(1);
      assertThat(slice.getJsonArray("skipped").getJsonObject(0).getString("code"))
          .isEqualTo("task-locked");
      holding.commit();
    }
    assertThat(eraseBy("jane", 10, null, false).getInt("erased")).isEqualTo(1);
  }

  @Test
  void an_erasure_waits_for_a_month_of_history_that_is_rewritten() {
    Dag.Task task = finished(Dag.of("a"));
    try (Sql rewriting = Sql.session(); Sql erasing = Sql.session()) {
      rewriting.text("select pg_advisory_xact_lock(hashtext('tasker.ensure_history_partitions'))");
      Sql.Later<JsonObject> erasure = erasing.later(session -> session.object(
          "select tasker.erase_task_documents(?, 'dora', 'request 17')", task.uuid()))
          .untilItWaits();
      rewriting.commit();
      assertThat(erasure.get().getString("outcome")).isEqualTo("done");
      erasing.commit();
    }
  }
}

package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a function that changes something answers to an id that nothing has, and to null. */
@DatabaseTest
class RefuseUnknownTest {
  private static final String UNKNOWN = "00000000-0000-7000-8000-000000000000";
  private static final String HASH = "PBKDF2WithHmacSHA512:1:AAAA:AAAA";
  private final Sql sql = Sql.open();

  /** A call in which ID stands for the id, what it is the id of, and the member that is wrong. */
  private static Arguments call(String kind, String field, String call) {
    return Arguments.of(kind, field, call);
  }

  private static Stream<Arguments> calls() {
    return Stream.of(
        call("task", "task_uuid", "act_on_task(ID, 'retry', 'ann', 'a test')"),
        call("task", "task_uuid",
            "act_on_task(ID, 'retry_from_step', 'ann', 'a test', '{\"step\": \"a\"}')"),
        call("task", "task_uuid", "act_on_task(ID, 'resolve', 'ann', 'a test')"),
        call("task", "task_uuid", "act_on_task(ID, 'fail', 'ann', 'a test')"),
        call("task", "task_uuid", "act_on_task(ID, 'cancel', 'ann', 'a test')"),
        call("task", "task_uuid", "act_on_step(ID, 'STEP', 'reset_for_retry', 'ann', 'a test')"),
        call("step", "step_uuid", "act_on_step('TASK', ID, 'reset_for_retry', 'ann', 'a test')"),
        call("step", "step_uuid", "act_on_step('TASK', ID, 'resolve_manually', 'ann', 'a test')"),
        call("step", "step_uuid",
            "act_on_step('TASK', ID, 'complete_manually', 'ann', 'a test', '{\"result\": 1}')"),
        call("task", "task_uuid", "request_cancel(ID, 'ann', 'a test')"),
        call("task", "task_uuid", "request_cancel(ID, 'ann', 'a test', p_children => 'cancel')"),
        call("task", "task_uuid", "fork_task(ID, 'ann', 'a test', '{\"from\": [\"a\"]}')"),
        call("task", "task_uuid", "erase_task_documents(ID, 'ann', 'a test')"),
        call("task", "task_uuid", "record_opening(ID, null, 'ann', 'a test')"),
        call("template", "namespace",
            "erase_tasks_by_attribute(ID, null, 'customer', 'x', 'ann', 'a test')"),
        call("task", "task_uuid", "add_steps(ID, '[{\"name\": \"b\", \"step\": \"a\"}]')"),
        call("task", "task_uuid",
            "send_signals(array[ID]::uuid[], 'paid') -> 'signals' -> 0 #- '{task_uuid}'"),
        call("task", "task_uuid",
            "queue_signals(array[ID]::uuid[], 'paid') -> 'signals' -> 0 #- '{task_uuid}'"),
        call("task", "task_uuid", "send_task_to_dlq(ID, 'ann', 'a test')"),
        call("dead-letter", "dlq_entry_uuid", "update_dlq_entry(ID, 'cancelled', 'ann', 'a test')"),
        call("dead-letter", "dlq_entry_uuid",
            "update_dlq_entry(ID, null, 'ann', 'a test', '{\"ticket\": 1}')"),
        call("template", "namespace", "pause_templates(ID, null, null, 'ann', 'a test')"),
        call("template", "namespace", "pause_templates(ID, 'a', '1.0.0', 'ann', 'a test')"),
        call("template", "namespace", "resume_templates(ID, null, null, 'ann', 'a test')"),
        call("schedule", "schedule_uuid", "change_schedule(ID, 'pause', 'ann', 'x')"),
        call("template", "template",
            "save_schedule(jsonb_build_object('namespace', 'x', 'template_name', ID::text), 'ann', 'x')"),
        call("schedule", "schedule_uuid", "trigger_schedule(ID, 'ann', 'x')"),
        call("schedule", "schedule_uuid",
            "start_backfill(ID, now() - interval '1 day', now(), 'allow', 'ann', 'x')"),
        call("webhook", "webhook_uuid", "change_webhook(ID, 'pause', 'ann', 'x')"),
        call("webhook", "webhook_uuid", "save_webhook('{}', 'ann', 'x', ID, 1)"),
        call("webhook", "webhook_uuid", "change_delivery(ID, 'TASK', 'retry', 'ann', 'x')"),
        call("concurrency-policy", "policy_uuid", "set_concurrency_limit(ID, 1, 'ann')"),
        call("concurrency-policy", "policy_uuid", "set_concurrency_limit(ID, null)"),
        call("template", "namespace", "set_retention_policy(ID, 'a', null, 3, 'ann', 'a test')"),
        call("template", "namespace",
            "set_retention_policy(ID, 'a', null, 3, 'ann', 'a test', true)"),
        call("token", "token", "run_bulk_action(ID)"),
        call("token", "token", "run_bulk_action(ID, p_run_by => 'key:1')"),
        call("token", "token", "cancel_bulk_action(ID, 'ann')"),
        call("view", "view_uuid", "delete_view(ID, 'user:ann')"),
        call("dead-message", "dead_message_uuid", "replay_dead_message(ID, 'ann')"),
        call("dead-message", "dead_message_uuid", "replay_dead_messages(array[ID]::uuid[], 'ann')"),
        call("user", "user_uuid", "set_password(ID, '" + HASH + "')"),
        call("user", "user_uuid", "set_user_enabled(ID, true, 'ann')"),
        call("user", "user_uuid", "set_user_enabled(ID, false, 'ann')"),
        call("user", "user_uuid", "grant_access(ID, null, 'viewer', null, null, 'ann')"),
        call("key", "key_uuid", "revoke_api_key(ID, 'ann')"),
        call("user", "user_uuid", "create_session(ID, repeat('ab', 32), '1 hour')"),
        call("approval", "approval_uuid", "claim_approval(ID, 'ann') - 'queued' - 'ended'"),
        call("approval", "approval_uuid", "unclaim_approval(ID, 'ann') - 'queued' - 'ended'"),
        call("approval", "approval_uuid",
            "delegate_approval(ID, 'ann', 'bob') - 'queued' - 'ended'"),
        call("approval", "approval_uuid", "decide_approval(ID, 'ann', true) - 'queued' - 'ended'"),
        call("grant", "grant_uuid", "revoke_grant(ID)"));
  }

  private Dag.Task task;

  @BeforeEach
  void someTask() {
    task = Dag.of("a").started();
  }

  private String with(String call, String id) {
    return "select tasker." + call.replace("TASK", task.uuid().toString())
        .replace("STEP", task.step("a").toString()).replace("ID", id);
  }

  /** Everything that is stored, by table. */
  private Map<String, String> contents() {
    Map<String, String> contents = new TreeMap<>();
    for (String table : sql.texts(
        "select format('%I.%I', schemaname, tablename) from pg_tables where schemaname in ('tasker', 'pgmq')")) {
      contents.put(table,
          sql.text(
              "select count(*) || ' ' || coalesce(md5(string_agg(t::text, '' order by t::text)), '') from "
                  + table + " t"));
    }
    return contents;
  }

  @ParameterizedTest(name = "{2}")
  @MethodSource("calls")
  void what_is_not_there_is_refused_by_name_and_nothing_is_changed(String kind, String field,
      String call) {
    Map<String, String> before = contents();
    JsonObject unknown = sql.object(with(call, "'" + UNKNOWN + "'"));
    JsonObject none = sql.object(with(call, "null"));

    assertThat(unknown.getString("message")).contains(UNKNOWN).contains("the caller must give");
    assertThat(none.getString("message")).startsWith(field + " is null: the caller must give")
        .isNotEqualTo(unknown.getString("message"));
    assertThat(List.of(unknown, none)).allSatisfy(reply -> {
      assertThat(reply.keySet()).containsExactlyInAnyOrder("outcome", "code", "field", "message");
      assertThat(reply.getString("outcome") + " " + reply.getString("code") + " "
          + reply.getString("field"))
          .isEqualTo("refused " + kind + "-not-found " + field);
    });
    assertThat(contents()).isEqualTo(before);
  }

  @Test
  void what_is_named_by_more_than_an_id_is_refused_by_the_part_that_is_not_there() {
    String namespace = task.template().namespace();
    String name = task.template().name();
    Map<String, String> before = contents();

    for (String verb : List.of("pause", "resume")) {
      assertThat(message(
          "select tasker." + verb + "_templates(?, 'no_such', null, 'ann', 'a test')", namespace))
          .startsWith("name there is no namespace or template " + namespace + "/no_such:");
      assertThat(message("select tasker." + verb + "_templates(?, ?, '9.9.9', 'ann', 'a test')",
          namespace, name))
          .startsWith(
              "name there is no namespace or template " + namespace + "/" + name + ":9.9.9:");
    }
    assertThat(message("select tasker.set_retention_policy(?, 'no_such', null, 3, 'ann', 'a test')",
        namespace))
        .startsWith("name there is no namespace or template " + namespace + "/no_such:");
    assertThat(message(
        "select tasker.set_retention_policy(?, ?, 'error', null, 'ann', 'a test', p_remove => true)",
        namespace, name))
        .startsWith(
            "namespace there is no retention policy for " + namespace + "/" + name + ", error:");
    assertThat(message(
        "select tasker.set_retention_policy(null, null, null, null, 'ann', 'a test', p_remove => true)"))
        .startsWith("namespace there is no retention policy for all namespaces, any state:");
    assertThat(
        message("select tasker.grant_access(null, gen_random_uuid(), 'viewer', null, null, 'ann')"))
        .startsWith("key_uuid there is no API key");
    assertThat(message("select tasker.replay_dead_messages(null, 'ann')"))
        .startsWith("dead_message_uuid dead_message_uuid is null:");
    assertThat(message("select tasker.replay_dead_messages('{}', 'ann')"))
        .startsWith("dead_message_uuid dead_message_uuid is null:");
    assertThat(contents()).isEqualTo(before);
  }

  private String message(String call, Object... arguments) {
    JsonObject reply = sql.object(call, arguments);
    assertThat(reply.getString("outcome") + reply.getString("code")).startsWith("refused")
        .endsWith("-not-found");
    return reply.getString("field") + " " + reply.getString("message");
  }

  /** A list that a new function is not on would say nothing about it. */
  @Test
  void every_function_that_refuses_what_is_not_there_is_called_here_and_no_other_answers_null() {
    assertThat(sql.texts(
        "select proname from pg_proc where pronamespace = 'tasker'::regnamespace "
            + "and prosrc ~ 'refuse_unknown|replay_dead_messages\\(|find_templates_to_pause\\(|begin_approval_action\\(' "
            // Parts of the functions that refuse by them.
            + "and proname not in ('refuse_unknown', 'find_templates_to_pause', 'begin_approval_action', 'store_signal')"))
        .isNotEmpty().allSatisfy(name -> assertThat(calls())
            .anyMatch(call -> ((String) call.get()[2]).startsWith(name + "(")));
    assertThat(sql.texts(
        "select proname from pg_proc where pronamespace = 'tasker'::regnamespace and provolatile = 'v' and prorettype in ('jsonb'::regtype, 'json'::regtype) "
            + "and prosrc ~ 'return null;' order by 1"))
        .as("functions that change something and answer null, each with its reason here")
        // None is given an id: it is left to submit_tasks, no month is over, no such key may log
        // in, and the change may be made.
        .containsExactly("create_task", "drop_history_month", "get_key_access",
            "refuse_last_administrator");
  }

  @Test
  void a_kind_that_is_not_in_the_list_is_an_error_and_no_null() {
    assertThatDatabaseRefuses("P0002",
        () -> sql.text("select tasker.refuse_unknown('spaceship', 'x')"));
    assertThat(sql.object("select tasker.refuse_unknown('task', 'x')").getString("message"))
        .isEqualTo(
            "there is no task x: the caller must give the uuid of a task; list_tasks() lists them");
  }
}

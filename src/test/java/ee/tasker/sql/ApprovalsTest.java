package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Approvals: who may decide, once, in time or too late. ann and bob are clerks, lea is a lead. */
@DatabaseTest
@DatabaseTest.Covers({"prepare_approval", "make_approval", "judge_approval",
  "record_approval_event", "begin_approval_action",
  "claim_approval",
  "unclaim_approval", "delegate_approval", "decide_approval", "list_approvals",
  "get_approval_document", "describe_approvals",
  "resolve_approver",
  "is_approval_candidate", "give_approval", "lapse_claim", "may_see_approval", "get_persons",
  "get_initiators", "find_approval_violations",
  "pass_waits", "cancel_waits"})
class ApprovalsTest {
  private static final String CLERKS = "\"title\": \"Loan\", \"candidates\": {\"roles\": [\"clerk\"]}, \"due\": \"PT1H\"";
  private static final String LEAD = "{\"assigns_in\": [\"*\"]}";
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  @BeforeEach
  void people() {
    sql.run("truncate tasker.access_users, tasker.access_keys, tasker.access_grants cascade");
    sql.run(
        "insert into tasker.access_roles values ('clerk', 'a test'), ('lead', 'a test') on conflict do nothing");
    sql.run(
        "insert into tasker.access_role_permissions values ('clerk', 'approvals:decide'), ('lead', 'approvals:*') on conflict do nothing");
    user("ann", "clerk", null);
    user("bob", "clerk", null);
    user("lea", "lead", null);
    user("sam", "submitter", null);
  }

  /** Without a password, whose derivation would take a second. */
  private void user(String name, String role, String namespace) {
    sql.run(
        "with made as (insert into tasker.access_users (name, created_by) values (?, 'a test') returning user_uuid) "
            + "insert into tasker.access_grants (user_uuid, role, namespace, granted_by) select user_uuid, ?, ?, 'a test' from made",
        name, role, namespace);
  }

  /** a → ok, which has no handler and waits for an approval → ship. */
  private static Dag asked(String approval) {
    return Dag.of("a").step("ok").dependsOn("a").waitingOnly("{\"approval\": {" + approval + "}}")
        .step("ship").dependsOn("ok");
  }

  private Dag.Task waiting(Dag dag) {
    Dag.Task task = dag.started();
    worker.complete(worker.claim(99).stream().filter(claim -> claim.task().equals(task.uuid()))
        .findAny().orElseThrow().success());
    return task;
  }

  private UUID approval(Dag.Task task) {
    return sql.uuid(
        "select approval_uuid from tasker.approvals where task_uuid = ? order by created_at desc, approval_uuid desc limit 1",
        task.uuid());
  }

  private static JsonObject decide(Sql session, UUID approval, String by, boolean approved,
      Instant now) {
    return session.object("select tasker.decide_approval(?, ?, ?, p_now => ?)", approval, by,
        approved, now);
  }

  private JsonObject decide(Dag.Task task, String by, boolean approved) {
    return decide(sql, approval(task), by, approved, null);
  }

  private String refused(JsonObject answer) {
    assertThat(answer.getString("outcome")).isEqualTo("refused");
    return answer.getString("code");
  }

  private JsonObject result(Dag.Task task, String column) {
    return sql.object("select r." + column
        + " from tasker.workflow_steps s join tasker.workflow_step_result_audit r "
        + "on r.workflow_step_uuid = s.workflow_step_uuid and r.sort_key = s.result_sort_key where s.workflow_step_uuid = ?",
        task.step("ok"));
  }

  private List<String> waits(Dag.Task task) {
    return sql.texts(
        "select state from tasker.step_waits where task_uuid = ? order by armed_at, wait_uuid",
        task.uuid());
  }

  private List<String> events(Dag.Task task) {
    return sql.texts(
        "select concat_ws(' ', e.event, e.acted_by, e.given_to) from tasker.approval_events e where task_uuid = ? "
            + "order by e.happened_at, e.approval_uuid, e.number",
        task.uuid());
  }

  private String state(Dag.Task task) {
    return sql.text("select state from tasker.approvals where approval_uuid = ?", approval(task));
  }

  private Instant due(Dag.Task task) {
    return sql.instant(
        "select due_at from tasker.step_waits where task_uuid = ? and state = 'open'", task.uuid());
  }

  private void evaluate(Dag.Task task, Instant now) {
    sql.object("select tasker.evaluate_tasks(array[?], null, 0, 60, ?)", task.uuid(), now);
  }

  private List<String> titles(String filter, String by, String rights) {
    return sql.object("select tasker.list_approvals(?::jsonb, ?, ?::jsonb)", filter, by, rights)
        .getJsonArray("approvals")
        .getValuesAs(JsonObject.class).stream().map(each -> each.getString("title")).toList();
  }

  private JsonObject seen(Dag.Task task, String by, String rights) {
    String document = sql.text("select tasker.get_approval_document(?, ?, ?::jsonb)",
        approval(task), by, rights);
    return document == null ? null : sql.object("select ?::jsonb", document);
  }

  @Test
  void an_approval_completes_the_step_and_the_decision_is_its_result() {
    Dag.Task task = waiting(asked(CLERKS));
    assertThatTask(task).isIn("waiting_for_dependencies");
    assertThat(sql.text("select tasker.diagnose_task(?)", task.uuid()))
        .contains("Step ok has been waiting since")
        .contains("for approval of role clerk, due ").doesNotContain("Loan");

    assertThat(
        sql.object("select tasker.decide_approval(?, 'ann', true, null, 'fine')", approval(task))
            .getString("outcome"))
        .isEqualTo("done");
    JsonObject result = result(task, "result");
    assertThat(result).containsOnlyKeys("approved", "values", "decided_by", "decided_at", "comment",
        "approval_uuid");
    assertThat(result.getBoolean("approved")).isTrue();
    assertThat(result.getString("decided_by")).isEqualTo("ann");
    assertThat(result.getString("comment")).isEqualTo("fine");
    assertThatStep(task.step("ok")).isIn("complete").hasHandoffs(0).went("pending", "complete");
    assertThatStep(task.step("ship")).isIn("enqueued");
    assertThat(waits(task)).containsExactly("satisfied");
    assertThat(events(task)).containsExactly("made", "approved ann");
    assertThatHistoryIsSound();
  }

  @Test
  void a_rejection_is_a_result_or_an_error_as_the_template_says() {
    Dag.Task result = waiting(asked(CLERKS));
    decide(result, "bob", false);
    assertThat(result(result, "result").getBoolean("approved")).isFalse();
    assertThatStep(result.step("ship")).isIn("enqueued");

    Dag.Task error = waiting(asked(CLERKS + ", \"on_reject\": \"error\""));
    decide(error, "bob", false);
    assertThatStep(error.step("ok")).isIn("error");
    assertThat(result(error, "error").getString("type")).isEqualTo("approval_rejected");
    assertThatTask(error).isIn("blocked_by_failures");
    assertThat(state(error)).isEqualTo("rejected");
    new Operator().step(error, "ok", "reset_for_retry");
    assertThat(state(error)).as("asks again").isEqualTo("open");
    decide(error, "ann", true);
    assertThatStep(error.step("ok")).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void the_same_decision_again_answers_the_first_and_another_is_told_who_decided() {
    Dag.Task task = waiting(asked(CLERKS));
    JsonObject first = decide(task, "ann", true);
    JsonObject again = decide(task, "ANN", true);

    assertThat(again.getString("outcome")).isEqualTo("duplicate");
    assertThat(again.getJsonObject("approval")).isEqualTo(first.getJsonObject("approval"));
    JsonObject other = decide(task, "bob", true);
    assertThat(refused(other)).isEqualTo("approval-decided");
    assertThat(other.getString("message")).startsWith("ann approved it at ");
    assertThat(refused(decide(task, "ann", false))).isEqualTo("approval-decided");
    assertThat(refused(sql.object("select tasker.claim_approval(?, 'bob')", approval(task))))
        .isEqualTo("approval-decided");
    assertThat(events(task)).containsExactly("made", "approved ann");
    assertThatHistoryIsSound();
  }

  @Test
  void only_candidates_see_it_and_decide_and_roles_count_in_their_namespace() {
    Dag dag = asked(
        "\"title\": [\"Loan of \", \"$.context.amount\"], \"show\": {\"amount\": \"$.context.amount\"}, "
            + "\"candidates\": {\"roles\": [\"clerk\"], \"users\": [\"Eve\", \"$.context.manager\"]}, \"due\": \"PT1H\"")
        .inNamespace("loans");
    user("cleo", "clerk", "loans");
    user("otto", "clerk", "orders");
    Dag.Task task = waiting(dag.context("{\"amount\": 5000, \"manager\": \"Max\"}"));

    for (String candidate : List.of("ann", "cleo", "eve", "max")) {
      assertThat(seen(task, candidate, "{}").getJsonObject("shown").getInt("amount"))
          .isEqualTo(5000);
      assertThat(titles("{\"state\": \"open\"}", candidate, "{}")).containsExactly("Loan of 5000");
    }
    assertThat(seen(task, "external:xi", "{\"groups\": [\"clerk\"]}").getString("title"))
        .isEqualTo("Loan of 5000");
    for (String stranger : List.of("otto", "sam", "lea", "external:xi", "")) {
      assertThat(seen(task, stranger, "{}")).isNull();
      assertThat(titles("{}", stranger, "{}")).isEmpty();
      assertThat(refused(decide(task, stranger.isEmpty() ? "x" : stranger, true)))
          .isEqualTo("approval-not-found");
    }
    assertThat(seen(task, "lea", "{\"assigns_in\": [\"orders\"]}")).isNull();
    assertThat(seen(task, "lea", "{\"assigns_in\": [\"loans\"]}").getString("title"))
        .isEqualTo("Loan of 5000");
    assertThat(
        refused(sql.object("select tasker.decide_approval(?, 'lea', true, p_rights => ?::jsonb)",
            approval(task), LEAD)))
        .isEqualTo("not-a-candidate");
    assertThat(state(task)).isEqualTo("open");
    assertThat(sql.text("select tasker.get_task_history(?)", task.uuid())).doesNotContain("5000");
    assertThat(decide(task, "cleo", true).getString("outcome")).isEqualTo("done");
    assertThat(seen(task, "cleo", "{}").getString("state")).isEqualTo("approved");
  }

  @Test
  void what_is_claimed_is_decided_by_its_claimant_until_it_is_given_back() {
    Dag.Task task = waiting(asked(CLERKS));
    UUID approval = approval(task);
    assertThat(sql.object("select tasker.claim_approval(?, 'ann')", approval).getString("outcome"))
        .isEqualTo("done");
    assertThat(sql.object("select tasker.claim_approval(?, 'ann')", approval).getString("outcome"))
        .isEqualTo("unchanged");

    assertThat(refused(sql.object("select tasker.claim_approval(?, 'bob')", approval)))
        .isEqualTo("approval-taken");
    assertThat(refused(decide(task, "bob", true))).isEqualTo("approval-taken");
    assertThat(refused(sql.object("select tasker.unclaim_approval(?, 'bob')", approval)))
        .isEqualTo("approval-taken");
    assertThat(refused(sql.object("select tasker.delegate_approval(?, 'bob', 'bob')", approval)))
        .isEqualTo("approval-taken");
    assertThat(titles("{\"mine\": true}", "bob", "{}")).isEmpty();
    assertThat(titles("{\"mine\": true}", "ann", "{}")).containsExactly("Loan");
    assertThat(titles("{\"claimed_by\": \"Ann\"}", "bob", "{}")).containsExactly("Loan");

    assertThat(
        sql.object("select tasker.unclaim_approval(?, 'ann')", approval).getString("outcome"))
        .isEqualTo("done");
    assertThat(
        sql.object("select tasker.unclaim_approval(?, 'ann')", approval).getString("outcome"))
        .isEqualTo("unchanged");
    assertThat(decide(task, "bob", true).getString("outcome")).isEqualTo("done");
    assertThat(events(task)).containsExactly("made", "claimed ann", "unclaimed ann",
        "approved bob");
    assertThatHistoryIsSound();
  }

  @Test
  void a_claim_lapses_after_a_day_or_the_time_of_the_template_and_the_approval_is_back_in_the_inbox() {
    Dag.Task task = waiting(
        asked(
            "\"title\": \"Loan\", \"candidates\": {\"roles\": [\"clerk\"]}, \"due\": \"P9D\", \"claim_for\": \"PT4H\""));
    UUID approval = approval(task);
    sql.object("select tasker.claim_approval(?, 'ann')", approval);
    Instant end = sql.instant("select claim_ends_at from tasker.approvals where approval_uuid = ?",
        approval);
    assertThat(end)
        .isEqualTo(
            sql.instant("select claimed_at from tasker.approvals where approval_uuid = ?", approval)
                .plus(Duration.ofHours(4)));
    assertThat(
        sql.instant("select wake_at from tasker.task_wakeups where task_uuid = ?", task.uuid()))
        .isEqualTo(end);
    evaluate(task, end.minusMillis(1));
    assertThat(
        sql.instant("select wake_at from tasker.task_wakeups where task_uuid = ?", task.uuid()))
        .isEqualTo(end);
    assertThat(refused(sql.object("select tasker.claim_approval(?, 'bob', p_now => ?)", approval,
        end.minusMillis(1))))
        .isEqualTo("approval-taken");

    evaluate(task, end);
    assertThat(events(task)).containsExactly("made", "claimed ann", "lapsed");
    assertThat(sql.text("select note from tasker.approval_events where event = 'lapsed'"))
        .startsWith("ann had it since ");
    assertThat(titles("{\"mine\": true}", "bob", "{}")).containsExactly("Loan");
    assertThatHistoryIsSound();

    sql.object("select tasker.delegate_approval(?, 'lea', 'bob', p_rights => ?::jsonb)", approval,
        LEAD);
    Instant second = sql
        .instant("select claim_ends_at from tasker.approvals where approval_uuid = ?", approval);
    assertThat(sql.object("select tasker.claim_approval(?, 'ann', p_now => ?)", approval, second)
        .getString("outcome"))
        .as("whichever call looks first").isEqualTo("done");
    assertThat(events(task)).contains("lapsed", "claimed ann");

    Dag.Task usual = waiting(
        asked("\"title\": \"Loan\", \"candidates\": {\"roles\": [\"clerk\"]}, \"due\": \"P9D\""));
    sql.object("select tasker.claim_approval(?, 'ann')", approval(usual));
    assertThat(
        sql.text("select claim_ends_at - claimed_at from tasker.approvals where approval_uuid = ?",
            approval(usual)))
        .isEqualTo("1 day");
  }

  /** Else it would be due at once whenever it was evaluated, and keep others from their turn. */
  @Test
  void a_claim_that_is_over_while_its_task_is_paused_sets_no_wake_up() {
    Dag.Task task = waiting(asked(CLERKS + ", \"claim_for\": \"PT10M\""));
    sql.object("select tasker.claim_approval(?, 'ann')", approval(task));
    Instant end = sql.instant("select claim_ends_at from tasker.approvals where approval_uuid = ?",
        approval(task));
    sql.text("select tasker.pause_templates('orders', ?, null, 'ann', 'a stop')",
        task.template().name());
    evaluate(task, end.plusSeconds(1));

    assertThat(events(task)).containsExactly("made", "claimed ann");
    assertThatTask(task).isLookedAtAbout(due(task));

    sql.text("select tasker.resume_templates('orders', ?, null, 'ann', 'on')",
        task.template().name());
    assertThat(
        sql.instant("select wake_at from tasker.task_wakeups where task_uuid = ?", task.uuid()))
        .isBefore(end);
    evaluate(task, end.plusSeconds(2));
    assertThat(events(task)).containsExactly("made", "claimed ann", "lapsed");
    assertThatHistoryIsSound();
  }

  @Test
  void who_delegates_hears_what_the_clock_did_meanwhile() {
    Dag.Task task = asked(CLERKS + ", \"escalate_to\": {\"roles\": [\"lead\"]}")
        .step("other").maxAttempts(2).backoff("none", 1, 1).started();
    for (Claim claim : worker.claim(99)) {
      worker.complete(claim.step().equals(task.step("a")) ? claim.success()
          : claim.retryableFailure(0));
    }
    Instant due = due(task);
    sql.run("update tasker.workflow_steps set next_retry_at = ? where state = 'waiting_for_retry'",
        due);

    JsonObject answer = sql.object("select tasker.delegate_approval(?, 'ann', 'bob', p_now => ?)",
        approval(task), due.plusSeconds(1));
    assertThat(answer.getString("outcome")).isEqualTo("done");
    assertThat(answer.getJsonArray("queued")).hasSize(1);
    assertThat(events(task)).containsExactly("made", "escalated", "delegated ann bob");
  }

  @Test
  void a_candidate_delegates_to_another_and_who_may_assign_to_every_user_who_may_decide() {
    Dag.Task task = waiting(asked(CLERKS));
    UUID approval = approval(task);
    String delegate = "select tasker.delegate_approval(?, ?, ?, 'on leave', ?::jsonb)";
    assertThat(sql.object(delegate, approval, "ann", "BOB", "{}").getJsonObject("approval")
        .getString("claimed_by")).isEqualTo("bob");
    for (String wrong : List.of("lea", "sam", "nobody", " ")) {
      JsonObject answer = sql.object(delegate, approval, "bob", wrong, "{}");
      assertThat(refused(answer)).isEqualTo("invalid-request");
      assertThat(answer.getString("field")).isEqualTo("to");
    }
    assertThat(refused(sql.object(delegate, approval, "ann", "ann", "{}")))
        .isEqualTo("approval-taken");
    assertThat(refused(sql.object(delegate, approval, "lea", "sam", LEAD)))
        .as("sam may decide nothing").isEqualTo("invalid-request");

    assertThat(sql.object(delegate, approval, "lea", "lea", LEAD).getString("outcome"))
        .isEqualTo("done");
    assertThat(sql.object(delegate, approval, "lea", "lea", LEAD).getString("outcome"))
        .isEqualTo("unchanged");
    assertThat(refused(decide(task, "bob", true))).isEqualTo("approval-taken");
    assertThat(decide(task, "lea", true).getString("outcome")).isEqualTo("done");
    assertThat(events(task)).containsExactly("made", "delegated ann bob", "delegated lea lea",
        "approved lea");
    assertThatHistoryIsSound();
  }

  @Test
  void who_may_assign_is_not_held_up_by_a_claim() {
    Dag.Task task = waiting(asked(CLERKS));
    sql.object("select tasker.claim_approval(?, 'ann')", approval(task));
    assertThat(refused(
        sql.object("select tasker.claim_approval(?, 'bob', ?::jsonb)", approval(task), LEAD)))
        .isEqualTo("approval-taken");
    assertThat(
        sql.object("select tasker.unclaim_approval(?, 'lea', ?::jsonb)", approval(task), LEAD)
            .getString("outcome"))
        .isEqualTo("done");
    sql.object("select tasker.claim_approval(?, 'ann')", approval(task));
    assertThat(
        sql.object("select tasker.decide_approval(?, 'bob', false, p_rights => ?::jsonb)",
            approval(task), LEAD).getString("outcome"))
        .isEqualTo("done");
    assertThatHistoryIsSound();
  }

  @Test
  void four_eyes_keep_out_whoever_the_task_was_submitted_for_by_whatever_name() {
    Dag dag = asked(CLERKS + ", \"four_eyes\": true");
    sql.uuid("select tasker.create_api_key('portal', repeat('ab', 32), 'tkr_', null, 'ann')");
    sql.uuid("select tasker.create_api_key('robot', repeat('cd', 32), 'tkr_', null, 'key:portal')");
    for (String submitter : List.of("ann", "ANN", "key:portal", "key:robot", "external:ann",
        "token:ann")) {
      Dag.Task task = waiting(dag);
      submittedBy(task, submitter);
      for (String same : List.of("ann", "key:robot", "external:ann")) {
        String groups = "{\"groups\": [\"clerk\"]}";
        assertThat(
            refused(sql.object("select tasker.decide_approval(?, ?, true, p_rights => ?::jsonb)",
                approval(task), same, groups)))
            .as(submitter + " " + same).isEqualTo("four-eyes");
        assertThat(refused(sql.object("select tasker.claim_approval(?, ?, ?::jsonb)",
            approval(task), same, groups)))
            .isEqualTo("four-eyes");
        assertThat(refused(sql.object(
            "select tasker.delegate_approval(?, ?, 'bob', null, ?::jsonb)", approval(task), same,
            "{\"groups\": [\"clerk\"], \"assigns_in\": [\"*\"]}"))).isEqualTo("four-eyes");
      }
      assertThat(titles("{\"mine\": true}", "ann", "{}")).isEmpty();
      assertThat(seen(task, "ann", "{}").getJsonArray("may")).isEmpty();
      assertThat(sql.object("select tasker.delegate_approval(?, 'bob', 'ann')", approval(task))
          .getString("field")).isEqualTo("to");
      assertThat(decide(task, "bob", true).getString("outcome")).isEqualTo("done");
    }
    assertThatHistoryIsSound();
  }

  /** As if that caller had submitted it: the approval is asked for again. */
  private void submittedBy(Dag.Task task, String caller) {
    submittedOnlyBy(task, caller);
    sql.run(
        "update tasker.approvals set initiators = tasker.get_initiators(task_uuid) where task_uuid = ?",
        task.uuid());
    sql.run(
        "update tasker.approvals a set document_hash = tasker.hash_approval(a) where task_uuid = ?",
        task.uuid());
  }

  private void submittedOnlyBy(Dag.Task task, String caller) {
    sql.run("update tasker.task_contexts set submitted_by = ? where task_uuid = ?", caller,
        task.uuid());
    sql.run(
        "update tasker.task_contexts set document_hash = tasker.hash_documents(context, to_jsonb(submitted_by)) where task_uuid = ?",
        task.uuid());
  }

  @Test
  void the_tasks_above_a_task_count_and_so_does_the_initiator_that_the_request_names() {
    Dag.Task above = Dag.of("a").started();
    submittedOnlyBy(above, "ann");
    sql.run("update tasker.tasks set initiator = 'Bob' where task_uuid = ?", above.uuid());
    Dag.Task task = asked(CLERKS + ", \"four_eyes\": true").started();
    sql.run(
        "update tasker.tasks set parent_task_uuid = ?, initiator = 'portal' where task_uuid = ?",
        above.uuid(), task.uuid());

    assertThat(sql.text("select tasker.get_initiators(?)", task.uuid()))
        .isEqualTo("{ann,bob,portal}");
    assertThat(sql.text("select tasker.get_persons(null)")).isEqualTo("{}");
  }

  @Test
  void the_due_time_escalates_once_and_the_second_ends_it() {
    Dag.Task task = waiting(asked(CLERKS
        + ", \"escalate_to\": {\"roles\": [\"lead\"], \"replace\": true, \"due\": \"PT30M\"}"));
    sql.object("select tasker.claim_approval(?, 'ann')", approval(task));
    Instant due = due(task);
    evaluate(task, due.minusMillis(1));
    assertThat(events(task)).containsExactly("made", "claimed ann");
    evaluate(task, due);
    evaluate(task, due.plusSeconds(1));

    assertThat(events(task)).containsExactly("made", "claimed ann", "escalated");
    assertThat(due(task)).isEqualTo(due.plus(Duration.ofMinutes(30)));
    assertThat(refused(decide(sql, approval(task), "ann", true, due.plusSeconds(2))))
        .as("no candidate any more")
        .isEqualTo("approval-not-found");
    assertThat(titles("{\"mine\": true}", "lea", "{}")).containsExactly("Loan");
    assertThatTask(task).isLookedAtAbout(due.plus(Duration.ofMinutes(30)));
    evaluate(task, due.plus(Duration.ofMinutes(30)));
    assertThatStep(task.step("ok")).isIn("error");
    assertThat(result(task, "error").getString("type")).isEqualTo("approval_timed_out");
    assertThat(refused(decide(task, "lea", true))).isEqualTo("approval-ended");
    assertThat(events(task)).containsExactly("made", "claimed ann", "escalated", "expired");
    assertThat(waits(task)).containsExactly("timed_out");
  }

  @Test
  void candidates_are_widened_by_default_and_the_escalated_may_have_no_due_time() {
    Dag.Task task = waiting(
        asked(CLERKS + ", \"escalate_to\": {\"roles\": [\"lead\"], \"users\": [\"eve\"]}"));
    evaluate(task, due(task));

    assertThat(
        sql.text("select candidate_roles::text || candidate_users::text from tasker.approvals"))
        .isEqualTo("{clerk,lead}{eve}");
    assertThat(due(task)).isNull();
    assertThat(sql.text("select tasker.diagnose_task(?)", task.uuid()))
        .contains("for approval of eve or role clerk or role lead;");
    assertThat(titles("{\"state\": \"open\"}", "eve", "{}")).containsExactly("Loan");
    assertThat(decide(task, "eve", true).getString("outcome")).isEqualTo("done");
  }

  @Test
  void a_default_decides_when_nobody_does_and_says_so() {
    Dag.Task task = waiting(
        asked(CLERKS + ", \"on_due\": {\"approved\": false, \"values\": {\"why\": \"late\"}}"));
    evaluate(task, due(task));

    JsonObject result = result(task, "result");
    assertThat(result.getBoolean("approved")).isFalse();
    assertThat(result.isNull("decided_by")).isTrue();
    assertThat(result.getJsonObject("values").getString("why")).isEqualTo("late");
    assertThat(waits(task)).containsExactly("defaulted");
    assertThat(state(task)).isEqualTo("expired");
  }

  @Test
  void a_path_gives_the_due_time_and_what_it_cannot_give_is_an_error_of_the_step() {
    Instant at = Instant.now().plusSeconds(3600).truncatedTo(java.time.temporal.ChronoUnit.SECONDS);
    Dag dag = asked(
        "\"title\": \"x\", \"candidates\": {\"users\": [\"$.context.who\"]}, \"due\": \"$.context.at\", \"show\": {\"n\": \"$.context.n\"}");
    Dag.Task task = waiting(dag.context("{\"at\": \"" + at + "\", \"who\": [\"ann\", \"Bob\"]}"));
    assertThat(due(task)).isEqualTo(at);
    assertThat(sql.text("select candidate_users from tasker.approvals")).isEqualTo("{ann,bob}");

    for (String context : List.of("{\"at\": \"tomorrow\", \"who\": \"ann\"}",
        "{\"at\": \"" + at + "\", \"who\": 5}",
        "{\"at\": \"" + at + "\"}",
        "{\"at\": \"" + at + "\", \"who\": \"ann\", \"n\": \"" + "x".repeat(70_000) + "\"}")) {
      Dag.Task wrong = waiting(dag.context(context));
      assertThatStep(wrong.step("ok")).isIn("error");
      assertThat(result(wrong, "error").getString("type")).isEqualTo("expression_error");
    }
    assertThat(sql.number("select count(*) from tasker.approvals")).isEqualTo(1);
    assertThatHistoryIsSound();
  }

  @Test
  void values_are_limited_and_checked_before_and_a_refused_decision_changes_nothing() {
    Dag.Task task = waiting(
        asked(CLERKS + ", \"form\": {\"type\": \"object\", \"required\": [\"limit\"]}"));
    String decide = "select tasker.decide_approval(?, 'ann', ?::boolean, ?::jsonb, ?, ?::boolean)";
    UUID approval = approval(task);
    assertThat(refused(sql.object(decide, approval, "true", "{\"limit\": 5}", null, "false")))
        .isEqualTo("payload-not-checked");
    assertThat(refused(sql.object(decide, approval, "true", "[]", null, "true")))
        .isEqualTo("invalid-request");
    assertThat(refused(sql.object(decide, approval, null, "{}", null, "true")))
        .isEqualTo("invalid-request");
    assertThat(refused(sql.object(decide, approval, "true",
        "{\"x\": \"" + "x".repeat(65_536) + "\"}", null, "true")))
        .isEqualTo("payload-too-large");
    assertThat(refused(sql.object(decide, approval, "true", "{}", "x".repeat(1001), "true")))
        .isEqualTo("invalid-request");
    assertThat(refused(sql.object("select tasker.decide_approval(?, ' ', true)", approval)))
        .isEqualTo("invalid-request");
    assertThat(state(task)).isEqualTo("open");

    assertThat(sql.object(decide, approval, "true", "{\"limit\": 5}", null, "true")
        .getJsonObject("approval").getJsonObject("values")
        .getInt("limit"))
        .isEqualTo(5);
    Dag.Task without = waiting(asked(CLERKS));
    assertThat(
        refused(sql.object(decide, approval(without), "true", "{\"limit\": 5}", null, "true")))
        .isEqualTo("invalid-request");
    Dag.Task rejected = waiting(asked(CLERKS + ", \"form\": {\"required\": [\"limit\"]}"));
    assertThat(decide(rejected, "ann", false).getString("outcome"))
        .as("a rejection needs no values").isEqualTo("done");
    assertThatHistoryIsSound();
  }

  @Test
  void a_cancel_and_an_operator_end_an_approval() {
    Dag.Task cancelled = waiting(asked(CLERKS));
    sql.object("select tasker.request_cancel(?, 'ann', 'a test')", cancelled.uuid());
    Dag.Task resolved = waiting(asked(CLERKS));
    new Operator().step(resolved, "ok", "resolve_manually");
    Dag.Task completed = waiting(asked(CLERKS));
    new Operator().step(completed, "ok", "complete_manually", "{\"result\": {\"approved\": true}}");

    for (Dag.Task task : List.of(cancelled, resolved, completed)) {
      assertThat(state(task)).isEqualTo("cancelled");
      assertThat(refused(decide(task, "ann", true))).isEqualTo("approval-ended");
    }
    assertThat(events(cancelled)).containsExactly("made", "cancelled");
    assertThat(events(resolved)).as("an override says whose it was").containsExactly("made",
        "cancelled " + Operator.NAME);
    assertThat(events(completed)).containsExactly("made", "cancelled " + Operator.NAME);
    assertThat(sql.text(
        "select note from tasker.approval_events where event = 'cancelled' and task_uuid = ?",
        completed.uuid()))
        .isEqualTo("overridden by complete_manually: " + Operator.REASON);
    assertThat(titles("{\"state\": \"open\"}", "ann", "{}")).isEmpty();
    assertThatHistoryIsSound();
  }

  @Test
  void a_paused_task_takes_a_decision_and_carries_it_out_when_it_goes_on() {
    Dag.Task task = waiting(asked(CLERKS));
    Dag.Task late = waiting(asked(CLERKS));
    for (Dag.Task each : List.of(task, late)) {
      new Operator().pause(each.template().namespace(), each.template().name());
    }
    assertThat(decide(task, "ann", true).getString("outcome")).isEqualTo("done");
    assertThat(refused(decide(sql, approval(late), "ann", true, due(late)))).as("the clock ends it")
        .isEqualTo("approval-ended");
    assertThatStep(task.step("ok")).isIn("pending");
    assertThatHistoryIsSound();
    new Operator().resume(task.template().namespace(), task.template().name());
    evaluate(task, Instant.now());
    assertThatStep(task.step("ok")).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void an_open_approval_makes_no_task_stale_and_goes_with_its_task() {
    Dag.Task task = waiting(asked(CLERKS.replace("PT1H", "P400D")));
    Instant later = Instant.now().plus(Duration.ofDays(300));
    assertThat(sql.rows("select * from tasker.get_task_staleness(array[?], ?) where stale_at <= ?",
        task.uuid(), later, later)).isEmpty();
    decide(task, "ann", true);
    worker.complete(worker.claimOne().success());
    assertThatTask(task).isIn("complete");
    sql.text("select tasker.roll_up_analytics()");
    sql.text("select tasker.purge_tasks(array[?])", task.uuid());
    assertThat(sql.number(
        "select (select count(*) from tasker.approvals) + (select count(*) from tasker.approval_events)"))
        .isZero();
  }

  @Test
  void two_decisions_meet_and_the_second_is_told_who_was_first() {
    for (boolean same : List.of(true, false)) {
      Dag.Task task = waiting(asked(CLERKS));
      UUID approval = approval(task);
      try (Sql first = Sql.session(); Sql second = Sql.session()) {
        assertThat(decide(first, approval, "ann", true, null).getString("outcome"))
            .isEqualTo("done");
        var other = second.later(s -> decide(s, approval, same ? "ann" : "bob", same, null))
            .untilItWaits();
        first.commit();
        if (same) {
          assertThat(other.get().getString("outcome")).isEqualTo("duplicate");
        } else {
          assertThat(other.get().getString("message")).startsWith("ann approved it at ");
        }
        second.commit();
      }
      assertThat(events(task)).containsExactly("made", "approved ann");
    }
    assertThatHistoryIsSound();
  }

  @Test
  void a_decision_and_the_due_time_meet_in_both_orders() {
    Dag dag = asked(CLERKS);
    Dag.Task task = waiting(dag);
    Instant due = due(task);
    UUID approval = approval(task);
    try (Sql fire = Sql.session(); Sql decide = Sql.session()) {
      fire.object("select tasker.evaluate_tasks(array[?], null, 0, 60, ?)", task.uuid(), due);
      var decided = decide.later(s -> decide(s, approval, "ann", true, due.minusMillis(1)))
          .untilItWaits();
      fire.commit();
      assertThat(refused(decided.get())).isEqualTo("approval-ended");
      decide.commit();
    }
    assertThat(waits(task)).containsExactly("timed_out");

    Dag.Task other = waiting(dag);
    Instant otherDue = due(other);
    UUID open = approval(other);
    try (Sql fire = Sql.session(); Sql decide = Sql.session()) {
      assertThat(decide(decide, open, "ann", true, otherDue.minusMillis(1)).getString("outcome"))
          .isEqualTo("done");
      var fired = fire
          .later(s -> s.object("select tasker.evaluate_tasks(array[?], null, 0, 60, ?)",
              other.uuid(), otherDue))
          .untilItWaits();
      decide.commit();
      fired.get();
      fire.commit();
    }
    assertThat(waits(other)).containsExactly("satisfied");
    assertThat(events(other)).containsExactly("made", "approved ann");
  }

  @Test
  void a_decision_that_comes_too_late_lets_the_clock_end_it_whoever_looks_first() {
    Dag.Task task = waiting(asked(CLERKS));
    assertThat(refused(decide(sql, approval(task), "ann", true, due(task))))
        .isEqualTo("approval-ended");
    assertThatStep(task.step("ok")).isIn("error");
    assertThat(events(task)).containsExactly("made", "expired");
  }

  @Test
  void a_decision_and_a_cancel_meet_in_both_orders() {
    Dag.Task task = waiting(asked(CLERKS));
    UUID approval = approval(task);
    try (Sql cancel = Sql.session(); Sql decide = Sql.session()) {
      cancel.object("select tasker.request_cancel(?, 'ann', 'a test')", task.uuid());
      var decided = decide.later(s -> decide(s, approval, "ann", true, null)).untilItWaits();
      cancel.commit();
      assertThat(refused(decided.get())).isEqualTo("approval-ended");
      decide.commit();
    }
    Dag.Task other = waiting(asked(CLERKS));
    UUID open = approval(other);
    try (Sql cancel = Sql.session(); Sql decide = Sql.session()) {
      decide(decide, open, "ann", true, null);
      var cancelled = cancel
          .later(s -> s.object("select tasker.request_cancel(?, 'ann', 'a test')", other.uuid()))
          .untilItWaits();
      decide.commit();
      cancelled.get();
      cancel.commit();
    }
    assertThat(state(other)).isEqualTo("approved");
    assertThatHistoryIsSound();
  }

  @Test
  void a_claim_and_another_meet_and_one_has_it() {
    Dag.Task task = waiting(asked(CLERKS));
    UUID approval = approval(task);
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      first.object("select tasker.claim_approval(?, 'ann')", approval);
      var other = second.later(s -> s.object("select tasker.claim_approval(?, 'bob')", approval))
          .untilItWaits();
      first.commit();
      assertThat(refused(other.get())).isEqualTo("approval-taken");
      second.commit();
    }
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      first.object("select tasker.unclaim_approval(?, 'ann')", approval);
      first.object("select tasker.claim_approval(?, 'bob')", approval);
      var other = second.later(s -> decide(s, approval, "ann", true, null)).untilItWaits();
      first.commit();
      assertThat(refused(other.get())).isEqualTo("approval-taken");
      second.commit();
    }
    assertThatHistoryIsSound();
  }

  @Test
  void pages_of_the_inbox_are_in_the_order_of_their_due_times_and_have_no_gaps() {
    Dag dag = asked(
        "\"title\": \"$.context.t\", \"candidates\": {\"roles\": [\"clerk\"]}, \"due\": \"$.context.at\"");
    Instant now = Instant.now();
    for (int i = 0; i < 7; i++) {
      waiting(dag.context(
          "{\"t\": \"50%_" + i + "\", \"at\": \"" + now.plusSeconds(1000 - i / 2 * 100) + "\"}"));
    }
    String next = null;
    StringBuilder found = new StringBuilder();
    do {
      JsonObject page = sql
          .object("select tasker.list_approvals('{\"state\": \"open\"}', 'ann', '{}', 2, ?)", next);
      page.getJsonArray("approvals").getValuesAs(JsonObject.class)
          .forEach(each -> found.append(each.getString("title").substring(4)));
      next = page.get("next") instanceof JsonString text ? text.getString() : null;
    } while (next != null);
    assertThat(found).hasToString("6452301");

    assertThat(titles("{\"title\": \"0%_3\"}", "ann", "{}")).containsExactly("50%_3");
    assertThat(titles("{\"title\": \"0__3\"}", "ann", "{}")).isEmpty();
    assertThat(titles("{\"state\": \"open\", \"due_before\": \"" + now.plusSeconds(750) + "\"}",
        "ann", "{}")).containsExactly("50%_6");
    assertThat(titles("{\"state\": \"approved,rejected\"}", "ann", "{}")).isEmpty();
    assertThat(titles("{\"namespaces\": []}", "ann", "{}")).isEmpty();
    JsonObject newest = sql.object("select tasker.list_approvals('{}', 'ann', '{}', 3)");
    assertThat(newest.getJsonArray("approvals").getJsonObject(0).getString("title"))
        .isEqualTo("50%_6");
    assertThat(sql
        .object("select tasker.list_approvals('{}', 'ann', '{}', 9, ?)", newest.getString("next"))
        .getJsonArray("approvals"))
        .hasSize(4);
    assertThatDatabaseRefuses("TK007",
        () -> sql.object("select tasker.list_approvals('{}', 'ann', '{}', 9, 'x')"));
  }

  @Test
  void what_a_caller_may_do_is_said_and_is_what_it_can_do() {
    Dag.Task task = waiting(asked(CLERKS));
    assertThat(seen(task, "ann", "{}").getJsonArray("may").toString())
        .isEqualTo("[\"claim\",\"delegate\",\"decide\"]");
    assertThat(seen(task, "ann", "{\"decides_in\": []}").getJsonArray("may")).isEmpty();
    sql.object("select tasker.claim_approval(?, 'bob')", approval(task));
    assertThat(seen(task, "ann", "{}").getJsonArray("may")).isEmpty();
    assertThat(seen(task, "bob", "{}").getJsonArray("may").toString())
        .isEqualTo("[\"unclaim\",\"delegate\",\"decide\"]");
    assertThat(seen(task, "lea", LEAD).getJsonArray("may").toString())
        .isEqualTo("[\"unclaim\",\"delegate\"]");
    assertThat(seen(task, "lea", LEAD).getJsonArray("events")).hasSize(2);
  }
}

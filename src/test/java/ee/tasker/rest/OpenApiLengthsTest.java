package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A text as long as the OpenAPI document allows fits into each column that keeps it. */
@DatabaseTest
class OpenApiLengthsTest {
  private static final String ACTED = "operator_actions.reason";

  /**
   * A pattern of places in the document, and the columns that keep what is given there; the first
   * that matches counts.
   */
  private record Rule(String place, String... columns) {
  }

  private static final List<Rule> RULES = List.of(
      new Rule(".*/namespace", "task_namespaces.name", "operator_actions.namespace",
          "saved_views.namespace",
          "retention_policies.namespace_name", "webhooks.namespace_name",
          "schedules.namespace_name"),
      new Rule("(Task|Pause|RetentionPolicy|EraseTasks)Request/name|.*/template",
          "named_tasks.name",
          "operator_actions.template_name",
          "retention_policies.template_name", "webhooks.template_name", "schedules.template_name"),
      new Rule(".*/(template_)?version", "named_tasks.version", "operator_actions.template_version",
          "schedules.template_version"),
      new Rule("TaskRequest/initiator", "tasks.initiator"),
      new Rule(".*/source_system", "tasks.source_system"),
      new Rule("TaskRequest/reason", "tasks.reason"),
      new Rule("ForkRequest/reason", ACTED, "tasks.reason"),
      new Rule("(TaskAction|/v1/tasks/.*)/reason", ACTED, "tasks.cancel_reason",
          "task_compensations.reason"),
      new Rule("EraseRequest/reason", ACTED, "tasks.cancel_reason"),
      new Rule("OpenRequest/reason", ACTED),
      new Rule("EraseTasksRequest/reason", ACTED),
      new Rule("EraseTasksRequest/attribute", "task_search_attributes.name"),
      new Rule("EraseTasksRequest/value", "task_search_attributes.value"),
      new Rule("BulkActionRequest/reason", ACTED, "bulk_actions.reason", "tasks.cancel_reason"),
      new Rule("(PauseRequest|/v1/pauses/.*)/reason", ACTED, "template_pauses.reason",
          "task_namespaces.pause_reason"),
      new Rule("RetentionPolicyRequest/reason", ACTED, "retention_policies.reason"),
      new Rule("(.*Schedule.*|BackfillRequest|/v1/schedules/.*)/reason", ACTED,
          "schedules.pause_reason", "schedule_backfills.reason"),
      new Rule("(.*Webhook.*|/v1/webhooks/.*)/reason", ACTED, "webhooks.pause_reason"),
      new Rule("(StepAction|ConcurrencyLimit|DeadLetterRequest|ServerChange)/reason", ACTED),
      new Rule(".*/(requested|reset|resolved|completed)_by", "operator_actions.acted_by",
          "tasks.cancel_requested_by",
          "tasks.cancel_claimed_actor", "bulk_actions.acted_by", "template_pauses.paused_by",
          "template_pauses.claimed_actor",
          "task_namespaces.pause_claimed_actor", "retention_policies.claimed_actor",
          "concurrency_policies.claimed_actor",
          "dead_messages.claimed_actor", "tasks_dlq.claimed_actor", "tasks_dlq.resolved_by",
          "schedules.created_by", "schedules.updated_by",
          "schedule_backfills.created_by", "webhooks.created_by", "webhooks.updated_by"),
      new Rule("/v1/(tasks/.*/)?signals/.*/name", "task_signals.name", "queued_signals.name",
          "step_waits.signal_name"),
      new Rule(".*SignalRequest/signal_id", "task_signals.signal_id", "queued_signals.signal_id"),
      new Rule("DelegationRequest/to", "approval_events.given_to", "approvals.claimed_by",
          "approvals.assigned_by"),
      new Rule("DelegationRequest/note", "approval_events.note"),
      new Rule("DecisionRequest/comment", "approvals.decision_comment"),
      new Rule("ViewRequest/page", "saved_views.page"),
      new Rule("ViewRequest/name", "saved_views.name"),
      new Rule("ViewRequest/query", "saved_views.query"),
      new Rule(".*Webhook/name", "webhooks.name"),
      new Rule(".*Webhook.*/secret", "webhook_secrets.secret"),
      new Rule(".*Webhook.*/url", "webhooks.url"),
      new Rule(".*Webhook.*/description", "webhooks.description"),
      new Rule(".*Webhook.*/event_types", "webhook_deliveries.event_type"),
      new Rule("NewSchedule/name", "schedules.name"),
      new Rule(".*Schedule.*/time_member", "schedules.time_member"),
      new Rule("(.*Schedule.*|/v1/schedules/upcoming/get)/cron", "schedules.cron"),
      new Rule("(.*Schedule.*|/v1/schedules/upcoming/get)/zone", "schedules.zone"),
      new Rule("DeadLetterUpdate/resolution_notes", "tasks_dlq.resolution_notes"),
      new Rule("NewWorker/name", "workers.name"),
      new Rule("NewWorker/handlers", "named_tasks_named_steps.handler_callable"),
      new Rule(".*/request_id", "worker_claims.request_id"),
      new Rule("NewUser/name", "access_users.name"),
      new Rule("(Granted|NewGrant)/role", "access_grants.role"),
      new Rule("(Granted|NewGrant)/permission", "access_grants.permission"),
      new Rule("NewKey/name", "access_keys.name"),
      // In JSON, hashed, only compared, or made of others.
      new Rule(
          ".*/tags|TaskRequest/idempotency_key|.*/password|Webhook(Replay)?/from|NewWebhook/from|WorkerError/(type|message)|NewWorker/resolvers"
              + "|TaskAction/step|ForkRequest/from|WorkerResult/decision|/v1/workers/.*/name|.*/idempotency_token"
              + "|/v1/write-requests/get/(caller|route|object)"),
      // With quotes, which are not kept.
      new Rule("idempotencyKey/.*"));

  @Test
  void every_length_of_the_document_fits_into_its_columns() {
    Map<String, Integer> given = new TreeMap<>();
    JsonObject document = Json.createReader(new StringReader(new OpenApiDocument().json()))
        .readObject();
    collect(document, "", given);
    Map<String, String> columns = Sql.open().texts(
        "select table_name || '.' || column_name || '=' || coalesce(character_maximum_length::text, '') from information_schema.columns"
            + " where table_schema = 'tasker'")
        .stream()
        .collect(Collectors.toMap(line -> line.substring(0, line.indexOf('=')),
            line -> line.substring(line.indexOf('=') + 1)));

    assertThat(given).hasSizeGreaterThan(100).allSatisfy((place, length) -> {
      Rule rule = RULES.stream().filter(each -> place.matches(each.place())).findFirst()
          .orElse(null);
      assertThat(rule).as("a rule that says where %s is kept", place).isNotNull();
      assertThat(rule.columns()).as(place).allSatisfy(column -> {
        assertThat(columns).containsKey(column);
        String most = columns.get(column);
        assertThat(most.isEmpty() ? Integer.MAX_VALUE : Integer.parseInt(most))
            .as("%s keeps %s", column, place)
            .isGreaterThanOrEqualTo(length);
      });
    });
  }

  /** Names each place by its schema or path, and its member or parameter. */
  private static void collect(JsonValue node, String place, Map<String, Integer> given) {
    if (node instanceof JsonObject object) {
      if (object.get("maxLength") instanceof JsonNumber length) {
        given.put(place, length.intValue());
      }
      String named = object.get("name") instanceof JsonString name && object.containsKey("in")
          ? place + "/" + name.getString() : place;
      object.forEach((key, value) -> {
        boolean isStructure = key.matches(
            "components|schemas|properties|schema|paths|items|parameters|requestBody|content|application/json"
                + "|allOf|anyOf|oneOf|responses|headers");
        collect(value, isStructure ? named : named.isEmpty() ? key : named + "/" + key, given);
      });
    } else if (node instanceof JsonArray array) {
      array.forEach(each -> collect(each, place, given));
    }
  }
}

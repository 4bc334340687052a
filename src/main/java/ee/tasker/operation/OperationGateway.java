package ee.tasker.operation;

import ee.tasker.platform.ActingCaller;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.sql.ReadFunctions;
import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.UUID;

/** Calls the SQL functions for operators. */
@Dependent
class OperationGateway {
  @Inject
  private SqlFunctions sql;

  @Inject
  private ReadFunctions reads;

  @Inject
  private ServerIdentity server;

  @Inject
  private ActingCaller caller;

  /** To be called before an operator's action, in the same transaction. */
  private void tellCaller() {
    sql.run("begin_action(cast(? as text))", caller.name());
  }

  JsonObject recordOpening(UUID task, UUID step, String by, String reason) {
    tellCaller();
    return sql.object("record_opening(cast(? as uuid), cast(? as uuid), ?, ?)", task, step, by,
        reason);
  }

  JsonObject actOnStep(UUID task, UUID step, Action action) {
    tellCaller();
    return sql.object(
        "act_on_step(cast(? as uuid), cast(? as uuid), ?, ?, ?, cast(? as jsonb), cast(? as uuid))",
        task, step, action.name(), action.by(), action.reason(), action.data(), server.uuid());
  }

  JsonObject actOnTask(UUID task, Action action) {
    tellCaller();
    return sql.object("act_on_task(cast(? as uuid), ?, ?, ?, cast(? as jsonb), cast(? as uuid))",
        task, action.name(), action.by(), action.reason(), action.data(), server.uuid());
  }

  /** The caller has validated a context that the action has. */
  JsonObject forkTask(UUID source, Action action) {
    tellCaller();
    return sql.object("fork_task(cast(? as uuid), ?, ?, cast(? as jsonb), ?, cast(? as uuid))",
        source, action.by(), action.reason(), action.data(), action.data().containsKey("context"),
        server.uuid());
  }

  JsonObject eraseTaskDocuments(UUID task, Erasure.Request request, boolean force,
      JsonArray namespaces) {
    tellCaller();
    return sql.object(
        "erase_task_documents(cast(? as uuid), ?, ?, ?, ?, cast(? as uuid), null, cast(? as jsonb))",
        task, request.by(), request.reason(), request.children(), force, server.uuid(),
        namespaces);
  }

  JsonObject eraseTasksByAttribute(Erasure.Tagged tagged, Erasure.Request request, boolean dryRun,
      int limit, UUID after, JsonArray namespaces) {
    tellCaller();
    return sql.object(
        "erase_tasks_by_attribute(?, ?, ?, ?, ?, ?, ?, ?, ?, cast(? as uuid), null, "
            + "cast(? as jsonb))",
        tagged.namespace(), tagged.template(), tagged.attribute(), tagged.value(), request.by(),
        request.reason(), request.children(), dryRun, limit, after,
        namespaces);
  }

  JsonValue getForkDocuments(UUID task, int limit, UUID before) {
    return sql.answer("get_fork_documents(cast(? as uuid), ?, cast(? as uuid))", task, limit,
        before);
  }

  JsonValue getActionSchemas(UUID task, UUID step) {
    return sql.json("get_action_schemas(cast(? as uuid), cast(? as uuid))", task, step);
  }

  JsonArray getTaskHistory(UUID task) {
    return sql.answer("get_task_history(cast(? as uuid))", task).asJsonArray();
  }

  JsonValue getWaitingDocument(UUID task, boolean showsContext, boolean showsErrors) {
    return sql.answer("get_waiting_document(cast(? as uuid), ?, ?)", task, showsContext,
        showsErrors);
  }

  JsonArray getPauses() {
    return sql.answer("get_pauses()").asJsonArray();
  }

  JsonObject pauseTemplates(String namespace, String name, String version, String by,
      String reason) {
    tellCaller();
    return sql.object("pause_templates(?, ?, ?, ?, ?)", namespace, name, version, by, reason);
  }

  JsonObject resumeTemplates(String namespace, String name, String version, String by,
      String reason) {
    tellCaller();
    return sql.object("resume_templates(?, ?, ?, ?, ?)", namespace, name, version, by, reason);
  }

  JsonArray listConcurrencyPolicies(JsonObject filter, int entries) {
    return sql.array("list_concurrency_policies(cast(? as jsonb), ?)", filter, entries);
  }

  JsonObject setConcurrencyLimit(UUID policy, Integer limit, String by) {
    tellCaller();
    return sql.object("set_concurrency_limit(cast(? as uuid), cast(? as int), ?)", policy, limit,
        by);
  }

  JsonObject getRetentionDocument() {
    return sql.object("get_retention_document()");
  }

  JsonObject getRetentionPreview() {
    return sql.object("get_retention_preview()");
  }

  JsonObject setRetentionPolicy(Retention.Policy policy, boolean removed, boolean dryRun, String by,
      String reason) {
    tellCaller();
    return sql.object("set_retention_policy(?, ?, ?, cast(? as int), ?, ?, ?, ?)",
        policy.namespace(), policy.template(), policy.state(),
        policy.keepDays(), by, reason, dryRun,
        removed);
  }

  JsonObject previewBulkAction(String action, JsonObject filter, String by, String reason,
      String maker, boolean background, String resolution) {
    return sql.object(
        "preview_bulk_action(?, cast(? as jsonb), ?, ?, p_made_by => ?, p_background => ?, "
            + "p_resolution => ?)",
        action, filter, by, reason, maker, background, resolution);
  }

  JsonObject runBulkAction(UUID token, String caller) {
    tellCaller();
    return sql.object("run_bulk_action(cast(? as uuid), cast(? as uuid), p_run_by => ?)", token,
        server.uuid(), caller);
  }

  JsonValue getBulkAction(UUID token, String maker) {
    return sql.json("get_bulk_action(cast(? as uuid), ?)", token, maker);
  }

  JsonValue getBulkActionDocument(UUID token) {
    return sql.json("get_bulk_action_document(cast(? as uuid))", token);
  }

  JsonObject listBulkActions(JsonArray namespaces, int limit, UUID before) {
    return sql.answer("list_bulk_actions(cast(? as jsonb), ?, cast(? as uuid))", namespaces, limit,
        before).asJsonObject();
  }

  JsonObject listBulkActionTasks(UUID token, String outcome, int limit, UUID after) {
    return sql.answer("list_bulk_action_tasks(cast(? as uuid), ?, ?, cast(? as uuid))", token,
        outcome, limit, after).asJsonObject();
  }

  JsonObject cancelBulkAction(UUID token, String by) {
    tellCaller();
    return sql.object("cancel_bulk_action(cast(? as uuid), ?)", token, by);
  }

  JsonObject getDlqDocuments(JsonObject filter, int limit, UUID before) {
    return reads.object("get_dlq_documents(cast(? as jsonb), ?, cast(? as uuid))", filter, limit,
        before);
  }

  JsonArray getDlqStatistics() {
    return sql.array("get_dlq_statistics()");
  }

  JsonObject getDlqInvestigationQueue(int limit, UUID after) {
    return sql.object("get_dlq_investigation_queue(?, cast(? as uuid))", limit, after);
  }

  JsonObject getStaleness(int limit, String after) {
    return sql.object("get_staleness(?, ?)", limit, after);
  }

  JsonObject sendTaskToDlq(UUID task, String by, String reason) {
    tellCaller();
    return sql.object("send_task_to_dlq(cast(? as uuid), ?, ?)", task, by, reason);
  }

  JsonObject updateDlqEntry(UUID entry, String status, String by, String reason,
      JsonObject metadata) {
    tellCaller();
    return sql.object("update_dlq_entry(cast(? as uuid), ?, ?, ?, cast(? as jsonb))", entry, status,
        by, reason, metadata);
  }

  JsonArray listViews(String owner, JsonArray namespaces) {
    return sql.answer("list_views(?, cast(? as jsonb))", owner, namespaces).asJsonArray();
  }

  JsonObject saveView(String page, String name, String query, String namespace, String owner,
      String by) {
    return sql.object("save_view(?, ?, ?, ?, ?, ?)", page, name, query, namespace, owner, by);
  }

  JsonObject deleteView(UUID view, String owner, JsonArray namespaces) {
    return sql.object("delete_view(cast(? as uuid), ?, cast(? as jsonb))", view, owner, namespaces);
  }
}

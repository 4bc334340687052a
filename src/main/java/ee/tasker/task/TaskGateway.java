package ee.tasker.task;

import ee.tasker.engine.reply.QueuedRequest;
import ee.tasker.engine.reply.RoundReply;
import ee.tasker.engine.reply.SubmissionReply;
import ee.tasker.engine.reply.UncheckedTask;
import ee.tasker.platform.ActingCaller;
import ee.tasker.platform.Json;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.sql.ReadFunctions;
import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Calls the task functions of the database. */
@Dependent
class TaskGateway {
  @Inject
  private SqlFunctions sql;

  @Inject
  private ReadFunctions reads;

  @Inject
  private ServerIdentity server;

  @Inject
  private ActingCaller caller;

  SubmissionReply submitQueuedRequests(JsonArray requests, int claimLimit, long leaseSeconds) {
    return SubmissionReply
        .of(sql.object(
            "submit_queued_requests(cast(? as jsonb), cast(? as uuid), ?, cast(? as int))",
            requests, server.uuid(), claimLimit, leaseSeconds));
  }

  JsonArray getTaskDocuments(List<UUID> taskUuids, Integer mostBytes) {
    return sql
        .answer("get_task_documents(cast(? as uuid[]), cast(? as int))",
            SqlFunctions.arrayText(taskUuids), mostBytes)
        .asJsonArray();
  }

  /** Several, whole, by their keys; unknown ones are left out. */
  Map<UUID, JsonObject> getTaskDocuments(List<UUID> taskUuids) {
    return getTaskDocuments(taskUuids, null).stream().map(JsonObject.class::cast)
        .collect(Collectors.toMap(task -> Json.uuid(task, "task_uuid"), Function.identity(),
            (one, same) -> one));
  }

  String getCurrentTaskState(UUID taskUuid) {
    return sql.text("get_current_task_state(cast(? as uuid))", taskUuid);
  }

  JsonObject listTasks(JsonObject filter, int limit, UUID cursor) {
    return reads.object("list_tasks(cast(? as jsonb), ?, cast(? as uuid))", filter, limit,
        cursor);
  }

  JsonObject countTasks(JsonObject filter) {
    return reads.object("count_tasks(cast(? as jsonb))", filter);
  }

  JsonObject explainTasks(List<UUID> taskUuids) {
    return reads.object("explain_tasks(cast(? as uuid[]))", SqlFunctions.arrayText(taskUuids));
  }

  JsonObject getTaskCaptions(List<UUID> taskUuids) {
    return reads.object("get_task_captions(cast(? as uuid[]))", SqlFunctions.arrayText(taskUuids));
  }

  JsonValue readDocument(UUID taskUuid, UUID stepUuid, String document, Integer attempt,
      String pointer, int offset, int limit) {
    return sql.json("read_document(cast(? as uuid), cast(? as uuid), ?, cast(? as int), ?, ?, ?)",
        taskUuid, stepUuid, document, attempt, pointer,
        offset, limit);
  }

  JsonArray getStepDocuments(UUID taskUuid, UUID stepUuid, Integer mostBytes) {
    return sql.answer("get_step_documents(cast(? as uuid), cast(? as uuid), cast(? as int))",
        taskUuid, stepUuid, mostBytes).asJsonArray();
  }

  JsonValue getChildDocuments(UUID taskUuid, UUID after, int limit) {
    return sql.answer("get_child_documents(cast(? as uuid), cast(? as uuid), ?)", taskUuid,
        after, limit);
  }

  JsonObject listBatchWorkers(UUID taskUuid, UUID batchStep, int after, int limit, String state,
      boolean isWithStates, Integer mostBytes) {
    return sql
        .answer("list_batch_workers(cast(? as uuid), cast(? as uuid), ?, ?, ?, ?, cast(? as int))",
            taskUuid, batchStep, after, limit, state, isWithStates, mostBytes)
        .asJsonObject();
  }

  JsonArray getStepAudit(UUID taskUuid, UUID stepUuid, Integer mostBytes) {
    return sql
        .answer("get_step_audit(cast(? as uuid), cast(? as uuid), cast(? as int))", taskUuid,
            stepUuid, mostBytes)
        .asJsonArray();
  }

  JsonObject requestCancel(UUID taskUuid, String by, String reason, String policy,
      Long graceSeconds, String children, long defaultGraceSeconds, boolean compensates) {
    sql.run("begin_action(cast(? as text))", caller.name());
    return sql.object(
        "request_cancel(cast(? as uuid), ?, ?, ?, cast(? as uuid), null, null, cast(? as int), ?, cast(? as int), ?)",
        taskUuid, by, reason, policy, server.uuid(),
        graceSeconds, children, defaultGraceSeconds,
        compensates);
  }

  List<QueuedRequest> takeTaskRequests(int limit) {
    return QueuedRequest.of(sql.array("take_task_requests(?)", limit));
  }

  void finishTaskRequests(JsonArray messageIds, JsonArray refused) {
    sql.run("finish_task_requests(cast(? as jsonb), cast(? as jsonb))", messageIds, refused);
  }

  List<UncheckedTask> takeUncheckedTasks(int limit) {
    return UncheckedTask.of(sql.array("take_unchecked_tasks(?)", limit));
  }

  RoundReply startValidatedTasks(JsonArray verdicts, int claimLimit, long leaseSeconds,
      boolean evaluate) {
    return RoundReply.ofTasks(
        sql.object("start_validated_tasks(cast(? as jsonb), cast(? as uuid), ?, cast(? as int), "
            + "null, ?)", verdicts, server.uuid(), claimLimit, leaseSeconds, evaluate));
  }
}

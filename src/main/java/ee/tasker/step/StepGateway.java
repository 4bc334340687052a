package ee.tasker.step;

import ee.tasker.engine.reply.CancelOrder;
import ee.tasker.engine.reply.ClaimReply;
import ee.tasker.engine.reply.DeclineReply;
import ee.tasker.engine.reply.HeartbeatReply;
import ee.tasker.engine.reply.ResultsReply;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Calls the step functions of the database. */
@Dependent
class StepGateway {
  @Inject
  private SqlFunctions sql;

  @Inject
  private ServerIdentity server;

  ClaimReply claimSteps(int limit, Collection<String> namespaces, long leaseSeconds) {
    return new ClaimReply(
        sql.array("claim_steps(cast(? as uuid), ?, cast(? as text[]), cast(? as int))",
            server.uuid(), limit, namespaces(namespaces), leaseSeconds));
  }

  ResultsReply completeSteps(JsonArray results, int claimLimit, Collection<String> namespaces,
      long leaseSeconds, boolean settle, boolean claimFromQueues) {
    return ResultsReply.of(sql.object(
        "complete_steps(cast(? as jsonb), cast(? as uuid), ?, cast(? as text[]), cast(? as int), ?, ?)",
        results, server.uuid(), claimLimit, namespaces(namespaces), leaseSeconds, settle,
        claimFromQueues));
  }

  HeartbeatReply heartbeat(String roles, int capacity, int running, JsonArray steps,
      long leaseSeconds, JsonObject report) {
    return HeartbeatReply.of(sql.object(
        "heartbeat(cast(? as uuid), ?, ?, ?, ?, cast(? as jsonb), cast(? as int), null, cast(? as jsonb))",
        server.uuid(), server.name(), roles, capacity, running, steps, leaseSeconds, report));
  }

  boolean saveCheckpoint(UUID stepUuid, int handoff, String checkpoint) {
    return sql.flag("save_checkpoint(cast(? as uuid), ?, cast(? as jsonb))", stepUuid, handoff,
        checkpoint);
  }

  JsonArray getSignalDocuments(UUID taskUuid) {
    return sql.answer("get_signal_documents(cast(? as uuid), true)", taskUuid).asJsonArray();
  }

  List<CancelOrder> getCancelRequests(JsonArray steps) {
    return CancelOrder.of(sql.array("get_cancel_requests(cast(? as jsonb))", steps));
  }

  void abandonSteps(JsonArray steps) {
    sql.run("abandon_steps(cast(? as jsonb), cast(? as uuid))", steps, server.uuid());
  }

  int releaseUnknownSteps(JsonArray known, long olderThanMs) {
    return sql
        .object("release_unknown_steps(cast(? as uuid), cast(? as jsonb), cast(? as int))",
            server.uuid(), known, olderThanMs)
        .getInt("released");
  }

  void releaseSteps(JsonArray steps) {
    sql.run("release_steps(cast(? as jsonb), cast(? as uuid))", steps, server.uuid());
  }

  DeclineReply declineSteps(JsonArray steps) {
    return DeclineReply
        .of(sql.object("decline_steps(cast(? as jsonb), cast(? as uuid))", steps, server.uuid()));
  }

  JsonArray getStepDefinitions(Collection<UUID> namedStepUuids) {
    return sql.array("get_step_definitions(cast(? as uuid[]))",
        SqlFunctions.arrayText(namedStepUuids));
  }

  JsonObject getAncestorResults(UUID stepUuid) {
    return sql.answer("get_ancestor_results(cast(? as uuid))", stepUuid).asJsonObject();
  }

  Optional<JsonArray> getAncestorBatchResults(UUID stepUuid, String batchStep, int after,
      int limit) {
    JsonValue page = sql.answer(
        "get_ancestor_batch_results(cast(? as uuid), ?, cast(? as int), cast(? as int))", stepUuid,
        batchStep, after, limit);
    return page == JsonValue.NULL ? Optional.empty() : Optional.of(page.asJsonArray());
  }

  private static String namespaces(Collection<String> namespaces) {
    return namespaces.isEmpty() ? null : SqlFunctions.arrayText(namespaces);
  }
}

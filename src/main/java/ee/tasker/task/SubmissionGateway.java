package ee.tasker.task;

import ee.tasker.engine.reply.SubmissionReply;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonValue;
import java.util.List;
import java.util.UUID;

/** Calls the functions of the database that take tasks and signals in. */
@Dependent
class SubmissionGateway {
  @Inject
  private SqlFunctions sql;

  @Inject
  private ServerIdentity server;

  SubmissionReply submitTasks(JsonArray requests, int claimLimit, long leaseSeconds,
      boolean start) {
    return SubmissionReply.of(
        sql.object("submit_tasks(cast(? as jsonb), cast(? as uuid), ?, cast(? as int), ?, true)",
            requests, server.uuid(), claimLimit, leaseSeconds, start));
  }

  JsonValue getSignalSchema(UUID task, String name) {
    return sql.json("get_signal_schema(cast(? as uuid), ?)", task, name);
  }

  JsonArray findSignalTargets(UUID correlationId, String name, int limit) {
    return sql.array("find_signal_targets(cast(? as uuid), ?, null, ?)", correlationId, name,
        limit);
  }

  /** The payload has been validated. */
  JsonArray queueSignals(List<UUID> tasks, String name, JsonValue payload, String signalId,
      String sentBy) {
    return sql.object(
        "queue_signals(cast(? as uuid[]), ?, cast(? as jsonb), cast(? as text), cast(? as text), true)",
        SqlFunctions.arrayText(tasks), name, payload.toString(), signalId, sentBy)
        .getJsonArray("signals");
  }
}

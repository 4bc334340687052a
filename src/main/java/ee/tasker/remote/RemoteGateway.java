package ee.tasker.remote;

import ee.tasker.engine.reply.CheckpointsReply;
import ee.tasker.engine.reply.StepResultsReply;
import ee.tasker.engine.reply.WorkerBatchReply;
import ee.tasker.engine.reply.WorkerClaimReply;
import ee.tasker.engine.reply.WorkerReply;
import ee.tasker.engine.reply.WorkerResultsReply;
import ee.tasker.platform.Json;
import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** Calls the functions of the database for external workers. */
@Dependent
class RemoteGateway {
  @Inject
  private SqlFunctions sql;

  WorkerReply registerWorker(JsonObject worker, String owner, String registeredBy) {
    return WorkerReply.of(
        sql.object("register_worker(cast(? as jsonb), null, ?, ?)", worker, owner, registeredBy));
  }

  List<WorkerClaimReply> claimStepsForWorkers(JsonArray polls, long leaseSeconds) {
    return WorkerClaimReply.of(sql
        .array("claim_steps_for_workers(cast(? as jsonb), cast(? as int))", polls, leaseSeconds));
  }

  /** @return JSON null for an unknown worker */
  JsonValue getWorkerClaims(UUID worker, String owner, JsonArray steps) {
    return sql.json("get_worker_claims(cast(? as uuid), ?, cast(? as jsonb))", worker, owner,
        steps);
  }

  WorkerResultsReply submitWorkerResults(ResultRequest request, long leaseSeconds, boolean settle) {
    return WorkerResultsReply.of(sql.object(
        "submit_worker_results(cast(? as uuid), ?, cast(? as jsonb), cast(? as jsonb), cast(? as int), ?)",
        request.worker(), request.owner(), request.results(),
        request.claims() == JsonValue.NULL ? null : request.claims(), leaseSeconds, settle));
  }

  List<WorkerResultsReply> submitResultsOfWorkers(List<ResultRequest> requests, long leaseSeconds,
      boolean settle) {
    JsonArrayBuilder array = Json.build().createArrayBuilder();
    requests.forEach(request -> array.add(request.toJson()));
    return sql
        .array("submit_results_of_workers(cast(? as jsonb), cast(? as int), ?)", array.build(),
            leaseSeconds, settle)
        .getValuesAs(JsonObject.class).stream().map(WorkerResultsReply::of).toList();
  }

  WorkerReply heartbeatWorker(UUID worker, String owner, int running, JsonArray steps, String state,
      long leaseSeconds, boolean settle) {
    return WorkerReply.of(sql.object(
        "heartbeat_worker(cast(? as uuid), ?, cast(? as jsonb), ?, cast(? as int), null, ?, ?)",
        worker, running, steps, state, leaseSeconds, owner, settle));
  }

  CheckpointsReply saveWorkerCheckpoints(UUID worker, String owner, JsonArray checkpoints,
      long leaseSeconds) {
    return CheckpointsReply.of(
        sql.object("save_worker_checkpoints(cast(? as uuid), ?, cast(? as jsonb), cast(? as int))",
            worker, owner, checkpoints, leaseSeconds));
  }

  StepResultsReply getWorkerStepResults(UUID worker, String owner, UUID step,
      Collection<String> names) {
    return StepResultsReply.of(sql
        .answer("get_worker_step_results(cast(? as uuid), ?, cast(? as uuid), cast(? as text[]))",
            worker, owner, step, SqlFunctions.arrayText(names))
        .asJsonObject());
  }

  WorkerBatchReply getWorkerBatchResults(UUID worker, String owner, UUID step, String batchStep,
      int after, int limit) {
    return WorkerBatchReply.of(sql.object(
        "get_worker_batch_results(cast(? as uuid), ?, cast(? as uuid), ?, cast(? as int), cast(? as int))",
        worker, owner, step, batchStep, after, limit));
  }

  WorkerReply drainWorker(UUID worker, String owner) {
    return WorkerReply
        .of(sql.object("drain_worker(cast(? as uuid), cast(? as text))", worker, owner));
  }

  JsonObject getWorkerDocuments() {
    return sql.answer("get_worker_documents()").asJsonObject();
  }

  JsonValue getWorkerDocument(UUID worker) {
    return sql.answer("get_worker_documents(cast(? as uuid))", worker);
  }
}

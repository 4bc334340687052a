package ee.tasker.remote;

import ee.tasker.engine.reply.CheckpointsReply;
import ee.tasker.engine.reply.StepResultsReply;
import ee.tasker.engine.reply.WorkerBatchReply;
import ee.tasker.engine.reply.WorkerClaimReply;
import ee.tasker.engine.reply.WorkerReply;
import ee.tasker.engine.reply.WorkerResultsReply;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import jakarta.transaction.Transactional;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * The calls of the database for external workers: each is one transaction, or joins that of its
 * caller. Thread-safe.
 */
@ApplicationScoped
@Transactional
public class RemoteCalls {
  @Inject
  private RemoteGateway gateway;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  public WorkerReply register(JsonObject worker, String owner, String registeredBy) {
    return gateway.registerWorker(worker, owner, registeredBy);
  }

  public List<WorkerClaimReply> claim(JsonArray polls) {
    return gateway.claimStepsForWorkers(polls, leaseSeconds());
  }

  public JsonValue held(UUID worker, String owner, JsonArray steps) {
    return gateway.getWorkerClaims(worker, owner, steps);
  }

  public WorkerResultsReply submit(ResultRequest request) {
    return gateway.submitWorkerResults(request, leaseSeconds(), live.has(Role.ORCHESTRATOR));
  }

  /** @return the replies in the order of the requests */
  public List<WorkerResultsReply> submit(List<ResultRequest> requests) {
    return gateway.submitResultsOfWorkers(requests, leaseSeconds(), live.has(Role.ORCHESTRATOR));
  }

  public WorkerReply heartbeat(UUID worker, String owner, int running, JsonArray steps,
      String state) {
    return gateway.heartbeatWorker(worker, owner, running, steps, state, leaseSeconds(),
        live.has(Role.ORCHESTRATOR));
  }

  public CheckpointsReply saveCheckpoints(UUID worker, String owner, JsonArray checkpoints) {
    return gateway.saveWorkerCheckpoints(worker, owner, checkpoints, leaseSeconds());
  }

  public StepResultsReply stepResults(UUID worker, String owner, UUID step,
      Collection<String> names) {
    return gateway.getWorkerStepResults(worker, owner, step, names);
  }

  public WorkerBatchReply batchResults(UUID worker, String owner, UUID step, String batchStep,
      int after, int limit) {
    return gateway.getWorkerBatchResults(worker, owner, step, batchStep, after, limit);
  }

  public WorkerReply drain(UUID worker, String owner) {
    return gateway.drainWorker(worker, owner);
  }

  public JsonObject workers() {
    return gateway.getWorkerDocuments();
  }

  public JsonValue worker(UUID worker) {
    return gateway.getWorkerDocument(worker);
  }

  private long leaseSeconds() {
    return settings.worker().lease().toSeconds();
  }
}

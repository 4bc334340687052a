package ee.tasker.remote;

import ee.tasker.document.Seals;
import ee.tasker.engine.reply.CheckpointsReply;
import ee.tasker.engine.reply.StepResultsReply;
import ee.tasker.engine.reply.WorkerBatchReply;
import ee.tasker.engine.reply.WorkerReply;
import ee.tasker.engine.reply.WorkerResultsReply;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.Json;
import ee.tasker.platform.JsonbCheck;
import ee.tasker.platform.Problem;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.sql.Meters;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepSeals;
import ee.tasker.step.StepSpec;
import ee.tasker.step.Steps;
import ee.tasker.step.model.StepKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What external workers may ask for, except to wait for steps, which {@link RemotePolls} does. A
 * worker belongs to the caller who
 * registered it ({@code owner}): to every other caller it does not exist. Thread-safe.
 */
@ApplicationScoped
public class RemoteWorkers {
  private static final Log LOG = Log.of(RemoteWorkers.class);
  /** In bytes of JSON; a single longer step is still delivered, alone. */
  static final int LONGEST_ANSWER = 4 * 1_048_576;
  private static final int REMEMBERED = 20_000;

  /** @param steps the next steps, when the worker has asked for them */
  public record Submission(JsonArray verdicts, String state, List<ClaimedStep> steps,
      Map<Integer, JsonObject> failed) {
  }

  @Inject
  private RemoteCalls calls;

  @Inject
  private ResultRequests requests;

  @Inject
  private RemotePolls polls;

  @Inject
  private Steps steps;

  @Inject
  private Seals seals;

  @Inject
  private WorkNotifier workNotifier;

  @Inject
  private Meters meters;

  @Inject
  private LiveSettings live;

  /** The definitions of steps that were claimed here; those of all others are looked up. */
  private final Map<UUID, StepSpec> remembered = new ConcurrentHashMap<>();

  /**
   * Registers a worker, or registers it again.
   *
   * @param worker as {@code tasker.register_worker} reads it
   * @return the reply; whether it {@code isNew}
   * @throws Problem 400 invalid-request; 409 worker-of-another-caller; 503 role-off
   */
  public WorkerReply register(JsonObject worker, UUID workerUuid, String owner,
      String registeredBy) {
    requireApi();
    WorkerReply reply = calls.register(worker, owner, registeredBy);
    if (reply.isForeign()) {
      throw Problem.of(409, "worker-of-another-caller",
          "another caller has registered worker " + workerUuid);
    }
    refuse(reply);
    LOG.write(LogEvent.WORKER_REGISTERED, "worker", workerUuid, "caller", registeredBy);
    return reply;
  }

  /** The message of the database begins with the field, which the problem names itself. */
  private static void refuse(WorkerReply reply) {
    reply.invalidField().ifPresent(field -> {
      throw Problem.invalid(field,
          reply.message().startsWith(field + " ") ? reply.message().substring(field.length() + 1)
              : reply.message());
    });
  }

  /** @throws Problem 503 role-off */
  public void requireApi() {
    if (!live.has(Role.API)) {
      throw Problem.of(503, "role-off", "this server does not accept workers");
    }
  }

  /**
   * Submits results in one transaction with everything that follows from them, and perhaps with
   * those of other workers. A successful result that does not fit its template's
   * result schema is recorded as a permanent failure, as for a handler of a server.
   *
   * @param next asks for the next steps in the same transaction; its wait is not regarded
   * @throws Problem 404 worker-not-found
   */
  public Submission submit(UUID worker, String owner, List<WorkerResult> results,
      Optional<Poll> next) {
    Map<Integer, JsonObject> failed = new HashMap<>();
    List<WorkerResult> checked = check(worker, owner, results, failed);
    long start = System.nanoTime();
    WorkerResultsReply reply = requests.submit(new ResultRequest(worker, owner, toJson(checked),
        next.<JsonValue>map(poll -> toJson(poll, "")).orElse(JsonValue.NULL)));
    if (reply.isUnknown()) {
      throw notFound(worker);
    }
    meters.resultsSubmitted(start);
    workNotifier.committed(reply);
    polls.capacityFreed(worker);
    record(checked, reply.accepted());
    failed.keySet().removeIf(index -> !reply.accepted().get(index));
    return new Submission(reply.verdicts(), reply.state(),
        read(worker, owner, reply.claimedSteps()), failed);
  }

  private List<WorkerResult> check(UUID worker, String owner, List<WorkerResult> results,
      Map<Integer, JsonObject> failed) {
    Map<UUID, StepSpec> specs = definitions(worker, owner,
        results.stream().filter(WorkerResult::isOfAHandler).toList());
    List<WorkerResult> checked = new ArrayList<>(results.size());
    for (WorkerResult result : results) {
      StepSpec spec = specs.get(result.stepUuid());
      Optional<JsonObject> rejection = spec == null || !result.endsWell() ? Optional.empty()
          : spec.rejection(result.result());
      rejection.ifPresent(error -> failed.put(checked.size(), error));
      WorkerResult fitting = rejection.map(result::failed).orElse(result);
      checked.add(spec == null ? fitting : fitting.sealed(new StepSeals(seals), spec));
    }
    return checked;
  }

  /** Of the steps that the worker holds: no other result is recorded. */
  private Map<UUID, StepSpec> definitions(UUID worker, String owner, List<WorkerResult> results) {
    Map<UUID, StepSpec> found = new HashMap<>();
    List<WorkerResult> unknown = new ArrayList<>();
    for (WorkerResult result : results) {
      StepSpec spec = remembered.get(result.stepUuid());
      if (spec == null) {
        unknown.add(result);
      } else {
        found.put(result.stepUuid(), spec);
      }
    }
    if (!unknown.isEmpty()) {
      if (!(calls.held(worker, owner, toJson(
          unknown.stream().map(each -> WorkerResult.released(each.stepUuid(), each.handoff()))
              .toList())) instanceof JsonArray held)) {
        throw notFound(worker);
      }
      learn(held);
      found.putAll(steps.definitions(held));
    }
    return found;
  }

  private void learn(JsonArray documents) {
    if (!steps.knows(documents)) {
      steps.learn(documents);
    }
  }

  private void record(List<WorkerResult> results, List<Boolean> accepted) {
    for (int i = 0; i < results.size(); i++) {
      WorkerResult result = results.get(i);
      remembered.remove(result.stepUuid());
      if (accepted.get(i) && result.isOfAHandler()) {
        result.executionTime().ifPresentOrElse(
            time -> meters.stepExecuted(result.outcome(), time),
            () -> meters.stepExecuted(result.outcome()));
        LOG.write(result.commits() ? LogEvent.STEP_FINISHED : LogEvent.STEP_FAILED, "step",
            result.stepUuid(), "handoff", result.handoff(),
            "outcome", result.outcome(), "error", result.commits() ? null : result.error());
      } else if (!accepted.get(i)) {
        LOG.write(LogEvent.RESULT_REFUSED, "step", result.stepUuid(), "handoff", result.handoff());
      }
    }
  }

  /**
   * Renews the worker's registration and the leases of the steps that it runs.
   *
   * @param running all steps that it runs, as objects with {@code step_uuid} and {@code handoff}
   * @throws Problem 404 worker-not-found
   */
  public WorkerReply heartbeat(UUID worker, String owner, JsonArray running, String state) {
    WorkerReply reply = calls.heartbeat(worker, owner, running.size(), running, state);
    if (reply.isUnknown()) {
      throw notFound(worker);
    }
    refuse(reply);
    workNotifier.tasksEnded(reply.ended());
    if (reply.hasQueued()) {
      workNotifier.stepsQueued();
    }
    polls.capacityFreed(worker);
    return reply;
  }

  /**
   * Saves checkpoints of steps that the worker runs, and renews their leases.
   *
   * @param checkpoints objects with {@code step_uuid}, {@code handoff} and {@code checkpoint}, each
   *   step once
   * @throws Problem 404 worker-not-found; 400 invalid-request when one is too long, and then none
   *   is saved
   */
  public CheckpointsReply saveCheckpoints(UUID worker, String owner, JsonArray checkpoints) {
    List<JsonObject> given = checkpoints.getValuesAs(JsonObject.class);
    Map<UUID, StepSpec> specs = definitions(worker, owner, given.stream().map(each -> WorkerResult
        .released(Json.uuid(each, "step_uuid"), each.getInt("handoff"))).toList());
    JsonArrayBuilder sealed = Json.build().createArrayBuilder();
    given.forEach(each -> {
      StepSpec spec = specs.get(Json.uuid(each, "step_uuid"));
      sealed.add(spec == null ? each : Json.build().createObjectBuilder(each)
          .add("checkpoint", new StepSeals(seals).sealCheckpoint(spec, each.get("checkpoint")))
          .build());
    });
    CheckpointsReply reply = calls.saveCheckpoints(worker, owner, sealed.build());
    if (reply.isUnknown()) {
      throw notFound(worker);
    }
    reply.invalid().ifPresent(index -> {
      throw Problem.invalid("checkpoints/" + index + "/checkpoint", reply.message());
    });
    return reply;
  }

  /**
   * The results of ancestors of a step that the worker holds.
   *
   * @throws Problem 404 worker-not-found, step-not-claimed
   */
  public StepResultsReply stepResults(UUID worker, String owner, UUID step,
      Collection<String> names) {
    StepResultsReply reply = calls.stepResults(worker, owner, step, names);
    checkHeld(worker, step, reply.isUnknown(), reply.isClaimed());
    return reply;
  }

  /**
   * A page of the results of a batch from which a step of the worker follows.
   *
   * @throws Problem 404 worker-not-found, step-not-claimed
   */
  public WorkerBatchReply batchResults(UUID worker, String owner, UUID step, String batchStep,
      int after, int limit) {
    WorkerBatchReply reply = calls.batchResults(worker, owner, step, batchStep, after, limit);
    checkHeld(worker, step, reply.isUnknown(), reply.isClaimed());
    return reply;
  }

  private static void checkHeld(UUID worker, UUID step, boolean isUnknown, boolean isClaimed) {
    if (isUnknown) {
      throw notFound(worker);
    }
    if (!isClaimed) {
      throw Problem.of(404, "step-not-claimed", "worker " + worker + " does not hold step " + step);
    }
  }

  /**
   * Drains a worker: it gets no more claims, its steps may end, and then it has stopped.
   *
   * @param owner null for an operator, who may drain every external worker
   * @throws Problem 404 worker-not-found
   */
  public WorkerReply drain(UUID worker, String owner, String by) {
    WorkerReply reply = calls.drain(worker, owner);
    if (reply.isUnknown()) {
      throw notFound(worker);
    }
    polls.end(worker);
    LOG.write(LogEvent.WORKER_DRAINED, "worker", worker, "caller", by, "state", reply.state());
    return reply;
  }

  /** @return as {@code tasker.get_worker_documents} */
  public JsonObject list() {
    return calls.workers();
  }

  /** @throws Problem 404 worker-not-found */
  public JsonObject describe(UUID worker) {
    if (calls.worker(worker) instanceof JsonObject found) {
      return found;
    }
    throw notFound(worker);
  }

  static Problem notFound(UUID worker) {
    return Problem.of(404, "worker-not-found", "there is no worker " + worker);
  }

  /**
   * Reads claimed steps, up to the longest answer; gives the others back, which uses no attempt.
   */
  List<ClaimedStep> read(UUID worker, String owner, JsonArray claimedSteps) {
    if (claimedSteps.isEmpty()) {
      return List.of();
    }
    meters.stepsClaimed(claimedSteps.size());
    List<JsonObject> documents = claimedSteps.getValuesAs(JsonObject.class);
    int fitting = 1;
    for (long length = JsonbCheck.size(documents.get(0)); fitting < documents.size(); fitting++) {
      length += JsonbCheck.size(documents.get(fitting));
      if (length > LONGEST_ANSWER || ClaimedStep.isLeftOut(documents.get(fitting))) {
        break;
      }
    }
    giveBackKeys(worker, owner,
        documents.subList(fitting, documents.size()).stream().map(ClaimedStep::key).toList());
    JsonArray sent = Json.build().createArrayBuilder(documents.subList(0, fitting)).build();
    learn(sent);
    List<ClaimedStep> kept = steps.read(sent);
    if (remembered.size() > REMEMBERED) {
      remembered.clear();
    }
    kept.forEach(step -> remembered.put(step.key().stepUuid(), step.definition()));
    return kept;
  }

  /**
   * Gives back claimed steps that the worker has not got. A fault leaves them to its next
   * heartbeat.
   */
  public void giveBack(UUID worker, String owner, List<ClaimedStep> unsent) {
    giveBackKeys(worker, owner, unsent.stream().map(ClaimedStep::key).toList());
  }

  private void giveBackKeys(UUID worker, String owner, List<StepKey> unsent) {
    if (unsent.isEmpty()) {
      return;
    }
    try {
      workNotifier.committed(calls.submit(new ResultRequest(worker, owner,
          toJson(unsent.stream().map(step -> WorkerResult.released(step.stepUuid(), step.handoff()))
              .toList()),
          JsonValue.NULL)));
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "submit_worker_results", "worker", worker);
    }
  }

  private static JsonArray toJson(List<WorkerResult> results) {
    JsonArrayBuilder array = Json.build().createArrayBuilder();
    results.forEach(result -> array.add(result.toJson()));
    return array.build();
  }

  /** @param kind what the database said of the request when it last looked; empty at first */
  static JsonObject toJson(Poll poll, String kind) {
    JsonObjectBuilder json = Json.build().createObjectBuilder()
        .add("worker_uuid", poll.workerUuid().toString()).add("owner", poll.owner())
        .add("max", poll.max());
    poll.requestId().ifPresent(id -> json.add("request_id", id));
    poll.namespaces().map(Set::stream).ifPresent(
        names -> json.add("namespaces", Json.build().createArrayBuilder(names.sorted().toList())));
    if (!kind.isEmpty()) {
      json.add("kind", kind);
    }
    return json.build();
  }
}

package ee.tasker.step;

import ee.tasker.engine.reply.CancelOrder;
import ee.tasker.engine.reply.ClaimReply;
import ee.tasker.engine.reply.DeclineReply;
import ee.tasker.engine.reply.HeartbeatReply;
import ee.tasker.engine.reply.ResultsReply;
import ee.tasker.platform.Json;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.Settings;
import ee.tasker.step.model.StepKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The facade for steps. Every method makes one call in its own transaction unless stated otherwise.
 * Thread-safe.
 */
@ApplicationScoped
@Transactional(Transactional.TxType.REQUIRES_NEW)
public class Steps {
  private final Map<UUID, StepSpec> definitions = new ConcurrentHashMap<>();

  private volatile JsonObject latestReport = JsonValue.EMPTY_JSON_OBJECT;
  private volatile int latestRunning;

  @Inject
  private StepGateway gateway;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  /** Claims up to {@code limit} steps from the queues of this server's namespaces. */
  public ClaimReply claim(int limit) {
    return gateway.claimSteps(limit, settings.worker().namespaces(), leaseSeconds());
  }

  /**
   * Submits results and claims up to {@code claimLimit} next steps in the same transaction:
   * successors first and, with
   * {@code claimFromQueues}, offers from the queues. On a server with the orchestrator role it also
   * advances the tasks.
   *
   * @param isAwaited whether a caller waits for the end of the task that the only result is of: if
   *   it ends, the reply has its document
   */
  public ResultsReply complete(Collection<StepResult> results, int claimLimit,
      boolean claimFromQueues, boolean isAwaited) {
    JsonArrayBuilder array = Json.build().createArrayBuilder();
    results.forEach(result -> array.add(isAwaited
        ? Json.build().createObjectBuilder(result.toJson()).add("is_awaited", true).build()
        : result.toJson()));
    boolean settles = live.has(Role.ORCHESTRATOR);
    return gateway.completeSteps(array.build(), claimLimit, settings.worker().namespaces(),
        leaseSeconds(), settles, claimFromQueues);
  }

  /**
   * Submits one result in the caller's transaction. The caller commits when the result is accepted
   * and rolls back
   * otherwise. The call locks the task and the step until that transaction ends, so make it the
   * last statement of the
   * transaction.
   *
   * @return a reply without claimed steps
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public ResultsReply completeWithin(StepResult result) {
    JsonArray array = Json.build().createArrayBuilder().add(result.toJson()).build();
    return gateway.completeSteps(array, 0, settings.worker().namespaces(), leaseSeconds(),
        live.has(Role.ORCHESTRATOR), false);
  }

  /**
   * Renews this server's registration and the leases of the steps that it still runs.
   *
   * @param report the state of this server, as {@code tasker.heartbeat} reads it
   */
  public HeartbeatReply heartbeat(int running, Collection<StepKey> steps, JsonObject report) {
    latestReport = report;
    latestRunning = running;
    String roles = live.roles().stream().map(Role::toString).sorted()
        .collect(Collectors.joining(","));
    return gateway.heartbeat(roles, live.capacity(), running, toJson(steps), leaseSeconds(),
        report);
  }

  /**
   * Renews the lease of one step between heartbeats. @return false when a later handoff has
   * replaced it, or the step has ended
   */
  public boolean renew(StepKey key) {
    return heartbeat(latestRunning, List.of(key), latestReport).lostSteps().isEmpty();
  }

  /** Returns the cancel requests for these running steps. */
  public List<CancelOrder> cancelRequests(Collection<StepKey> steps) {
    return gateway.getCancelRequests(toJson(steps));
  }

  /** Abandons running steps that this server will not finish. */
  public void abandon(Collection<StepKey> steps) {
    gateway.abandonSteps(toJson(steps));
  }

  /**
   * Releases steps that were claimed for this server more than {@code age} ago and are not in
   * {@code known}. @return how many steps
   */
  public int releaseUnknown(Collection<StepKey> known, Duration age) {
    return gateway.releaseUnknownSteps(toJson(known), age.toMillis());
  }

  /** @return false when a later handoff has replaced it, or the step has ended */
  public boolean saveCheckpoint(StepKey key, JsonValue checkpoint) {
    return gateway.saveCheckpoint(key.stepUuid(), key.handoff(), checkpoint.toString());
  }

  /**
   * The signals that a task has received, as {@code tasker.get_signal_documents}, with their
   * payloads.
   */
  public List<JsonObject> signals(UUID task) {
    return gateway.getSignalDocuments(task).getValuesAs(JsonObject.class);
  }

  /** Releases claimed steps that have not started. */
  public void release(Collection<StepKey> steps) {
    gateway.releaseSteps(toJson(steps));
  }

  /** Declines steps that this server cannot run; it is offered no more steps of their handlers. */
  public DeclineReply decline(Collection<StepKey> steps) {
    return gateway.declineSteps(toJson(steps));
  }

  /** Returns the results of all ancestors by step name. */
  public JsonObject ancestorResults(UUID stepUuid) {
    return gateway.getAncestorResults(stepUuid);
  }

  /**
   * Returns results of a batch that a step follows from, behind a batch number; empty when there is
   * no such batch.
   */
  public Optional<JsonArray> ancestorBatchResults(UUID stepUuid, String batchStep, int after,
      int limit) {
    return gateway.getAncestorBatchResults(stepUuid, batchStep, after, limit);
  }

  /** Joins the claimed steps that the database returned with the definitions of their templates. */
  @Transactional(Transactional.TxType.SUPPORTS)
  public List<ClaimedStep> read(JsonArray claimedSteps) {
    List<JsonObject> documents = claimedSteps.getValuesAs(JsonObject.class);
    List<ClaimedStep> read = new ArrayList<>(documents.size());
    for (JsonObject document : documents) {
      read.add(ClaimedStep.of(document, definitions.get(ClaimedStep.templateStepUuid(document))));
    }
    return read;
  }

  /** Whether {@link #read} can be called without {@link #learn}. */
  @Transactional(Transactional.TxType.SUPPORTS)
  public boolean knows(JsonArray claimedSteps) {
    return claimedSteps.getValuesAs(JsonObject.class).stream()
        .allMatch(document -> definitions.containsKey(ClaimedStep.templateStepUuid(document)));
  }

  /**
   * The definitions of steps, by step; documents have the keys of the step and of its template's
   * step.
   */
  @Transactional(Transactional.TxType.SUPPORTS)
  public Map<UUID, StepSpec> definitions(JsonArray documents) {
    Map<UUID, StepSpec> found = new HashMap<>();
    for (JsonObject document : documents.getValuesAs(JsonObject.class)) {
      found.put(ClaimedStep.stepUuid(document),
          definitions.get(ClaimedStep.templateStepUuid(document)));
    }
    return found;
  }

  /** Fetches the definitions of steps that this server does not know yet. */
  public void learn(JsonArray claimedSteps) {
    Set<UUID> unknown = new HashSet<>();
    for (JsonObject document : claimedSteps.getValuesAs(JsonObject.class)) {
      UUID uuid = ClaimedStep.templateStepUuid(document);
      if (!definitions.containsKey(uuid)) {
        unknown.add(uuid);
      }
    }
    gateway.getStepDefinitions(unknown).getValuesAs(JsonObject.class).stream().map(StepSpec::of)
        .forEach(definition -> definitions.put(definition.namedStepUuid(), definition));
  }

  private long leaseSeconds() {
    return settings.worker().lease().toSeconds();
  }

  private static JsonArray toJson(Collection<StepKey> steps) {
    JsonArrayBuilder array = Json.build().createArrayBuilder();
    for (StepKey step : steps) {
      array.add(Json.build().createObjectBuilder()
          .add("step_uuid", step.stepUuid().toString()).add("task_uuid", step.taskUuid().toString())
          .add("handoff", step.handoff()));
    }
    return array.build();
  }
}

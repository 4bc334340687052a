package ee.tasker.step;

import ee.tasker.engine.reply.CancelOrder;
import ee.tasker.engine.reply.ClaimReply;
import ee.tasker.engine.reply.ResultsReply;
import ee.tasker.platform.Json;
import ee.tasker.platform.LiveSettings;
import ee.tasker.platform.Role;
import ee.tasker.platform.Settings;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The component's door. Every method is one call and one transaction of its own, except where it says otherwise. Thread-safe. */
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
   * Submits results and takes up to {@code claimLimit} next steps in the same transaction: successors first and, if
   * asked to, offers from the queues. On a server with the orchestrator's role the tasks are advanced too.
   */
  public ResultsReply complete(Collection<StepResult> results, int claimLimit, boolean claimFromQueues) {
    JsonArrayBuilder array = Json.build().createArrayBuilder();
    results.forEach(result -> array.add(result.toJson()));
    boolean settles = live.has(Role.ORCHESTRATOR);
    return gateway.completeSteps(array.build(), claimLimit, settings.worker().namespaces(), leaseSeconds(), settles, claimFromQueues);
  }

  /**
   * Submits one result in the caller's transaction, which commits when nothing is refused and is rolled back otherwise.
   * Locks the task and the step to the end of that transaction, so it is to be the last that the transaction does.
   *
   * @return without claimed steps
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public ResultsReply completeWithin(StepResult result) {
    JsonArray array = Json.build().createArrayBuilder().add(result.toJson()).build();
    return gateway.completeSteps(array, 0, settings.worker().namespaces(), leaseSeconds(), live.has(Role.ORCHESTRATOR), false);
  }

  /**
   * Renews this server's registration and the leases of the steps that it still runs.
   *
   * @param report how this server is, as {@code tasker.heartbeat} takes it
   */
  public JsonObject heartbeat(int running, Collection<StepKey> steps, JsonObject report) {
    latestReport = report;
    latestRunning = running;
    String roles = live.roles().stream().map(Role::toString).sorted().collect(Collectors.joining(","));
    return gateway.heartbeat(roles, live.capacity(), running, toJson(steps), leaseSeconds(), report);
  }

  /** Renews the lease of one step between the heartbeats. @return false when a later handoff has taken its place, or the step has ended */
  public boolean renew(StepKey key) {
    return heartbeat(latestRunning, List.of(key), latestReport).getJsonArray("lost").isEmpty();
  }

  /** Which of these running steps are asked to stop. */
  public List<CancelOrder> cancelRequests(Collection<StepKey> steps) {
    return gateway.getCancelRequests(toJson(steps));
  }

  /** Gives up steps that this server is running and will not finish. */
  public JsonObject abandon(Collection<StepKey> steps) {
    return gateway.abandonSteps(toJson(steps));
  }

  /** Gives back what was claimed for this server more than {@code age} ago and is not among {@code known}. @return how many steps */
  public int releaseUnknown(Collection<StepKey> known, Duration age) {
    return gateway.releaseUnknownSteps(toJson(known), age.toMillis());
  }

  /** @return false when a later handoff has taken its place, or the step has ended */
  public boolean saveCheckpoint(StepKey key, JsonValue checkpoint) {
    return gateway.saveCheckpoint(key.stepUuid(), key.handoff(), checkpoint.toString());
  }

  /** Gives back steps that were claimed and never started. */
  public JsonObject release(Collection<StepKey> steps) {
    return gateway.releaseSteps(toJson(steps));
  }

  /**
   * Gives back steps that this server has no handler for, where another server has it.
   *
   * @return as {@code tasker.decline_steps}
   */
  public JsonObject decline(Collection<StepKey> steps) {
    return gateway.declineSteps(toJson(steps));
  }

  /** Results of all ancestors by step name. */
  public JsonObject ancestorResults(UUID stepUuid) {
    return gateway.getAncestorResults(stepUuid);
  }

  /** Completes claimed steps as the database returns them with what their templates say. */
  @Transactional(Transactional.TxType.SUPPORTS)
  public List<ClaimedStep> read(JsonArray claimedSteps) {
    List<JsonObject> documents = claimedSteps.getValuesAs(JsonObject.class);
    List<ClaimedStep> read = new ArrayList<>(documents.size());
    for (JsonObject document : documents) {
      read.add(ClaimedStep.of(document, definitions.get(Json.uuid(document, "template_step_uuid"))));
    }
    return read;
  }

  /** Whether {@link #learn} has to be called before {@link #read}. */
  @Transactional(Transactional.TxType.SUPPORTS)
  public boolean knows(JsonArray claimedSteps) {
    return claimedSteps.getValuesAs(JsonObject.class).stream()
        .allMatch(document -> definitions.containsKey(Json.uuid(document, "template_step_uuid")));
  }

  /** Fetches what the templates say of steps that this server has not met before. */
  public void learn(JsonArray claimedSteps) {
    Set<UUID> unknown = new HashSet<>();
    for (JsonObject document : claimedSteps.getValuesAs(JsonObject.class)) {
      UUID uuid = Json.uuid(document, "template_step_uuid");
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
          .add("step_uuid", step.stepUuid().toString()).add("task_uuid", step.taskUuid().toString()).add("handoff", step.handoff()));
    }
    return array.build();
  }
}

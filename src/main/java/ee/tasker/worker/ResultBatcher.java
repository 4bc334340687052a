package ee.tasker.worker;

import ee.tasker.message.Orchestrator;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.CallCoalescer;
import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.EngineThreads;
import ee.tasker.platform.Json;
import ee.tasker.platform.LiveSettings;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Meters;
import ee.tasker.platform.Role;
import ee.tasker.platform.Settings;
import ee.tasker.step.StepResult;
import ee.tasker.step.Steps;
import ee.tasker.task.CompletionWaiters;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Submits results. Whoever brings a result and finds nobody at it flushes what has gathered, so that a lone result
 * goes at once and many go together while a call is under way.
 *
 * <p>A fault of the database, checked or not, keeps the results here and tries again; the handoff makes a repetition harmless. If the
 * fault outlasts the lease, recovery takes the steps over and the results are refused as stale.
 */
@ApplicationScoped
class ResultBatcher {
  private static final Log LOG = Log.of(ResultBatcher.class);
  /** A step costs the database a third less in calls of 64 than in calls of 16, and little less in larger ones. */
  private static final int COMPANY = 64;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  @Inject
  private EngineThreads threads;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private Steps steps;

  @Inject
  private Permits permits;

  @Inject
  private OrphanedClaims orphanedClaims;

  @Inject
  private CompletionWaiters completionWaiters;

  @Inject
  private Meters meters;

  @Inject
  private WorkNotifier workNotifier;

  @Inject
  private Instance<Orchestrator> orchestrator;

  private final ConcurrentLinkedQueue<StepResult> waiting = new ConcurrentLinkedQueue<>();
  private CallCoalescer calls;
  private volatile Duration pause = Duration.ZERO;

  @PostConstruct
  void prepare() {
    calls = new CallCoalescer(settings.worker().flushers(), COMPANY, threads.timers(), () -> permits.moreResults());
  }

  void add(StepResult result) {
    waiting.add(result);
    calls.added(1);
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /**
   * Submits one batch of what has gathered, if a place is free.
   *
   * @return the next claimed steps, after which the caller looks again; null when there was nothing to do or others are at it,
   *     who will look again
   */
  JsonArray flush() {
    if (waiting.isEmpty() || !calls.tryAcquire()) {
      return null;
    }
    try {
      List<StepResult> batch = new ArrayList<>();
      for (StepResult next; batch.size() < settings.worker().batchSize() && (next = waiting.poll()) != null;) {
        batch.add(next);
      }
      calls.added(-batch.size());
      // Not null: while this place was held for nothing, somebody may have brought a result, found no place and left.
      return batch.isEmpty() ? JsonValue.EMPTY_JSON_ARRAY : submit(batch);
    } finally {
      calls.release();
    }
  }

  private JsonArray submit(List<StepResult> batch) {
    // The hands that did this batch are free for what comes next, and so are all others that are free now.
    int kept = permits.retain(batch.size());
    int free = kept + permits.reserve(settings.worker().batchSize());
    boolean claims = permits.takesOn() && permits.takeHint();
    JsonObject reply;
    long start = System.nanoTime();
    try {
      reply = steps.complete(batch, permits.takesOn() ? free : 0, claims);
      meters.resultsSubmitted(start);
      pause = Duration.ZERO;
    } catch (Exception fault) {
      permits.release(free - kept);
      permits.reacquire(batch.size() - kept);
      if (claims) {
        permits.hint();
      }
      return afterFault(batch, fault);
    }
    JsonArray claimedSteps = reply.getJsonArray("claimed_steps");
    permits.release(free - claimedSteps.size());
    if (claims && claimedSteps.size() >= free) {
      permits.hint();
    }
    report(batch, reply);
    return claimedSteps;
  }

  /** A result was submitted, or refused, without our doing; its permit is available again. */
  void submitted(StepResult result, JsonObject reply) {
    report(List.of(result), reply);
    permits.release(1);
  }

  private void report(List<StepResult> batch, JsonObject reply) {
    for (JsonObject refused : reply.getJsonArray("refused").getValuesAs(JsonObject.class)) {
      LOG.write(LogEvent.RESULT_REFUSED, "step", refused.getString("step_uuid"), "handoff", refused.getInt("handoff"),
          "verdict", refused.getString("verdict"));
    }
    batch.forEach(result -> permits.done(result.key()));
    completionWaiters.ended(reply.getJsonArray("ended"));
    workNotifier.changed();
    if (!live.has(Role.ORCHESTRATOR)) {
      workNotifier.orchestrationQueued();
    } else if (!reply.getJsonArray("queued").isEmpty()) {
      workNotifier.stepsQueued();
    }
    if (reply.get("next_retry_in_ms") instanceof JsonNumber next) {
      orchestrator.get().dueIn(Duration.ofMillis(next.longValue()));
    }
  }

  private JsonArray afterFault(List<StepResult> batch, Exception fault) {
    if (!DatabaseFaults.isAboutTheData(fault)) {
      orphanedClaims.expect();
      pause = pause.isZero() ? FIRST_PAUSE : shorter(pause.multipliedBy(2), LONGEST_PAUSE);
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "complete_steps", "results", batch.size(), "retry_ms", pause.toMillis());
      threads.timers().schedule(() -> retry(batch), pause.toMillis(), TimeUnit.MILLISECONDS);
      return JsonValue.EMPTY_JSON_ARRAY;
    }
    if (batch.size() == 1) {
      StepResult refused = batch.get(0);
      if (isNotStorable(refused)) {
        // Even the bare message was refused: the lease will run out and recovery decides.
        LOG.write(LogEvent.CALL_FAILED, fault, "call", "complete_steps", "step", refused.key().stepUuid());
        permits.done(refused.key());
        permits.release(1);
        return JsonValue.EMPTY_JSON_ARRAY;
      }
      return submit(List.of(Outcomes.notStorable(refused, DatabaseFaults.message(fault))));
    }
    // One result that cannot be stored must not keep the others back.
    JsonArrayBuilder claimedSteps = Json.build().createArrayBuilder();
    batch.forEach(result -> submit(List.of(result)).forEach(claimedSteps::add));
    return claimedSteps.build();
  }

  private void retry(List<StepResult> batch) {
    batch.forEach(this::add);
    permits.moreResults();
  }

  private static boolean isNotStorable(StepResult result) {
    return result.error() instanceof JsonObject error && "result_not_storable".equals(error.getString("type", ""));
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}

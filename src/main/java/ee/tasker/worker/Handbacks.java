package ee.tasker.worker;

import ee.tasker.message.Orchestrator;
import ee.tasker.message.WakeUps;
import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.EngineThreads;
import ee.tasker.platform.Json;
import ee.tasker.platform.LiveSettings;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Meters;
import ee.tasker.platform.Role;
import ee.tasker.platform.Settings;
import ee.tasker.platform.SharedCalls;
import ee.tasker.step.StepResult;
import ee.tasker.step.Steps;
import ee.tasker.task.TaskEndings;
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
 * Hands results back. Whoever brings a result and finds nobody at it flushes what has gathered, so that a lone result
 * goes at once and many go together while a call is under way.
 *
 * <p>A fault of the database, checked or not, keeps the results here and tries again; the attempt number makes a repetition harmless. If the
 * fault outlasts the lease, recovery takes the steps over and the results are refused as stale.
 */
@ApplicationScoped
class Handbacks {
  private static final Log LOG = Log.of(Handbacks.class);
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
  private Hands hands;

  @Inject
  private LostAnswers lostAnswers;

  @Inject
  private TaskEndings endings;

  @Inject
  private Meters meters;

  @Inject
  private WakeUps wakeUps;

  @Inject
  private Instance<Orchestrator> orchestrator;

  private final ConcurrentLinkedQueue<StepResult> waiting = new ConcurrentLinkedQueue<>();
  private SharedCalls calls;
  private volatile Duration pause = Duration.ZERO;

  @PostConstruct
  void prepare() {
    calls = new SharedCalls(settings.worker().flushers(), COMPANY, threads.timers(), () -> hands.moreResults());
  }

  void add(StepResult result) {
    waiting.add(result);
    calls.gathered(1);
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /**
   * Hands back one batch of what has gathered, if a place is free.
   *
   * @return the next assignments, after which the caller looks again; null when there was nothing to do or others are at it,
   *     who will look again
   */
  JsonArray flush() {
    if (waiting.isEmpty() || !calls.begin()) {
      return null;
    }
    try {
      List<StepResult> batch = new ArrayList<>();
      for (StepResult next; batch.size() < settings.worker().batchSize() && (next = waiting.poll()) != null; ) {
        batch.add(next);
      }
      calls.gathered(-batch.size());
      // Not null: while this place was held for nothing, somebody may have brought a result, found no place and left.
      return batch.isEmpty() ? JsonValue.EMPTY_JSON_ARRAY : handBack(batch);
    } finally {
      calls.end();
    }
  }

  private JsonArray handBack(List<StepResult> batch) {
    // The hands that did this batch are free for what comes next, and so are all others that are free now.
    int kept = hands.keep(batch.size());
    int free = kept + hands.reserve(settings.worker().batchSize());
    boolean claims = hands.takesOn() && hands.takeHint();
    JsonObject reply;
    long start = System.nanoTime();
    try {
      reply = steps.complete(batch, hands.takesOn() ? free : 0, claims);
      meters.resultsSubmitted(start);
      pause = Duration.ZERO;
    } catch (Exception fault) {
      hands.release(free - kept);
      hands.takeAgain(batch.size() - kept);
      if (claims) {
        hands.hint();
      }
      return afterFault(batch, fault);
    }
    JsonArray assignments = reply.getJsonArray("assignments");
    hands.release(free - assignments.size());
    if (claims && assignments.size() >= free) {
      hands.hint();
    }
    report(batch, reply);
    return assignments;
  }

  /** A result was handed back, or refused, without our doing; its hand is free again. */
  void handedBack(StepResult result, JsonObject reply) {
    report(List.of(result), reply);
    hands.release(1);
  }

  private void report(List<StepResult> batch, JsonObject reply) {
    for (JsonObject refused : reply.getJsonArray("refused").getValuesAs(JsonObject.class)) {
      LOG.write(LogEvent.RESULT_REFUSED, "step", refused.getString("step_uuid"), "attempt", refused.getInt("attempt"),
          "verdict", refused.getString("verdict"));
    }
    batch.forEach(result -> hands.done(result.key()));
    endings.ended(reply.getJsonArray("ended"));
    wakeUps.changed();
    if (!live.has(Role.ORCHESTRATOR)) {
      wakeUps.orchestrationQueued();
    } else if (!reply.getJsonArray("queued").isEmpty()) {
      wakeUps.stepsQueued();
    }
    if (reply.get("next_retry_in_ms") instanceof JsonNumber next) {
      orchestrator.get().dueIn(Duration.ofMillis(next.longValue()));
    }
  }

  private JsonArray afterFault(List<StepResult> batch, Exception fault) {
    if (!DatabaseFaults.isAboutTheData(fault)) {
      lostAnswers.expect();
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
        hands.done(refused.key());
        hands.release(1);
        return JsonValue.EMPTY_JSON_ARRAY;
      }
      return handBack(List.of(Outcomes.notStorable(refused, DatabaseFaults.message(fault))));
    }
    // One result that cannot be stored must not keep the others back.
    JsonArrayBuilder assignments = Json.build().createArrayBuilder();
    batch.forEach(result -> handBack(List.of(result)).forEach(assignments::add));
    return assignments.build();
  }

  private void retry(List<StepResult> batch) {
    batch.forEach(this::add);
    hands.moreResults();
  }

  private static boolean isNotStorable(StepResult result) {
    return result.error() instanceof JsonObject error && "result_not_storable".equals(error.getString("type", ""));
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}

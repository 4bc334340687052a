package ee.tasker.orchestration;

import ee.tasker.message.Orchestrator;
import ee.tasker.message.StepTaker;
import ee.tasker.message.WakeUps;
import ee.tasker.platform.EngineThreads;
import ee.tasker.platform.LiveSettings;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Role;
import ee.tasker.platform.Settings;
import ee.tasker.task.QueuedRequests;
import ee.tasker.task.TaskEndings;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;

/**
 * Runs the orchestrator's duties until each finds nothing more to do: when a wake-up says so, when a retry is due, and when
 * the poller comes round. One run at a time per server; a wake-up during a run causes another.
 */
@ApplicationScoped
public class Rounds implements Orchestrator {
  private static final Log LOG = Log.of(Rounds.class);
  private static final int BATCH = 200;
  private static final long SHORTEST_PAUSE_MS = 100;
  /** A bound on one run, so that a duty that always finds something cannot keep the others waiting for ever. */
  private static final int MOST_ROUNDS = 10_000;

  @Inject
  private EngineThreads threads;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private Orchestration orchestration;

  @Inject
  private QueuedRequests requests;

  @Inject
  private TaskEndings endings;

  @Inject
  private WakeUps wakeUps;

  @Inject
  private Instance<StepTaker> stepTaker;

  private final AtomicBoolean wanted = new AtomicBoolean();
  private final AtomicBoolean running = new AtomicBoolean();
  private volatile Instant lastProgress = Instant.now();
  private Alarm alarm;

  @PostConstruct
  void prepare() {
    alarm = new Alarm(threads.timers(), this::workArrived);
  }

  @PreDestroy
  void stop() {
    alarm.stop();
  }

  @Override
  public void workArrived() {
    wanted.set(true);
    try {
      threads.execute(this::runWhileWanted);
    } catch (RejectedExecutionException e) {
      LOG.write(LogEvent.CALL_FAILED, "call", "rounds", "cause", e.getMessage());
    }
  }

  /** Keeps one alarm, the earliest; what comes later is found by the run that it causes. */
  @Override
  public void dueIn(Duration delay) {
    if (settings.events()) {
      alarm.in(delay);
    }
  }

  boolean isRunning() {
    return running.get();
  }

  /** When a run last began or did one of its rounds. */
  Instant lastProgress() {
    return lastProgress;
  }

  /** Called by the poller, on its thread. */
  void poll() {
    wanted.set(true);
    runWhileWanted();
  }

  private void runWhileWanted() {
    while (live.has(Role.ORCHESTRATOR) && wanted.get() && running.compareAndSet(false, true)) {
      try {
        lastProgress = Instant.now();
        wanted.set(false);
        runAll();
      } catch (Exception fault) {
        LOG.write(LogEvent.CALL_FAILED, fault, "call", "orchestration");
      } finally {
        running.set(false);
      }
    }
  }

  private void runAll() {
    repeat("messages", hands -> orchestration.processStepResults(BATCH, hands));
    repeat("messages", hands -> requests.submit(BATCH, hands));
    repeat("tasks", hands -> requests.settleContexts(BATCH, hands));
    JsonObject last = repeat("tasks", hands -> orchestration.advanceDueTasks(BATCH, hands));
    if (last.get("next_wake_in_ms") instanceof JsonNumber next) {
      // What is due already and was not found is in another session's hands.
      dueIn(Duration.ofMillis(Math.max(next.longValue(), SHORTEST_PAUSE_MS)));
    }
  }

  private JsonObject repeat(String count, IntFunction<JsonObject> duty) {
    JsonObject reply = JsonValue.EMPTY_JSON_OBJECT;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      try {
        reply = once(duty);
      } catch (Exception fault) {
        // One duty that cannot be done keeps none of the others back.
        LOG.write(LogEvent.CALL_FAILED, fault, "call", "orchestration");
        return JsonValue.EMPTY_JSON_OBJECT;
      }
      if (reply.getInt(count, 0) == 0) {
        return reply;
      }
      wakeUps.changed();
    }
    wanted.set(true);
    return reply;
  }

  private JsonObject once(IntFunction<JsonObject> duty) {
    StepTaker worker = live.has(Role.WORKER) ? stepTaker.get() : null;
    int hands = worker == null ? 0 : worker.reserve(BATCH);
    JsonObject reply = JsonValue.EMPTY_JSON_OBJECT;
    try {
      reply = duty.apply(hands);
      lastProgress = Instant.now();
      return reply;
    } catch (Exception fault) {
      if (hands > 0) {
        worker.answerLost();
      }
      throw fault;
    } finally {
      if (worker != null) {
        worker.take(reply.containsKey("assignments") ? reply.getJsonArray("assignments") : JsonValue.EMPTY_JSON_ARRAY, hands);
      }
      if (reply.containsKey("queued") && !reply.getJsonArray("queued").isEmpty()) {
        wakeUps.stepsQueued();
      }
      if (reply.containsKey("ended")) {
        endings.ended(reply.getJsonArray("ended"));
      }
    }
  }
}

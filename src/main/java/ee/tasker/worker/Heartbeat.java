package ee.tasker.worker;

import ee.tasker.dispatch.Permits;
import ee.tasker.dispatch.RunningStep;
import ee.tasker.dispatch.RunningSteps;
import ee.tasker.message.Listener;
import ee.tasker.message.PeerNotifier;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.EngineThreads;
import ee.tasker.platform.Json;
import ee.tasker.platform.LiveSettings;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Role;
import ee.tasker.platform.Settings;
import ee.tasker.step.Steps;
import ee.tasker.step.model.StepKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Says now and then that this server lives and how it is, renews the leases of what it has been at for a while, and learns
 * which of its steps it has lost or is asked to stop, and whether other servers have fallen silent. A step that ends within a third of its lease never costs a renewal.
 */
@ApplicationScoped
public class Heartbeat {
  private static final Log LOG = Log.of(Heartbeat.class);
  private static final long SILENCE_SLACK_MS = 20;

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
  private RunningSteps running;

  @Inject
  private OverrunHandlers overruns;

  @Inject
  private PeerNotifier notifier;

  @Inject
  private WorkNotifier workNotifier;

  @Inject
  private CancelWatch cancels;

  @Inject
  private Listener listener;

  @Inject
  private HandlerRegistry handlers;

  private volatile Instant lastBeat;
  private volatile boolean lastBeatFailed;
  private volatile Instant lastSign = Instant.now();

  public void beat() {
    beat(state());
  }

  /** What this server says of itself: {@code healthy}, {@code degraded} or {@code draining}. */
  public String state() {
    return permits.isDraining() ? "draining" : problems().isEmpty() ? "healthy" : "degraded";
  }

  /** The last one: this server is gone, and nobody need wait to hear of it. */
  void lastBeat(String state) {
    beat(state);
  }

  private void beat(String state) {
    overruns.tell();
    long old = settings.worker().lease().toNanos() / 3;
    List<StepKey> held = running.all().stream()
        .filter(step -> step.ageNanos() > old)
        .map(step -> step.claimedStep().key())
        .toList();
    try {
      // A lost thread is no free one: recovery counts on what is free here.
      JsonObject reply = steps.heartbeat(running.count() + permits.lostCount(), held, report(state));
      reply.getJsonArray("lost").getValuesAs(JsonString.class).forEach(uuid -> lost(UUID.fromString(uuid.getString())));
      if (!reply.getJsonArray("cancel_requested").isEmpty()) {
        cancels.cancelRequested();
      }
      notifier.setOthers(reply.getInt("servers") > 1);
      if (!reply.getJsonArray("lost_servers").isEmpty()) {
        LOG.write(LogEvent.SERVER_LOST, "lost", reply.get("lost_servers"), "steps", reply.getInt("expired_steps"));
        workNotifier.orchestrationQueued();
      }
      if (reply.getBoolean("takes_changed")) {
        workNotifier.stepsQueued();
      }
      watchSilence(reply);
      lastBeat = Instant.now();
      lastBeatFailed = false;
      LOG.databaseAnswered();
    } catch (Exception fault) {
      lastBeatFailed = true;
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "heartbeat");
    } finally {
      lastSign = Instant.now();
    }
  }

  /** When another server counts as lost before the next beat unless it is heard, looks at that time. None does while all are heard. */
  private void watchSilence(JsonObject reply) {
    if (reply.get("next_silence_in_ms") instanceof JsonNumber next && next.longValue() < settings.worker().heartbeat().toMillis()
        && !permits.isDraining()) {
      try {
        threads.timers().schedule(() -> beat(), next.longValue() + SILENCE_SLACK_MS, TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        LOG.write(LogEvent.CALL_FAILED, "call", "heartbeat", "cause", e.getMessage());
      }
    }
  }

  private JsonObject report(String state) {
    JsonObjectBuilder report = Json.build().createObjectBuilder()
        .add("state", state)
        .add("heartbeat_seconds", settings.worker().heartbeat().toSeconds())
        // A server that never runs steps has no handlers to offer; one whose role is paused still has them.
        .add("handlers", Json.build().createArrayBuilder(settings.has(Role.WORKER) ? handlers.names() : Set.of()))
        .add("resolvers", Json.build().createArrayBuilder(settings.has(Role.WORKER) ? handlers.resolverNames() : Set.of()))
        .add("problems", Json.build().createArrayBuilder(problems()));
    if (!settings.worker().namespaces().isEmpty()) {
      report.add("namespaces", Json.build().createArrayBuilder(settings.worker().namespaces()));
    }
    return report.build();
  }

  /** What keeps this server from being as good as another, in words for {@code get_servers}. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (!listener.isHealthy()) {
      problems.add("the listening connection is lost");
    }
    if (lastBeatFailed) {
      problems.add("the heartbeat before this one did not reach the database");
    }
    int stuck = overruns.stuck();
    if (stuck > 0) {
      problems.add(stuck + " of " + live.capacity()
          + " handler threads are kept by handlers that have not returned although their step was given up");
    }
    if (!live.pausedRoles().isEmpty()) {
      problems.add("paused here: " + live.pausedRoles().stream().map(Role::toString).sorted().collect(Collectors.joining(", ")));
    }
    return problems;
  }

  private void lost(UUID stepUuid) {
    RunningStep step = running.find(stepUuid);
    // Submitted between the list and the answer is no loss.
    if (step != null && !step.isOver()) {
      step.markLost();
      LOG.write(LogEvent.LEASE_LOST, "task", step.claimedStep().key().taskUuid(), "step", stepUuid,
          "attempt", step.claimedStep().attempt(), "correlation", step.claimedStep().correlationId(),
          "trace", step.claimedStep().traceId());
    }
  }

  /** When a beat last came to its end, heard or not; before the first, when this bean was made. */
  public Instant lastSign() {
    return lastSign;
  }

  /** When the database last heard of us; null before the first time. */
  public Instant lastBeat() {
    return lastBeat;
  }
}

package ee.tasker.worker;

import ee.tasker.dispatch.Permits;
import ee.tasker.dispatch.RunningStep;
import ee.tasker.dispatch.RunningSteps;
import ee.tasker.engine.reply.HeartbeatReply;
import ee.tasker.message.Listener;
import ee.tasker.message.PeerNotifier;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.Json;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.sql.DatabaseUsability;
import ee.tasker.platform.thread.EngineThreads;
import ee.tasker.platform.thread.StartSequence;
import ee.tasker.step.Steps;
import ee.tasker.step.model.StepKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Periodically registers this server as alive with its state, renews the leases of the steps that
 * it has held for more than
 * a third of a lease, and learns which of its steps it has lost or should cancel, and which other
 * servers are lost. A step
 * that ends within a third of its lease never costs a renewal.
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
  private StartSequence start;

  @Inject
  private Listener listener;

  @Inject
  private HandlerRegistry handlers;

  @Inject
  private DatabaseUsability usability;

  /** The last that was heard of; 0 before the first heartbeat. */
  private volatile int installation;
  private volatile Instant lastBeat;
  private volatile boolean lastBeatFailed;
  private volatile Instant lastSign = Instant.now();

  public void beat() {
    beat(state());
  }

  /** The state that this server reports: {@code healthy}, {@code degraded} or {@code draining}. */
  public String state() {
    return permits.isDraining() ? "draining" : problems().isEmpty() ? "healthy" : "degraded";
  }

  /**
   * The last heartbeat: reports that this server has stopped, so that the others need not wait for
   * its heartbeats to time out.
   */
  void lastBeat(String state) {
    beat(state);
  }

  private void beat(String state) {
    overruns.logStuck();
    long old = settings.worker().lease().toNanos() / 3;
    List<StepKey> held = running.all().stream()
        .filter(step -> step.ageNanos() > old)
        .map(step -> step.claimedStep().key())
        .toList();
    try {
      // A lost thread counts as busy: recovery relies on the available capacity that this server
      // reports.
      HeartbeatReply reply = steps.heartbeat(running.count() + permits.lostCount(), held,
          report(state));
      reply.lostSteps().forEach(this::lost);
      if (reply.isCancelRequested()) {
        cancels.cancelRequested();
      }
      notifier.setOthers(reply.servers() > 1);
      if (!reply.lostServers().isEmpty()) {
        LOG.write(LogEvent.SERVER_LOST, "lost",
            Json.build()
                .createArrayBuilder(reply.lostServers().stream().map(UUID::toString).toList())
                .build(),
            "steps", reply.expiredSteps());
        workNotifier.orchestrationQueued();
      }
      if (reply.hasNewSteps()) {
        workNotifier.stepsQueued();
      }
      heard(reply.installation());
      permits.register();
      reply.nextSilenceIn().ifPresent(this::watchSilence);
      lastBeat = Instant.now();
      lastBeatFailed = false;
      if (usability.problem().isEmpty()) {
        LOG.databaseAnswered();
      }
    } catch (Exception fault) {
      lastBeatFailed = true;
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "heartbeat");
    } finally {
      lastSign = Instant.now();
    }
  }

  /** A server or an administrator that upgrades does not tell the servers that are at work. */
  private void heard(int latest) {
    if (installation != 0 && installation != latest) {
      start.lookAgain();
    }
    installation = latest;
  }

  /**
   * Schedules an extra heartbeat for the time at which another server counts as lost, when that is
   * before the next regular one.
   */
  private void watchSilence(Duration next) {
    if (next.compareTo(settings.worker().heartbeat()) < 0 && !permits.isDraining()) {
      try {
        threads.timers().schedule(() -> beat(), next.toMillis() + SILENCE_SLACK_MS,
            TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        LOG.write(LogEvent.CALL_FAILED, "call", "heartbeat", "cause", e.getMessage());
      }
    }
  }

  private JsonObject report(String state) {
    JsonObjectBuilder report = Json.build().createObjectBuilder()
        .add("state", state)
        .add("heartbeat_seconds", settings.worker().heartbeat().toSeconds())
        // A server without the worker role declares no handlers; one whose role is paused still
        // does.
        .add("handlers",
            Json.build()
                .createArrayBuilder(settings.has(Role.WORKER) ? handlers.names() : Set.of()))
        .add("resolvers",
            Json.build().createArrayBuilder(
                settings.has(Role.WORKER) ? handlers.resolverNames() : Set.of()))
        .add("problems", Json.build().createArrayBuilder(problems()));
    if (!settings.worker().namespaces().isEmpty()) {
      report.add("namespaces", Json.build().createArrayBuilder(settings.worker().namespaces()));
    }
    return report.build();
  }

  /** Why this server reports {@code degraded}, as sentences for {@code get_servers}. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (!listener.isHealthy()) {
      problems.add("the listening connection is lost");
    }
    if (lastBeatFailed) {
      problems.add("the previous heartbeat did not reach the database");
    }
    usability.problem().ifPresent(problems::add);
    int stuck = overruns.stuck();
    if (stuck > 0) {
      problems.add(stuck + " of " + live.capacity()
          + " handler threads are occupied by handlers that have not returned although their step has ended");
    }
    if (!live.pausedRoles().isEmpty()) {
      problems.add("paused here: " + live.pausedRoles().stream().map(Role::toString).sorted()
          .collect(Collectors.joining(", ")));
    }
    return problems;
  }

  private void lost(UUID stepUuid) {
    RunningStep step = running.find(stepUuid);
    // A step that was submitted between the request and the reply is not lost.
    if (step != null && !step.isOver()) {
      step.markLost();
      LOG.write(LogEvent.LEASE_LOST, "task", step.claimedStep().key().taskUuid(), "step", stepUuid,
          "attempt", step.claimedStep().attempt(), "namespace",
          step.claimedStep().definition().namespace(), "correlation",
          step.claimedStep().correlationId(),
          "trace", step.claimedStep().traceId());
    }
  }

  /**
   * When the last heartbeat ended, successful or not; before the first, when this bean was created.
   */
  public Instant lastSign() {
    return lastSign;
  }

  /** When the last successful heartbeat ended; null before the first. */
  public Instant lastBeat() {
    return lastBeat;
  }
}

package ee.tasker.management;

import ee.tasker.insight.Insight;
import ee.tasker.message.Orchestrator;
import ee.tasker.orchestration.Poller;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.ThreadPools;
import ee.tasker.worker.Heartbeat;
import ee.tasker.worker.Worker;
import ee.tasker.worker.WorkerLifecycle;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The component's facade. Thread-safe; opens no transaction itself. */
@ApplicationScoped
public class ServerManagement {
  private static final Log LOG = Log.of(ServerManagement.class);

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private ServerIdentity server;

  @Inject
  private Worker worker;

  @Inject
  private ThreadPools pools;

  @Inject
  private WorkerLifecycle workerLifecycle;

  @Inject
  private Heartbeat heartbeat;

  @Inject
  private Poller poller;

  @Inject
  private Orchestrator orchestrator;

  @Inject
  private Insight insight;

  /** Includes queue depths, which are queried from the database. */
  public ServerView view() {
    return view(insight.queueDepths());
  }

  /** This server's own state, without queue depths. */
  ServerView own() {
    return view(Map.of());
  }

  private ServerView view(Map<String, Long> depths) {
    return new ServerView(server.uuid(), server.name(), heartbeat.state(), heartbeat.problems(),
        words(live.roles()), words(live.pausedRoles()), live.capacity(), live.pollInterval(),
        worker.runningSteps(), worker.availableCapacity(), worker.stuckThreads(), pools.sizes(),
        worker.heldSteps(), depths);
  }

  /** @throws IllegalArgumentException listing everything that is wrong; nothing was changed then */
  public synchronized void change(ServerChange change) {
    check(change);
    change.pausedRoles().ifPresent(this::pause);
    change.capacity().ifPresent(worker::changeCapacity);
    change.pollInterval().ifPresent(poller::changeInterval);
    change.draining().filter(draining -> draining != worker.isDraining()).ifPresent(draining -> {
      if (draining) {
        workerLifecycle.drain();
      } else {
        workerLifecycle.stopDraining();
      }
    });
    LOG.write(LogEvent.SERVER_CHANGED, "server", server.uuid(), "by", change.by(), "reason",
        change.reason(),
        "paused_roles", change.pausedRoles().map(ServerManagement::words).orElse(null),
        "worker_capacity", change.capacity().orElse(null),
        "poll_interval_seconds", change.pollInterval().map(Duration::toSeconds).orElse(null),
        "draining", change.draining().orElse(null));
    // Other servers should see the change before the next regular heartbeat.
    heartbeat.beat();
  }

  private void check(ServerChange change) {
    Set<Role> foreign = new HashSet<>(change.pausedRoles().orElse(Set.of()));
    foreign.removeAll(settings.roles());
    if (!foreign.isEmpty()) {
      throw new IllegalArgumentException(
          "this server is not configured with the role " + String.join(", ", words(foreign)));
    }
    require("the capacity", change.capacity(), 1, LiveSettings.MOST_CAPACITY);
    require("the poll interval in seconds",
        change.pollInterval().map(interval -> Math.toIntExact(interval.toSeconds())), 0,
        LiveSettings.LONGEST_POLL_SECONDS);
  }

  private static void require(String what, Optional<Integer> value, int least, int most) {
    if (value.filter(number -> number < least || number > most).isPresent()) {
      throw new IllegalArgumentException(
          what + " must be from " + least + " to " + most + ", not " + value.get());
    }
  }

  private void pause(Set<Role> paused) {
    for (Role role : Role.values()) {
      if (paused.contains(role)) {
        live.pause(role);
      } else {
        live.resume(role);
      }
    }
    if (!live.has(Role.WORKER)) {
      worker.pause();
    } else {
      worker.resume();
    }
    if (live.has(Role.ORCHESTRATOR)) {
      orchestrator.workArrived();
    }
  }

  private static List<String> words(Collection<Role> roles) {
    return roles.stream().map(Role::toString).sorted().toList();
  }
}

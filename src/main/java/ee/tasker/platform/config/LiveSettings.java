package ee.tasker.platform.config;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The {@link Settings} that an administrator may change while this server runs. Starts with the
 * configured values, the roles paused if it is to, and loses
 * every change when the server stops. Holds values only; the code that changes one also notifies
 * those affected.
 * Thread-safe.
 */
@ApplicationScoped
public class LiveSettings {
  public static final int MOST_CAPACITY = 10_000;
  public static final int LONGEST_POLL_SECONDS = 86_400;

  @Inject
  private Settings settings;

  private final Set<Role> paused = ConcurrentHashMap.newKeySet();
  private volatile int capacity;
  private volatile Duration pollInterval;

  @PostConstruct
  void begin() {
    capacity = settings.worker().capacity();
    pollInterval = settings.pollInterval();
    if (settings.startsPaused()) {
      paused.addAll(Set.of(Role.ORCHESTRATOR, Role.WORKER));
    }
  }

  /** Whether a role is active on this server: configured and not paused. */
  public boolean has(Role role) {
    return settings.has(role) && !paused.contains(role);
  }

  /** The active roles. */
  public Set<Role> roles() {
    return settings.roles().stream().filter(this::has).collect(Collectors.toUnmodifiableSet());
  }

  /** The roles that are configured but paused. */
  public Set<Role> pausedRoles() {
    return settings.roles().stream().filter(role -> !has(role))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether it is paused: after a paused start also one that is not configured. */
  public boolean isPaused(Role role) {
    return paused.contains(role);
  }

  public void pause(Role role) {
    paused.add(role);
  }

  public void resume(Role role) {
    paused.remove(role);
  }

  /** Steps that may be claimed at a time. */
  public int capacity() {
    return capacity;
  }

  public void changeCapacity(int steps) {
    capacity = steps;
  }

  /** Zero disables the poller. */
  public Duration pollInterval() {
    return pollInterval;
  }

  public void changePollInterval(Duration interval) {
    pollInterval = interval;
  }
}

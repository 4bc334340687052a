package ee.tasker.platform;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * What of the {@link Settings} an administrator may change while this server runs. Begins with what was configured and forgets
 * every change when the server stops. Says what is so; who changes something also tells those whom it concerns. Thread-safe.
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
  }

  /** Whether this server takes part in a role now: it was given it, and nobody has paused it. */
  public boolean has(Role role) {
    return settings.has(role) && !paused.contains(role);
  }

  /** The roles that it takes part in now. */
  public Set<Role> roles() {
    return settings.roles().stream().filter(this::has).collect(Collectors.toUnmodifiableSet());
  }

  /** The roles that it was given and takes no part in at the moment. */
  public Set<Role> pausedRoles() {
    return settings.roles().stream().filter(role -> !has(role)).collect(Collectors.toUnmodifiableSet());
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

  /** Zero: the poller does not come round. */
  public Duration pollInterval() {
    return pollInterval;
  }

  public void changePollInterval(Duration interval) {
    pollInterval = interval;
  }
}

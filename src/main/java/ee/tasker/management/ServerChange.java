package ee.tasker.management;

import ee.tasker.platform.config.Role;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * A change to this server; empty members keep their value.
 *
 * @param pausedRoles  all roles to be paused; the server's other roles are resumed
 * @param capacity     steps that may be claimed at a time
 * @param pollInterval zero for never
 * @param draining     whether the worker drains
 * @param by           who makes the change
 * @param reason       why, for the log; may be null
 */
public record ServerChange(
    Optional<Set<Role>> pausedRoles, Optional<Integer> capacity, Optional<Duration> pollInterval,
    Optional<Boolean> draining, String by, String reason) {

  public ServerChange {
    pausedRoles = pausedRoles.map(Set::copyOf);
  }
}

package ee.tasker.management;

import ee.tasker.platform.Role;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * What is to be different from now on; what is empty stays as it is.
 *
 * @param pausedRoles  all that are to be paused; the others of this server are not
 * @param capacity     steps that may be claimed at a time
 * @param pollInterval zero for never
 * @param draining     whether the worker is on its way out
 * @param by           who wants it
 * @param reason       why, for the log; may be null
 */
public record ServerChange(
    Optional<Set<Role>> pausedRoles, Optional<Integer> capacity, Optional<Duration> pollInterval, Optional<Boolean> draining, String by,
    String reason) {

  public ServerChange {
    pausedRoles = pausedRoles.map(Set::copyOf);
  }
}

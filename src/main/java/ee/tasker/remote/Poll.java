package ee.tasker.remote;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * A request of a worker for steps.
 *
 * @param owner      the caller, who must have registered the worker
 * @param namespaces where the caller may work; empty for everywhere
 * @param max        how many steps it may get; never more than its capacity leaves
 * @param requestId  the same id again gets the same steps while the worker holds them
 * @param waitTime       how long it waits for the first step; zero for no time
 */
public record Poll(UUID workerUuid, String owner, Optional<Set<String>> namespaces, int max,
    Optional<String> requestId, Duration waitTime) {
  /** The same request of a caller who may work in other namespaces now. */
  Poll in(Optional<Set<String>> others) {
    return new Poll(workerUuid, owner, others, max, requestId, waitTime);
  }
}

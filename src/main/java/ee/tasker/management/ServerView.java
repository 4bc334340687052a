package ee.tasker.management;

import ee.tasker.worker.HeldStep;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * This server as it is now.
 *
 * @param state       {@code healthy}, {@code degraded} or {@code draining}, as its next heartbeat will say
 * @param problems    why it is degraded
 * @param roles       what it takes part in
 * @param pausedRoles what it was given and takes no part in at the moment
 * @param stuckThreads threads of handlers that have not returned although their step was given up
 * @param threads     threads that there are now, by what they do
 * @param leases      the steps that it runs, longest first
 * @param queueDepths messages on each queue of the installation
 */
public record ServerView(
    UUID uuid, String name, String state, List<String> problems, List<String> roles, List<String> pausedRoles, int capacity,
    Duration pollInterval, int runningSteps, int availableCapacity, int stuckThreads, Map<String, Integer> threads, List<HeldStep> leases,
    Map<String, Long> queueDepths) {

  public ServerView {
    problems = List.copyOf(problems);
    roles = List.copyOf(roles);
    pausedRoles = List.copyOf(pausedRoles);
    threads = Map.copyOf(threads);
    leases = List.copyOf(leases);
    queueDepths = Map.copyOf(queueDepths);
  }
}

package ee.tasker.management;

import ee.tasker.worker.HeldStep;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * This server's current state.
 *
 * @param state       {@code healthy}, {@code degraded} or {@code draining}, as its next heartbeat
 *   will report
 * @param problems    why it is degraded
 * @param roles       the active roles
 * @param pausedRoles the configured roles that are paused
 * @param stuckThreads threads of handlers that are still running although their step was abandoned
 * @param threads     current threads by purpose
 * @param leases      the steps that this server runs, longest first
 * @param queueDepths messages on each queue of the installation
 */
public record ServerView(
    UUID uuid, String name, String state, List<String> problems, List<String> roles,
    List<String> pausedRoles, int capacity, Duration pollInterval, int runningSteps,
    int availableCapacity, int stuckThreads, Map<String, Integer> threads, List<HeldStep> leases,
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

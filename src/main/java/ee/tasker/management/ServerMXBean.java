package ee.tasker.management;

import java.util.List;
import java.util.Map;

/**
 * {@code ee.tasker:type=Server} in the application server's MBean server. Changes last until the
 * server stops; each one is
 * logged.
 */
public interface ServerMXBean {

  /** Drawn at every start; identifies this server in the registry of servers. */
  String getUuid();

  /** Host and process. */
  String getName();

  /** {@code healthy}, {@code degraded} or {@code draining}. */
  String getState();

  /** Why the state is {@code degraded}. */
  List<String> getProblems();

  /** The active roles. */
  List<String> getRoles();

  List<String> getPausedRoles();

  /** Steps that may be claimed at a time. */
  int getWorkerCapacity();

  void setWorkerCapacity(int steps);

  /** The interval of the fallback poller; 0 for never. */
  int getPollIntervalSeconds();

  void setPollIntervalSeconds(int seconds);

  int getRunningSteps();

  int getAvailableCapacity();

  /**
   * Threads of handlers that are still running although their step was abandoned; each lowers the
   * number of steps claimed
   * by one.
   */
  int getStuckThreads();

  /** Current threads by purpose: engine, handler, stream, wait. */
  Map<String, Integer> getThreads();

  /** The steps that this server has claimed, longest first. */
  List<Lease> getLeases();

  /** Messages on each queue of the installation; queries the database. */
  Map<String, Long> getQueueDepths();

  /** @param role {@code api}, {@code orchestrator} or {@code worker} */
  void pause(String role);

  /** @param role {@code api}, {@code orchestrator} or {@code worker} */
  void resume(String role);

  /**
   * Stops claiming, releases steps that have not started and reports not ready; running steps
   * continue.
   */
  void drain();

  /** Claims again. */
  void stopDraining();

  /** A step claimed by this server. */
  interface Lease {
    String getTaskUuid();

    String getStepUuid();

    int getAttempt();

    long getHeldSeconds();
  }
}

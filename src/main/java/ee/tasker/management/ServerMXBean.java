package ee.tasker.management;

import java.util.List;
import java.util.Map;

/** {@code ee.tasker:type=Server} in the server's own MBean server. Changes last until the server stops; each is in the log. */
public interface ServerMXBean {

  /** Drawn at every start; the registry of servers knows it by this. */
  String getUuid();

  /** Host and process. */
  String getName();

  /** {@code healthy}, {@code degraded} or {@code draining}. */
  String getState();

  /** Why it is degraded. */
  List<String> getProblems();

  /** What it takes part in now. */
  List<String> getRoles();

  List<String> getPausedRoles();

  /** Steps that may be claimed at a time. */
  int getWorkerCapacity();

  void setWorkerCapacity(int steps);

  /** How often the safety net looks for what was missed; 0 for never. */
  int getPollIntervalSeconds();

  void setPollIntervalSeconds(int seconds);

  int getRunningSteps();

  int getAvailableCapacity();

  /** Threads of handlers that have not returned although their step was given up a while ago; that many steps fewer are claimed. */
  int getStuckThreads();

  /** Threads that there are now, by what they do: engine, handler, stream, wait. */
  Map<String, Integer> getThreads();

  /** The steps that this server has claimed, longest first. */
  List<Lease> getLeases();

  /** Messages on each queue of the installation; asks the database. */
  Map<String, Long> getQueueDepths();

  /** @param role {@code api}, {@code orchestrator} or {@code worker} */
  void pause(String role);

  /** @param role {@code api}, {@code orchestrator} or {@code worker} */
  void resume(String role);

  /** Claims nothing more, offers again what has not started, is no longer ready; what runs goes on. */
  void drain();

  /** Claims again. */
  void stopDraining();

  /** A step in this server's charge. */
  interface Lease {
    String getTaskUuid();

    String getStepUuid();

    int getAttempt();

    long getHeldSeconds();
  }
}

package ee.tasker.message;

/** The orchestrating part of this server, as those see it who know of work for it. */
public interface Orchestrator {

  /** Says that results, requests or tasks may be waiting. */
  void workArrived();

  /** Says that something is due at a time, by the database's clock. */
  void dueIn(java.time.Duration delay);
}

package ee.tasker.message;

/** The orchestrator of this server, as seen by components that have work for it. */
public interface Orchestrator {

  /** Results, requests or tasks may be waiting. */
  void workArrived();

  /** Work is due after this delay, by the database's clock. */
  void dueIn(java.time.Duration delay);
}

package ee.tasker.message;

/** The results of this server's worker that the database has not taken yet, as seen by calls that can let them go first. */
public interface ResultBacklog {

  /** Whether the worker claims no further step because of them: it has no permit left, and such results hold at least half of its capacity. */
  boolean holdsUpTheWorker();
}

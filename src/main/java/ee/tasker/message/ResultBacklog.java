package ee.tasker.message;

/**
 * The results of this server's worker that the database has not taken yet, as seen by calls that
 * can let them go first.
 */
public interface ResultBacklog {

  /** Whether they hold at least half of the capacity of a worker that claims steps. */
  boolean holdsUpTheWorker();
}

package ee.tasker.message;

/** Brings cancel requests to the handlers that run on this server. */
public interface CancelListener {

  /** A task was cancelled whose steps may be running on this server. */
  void cancelRequested();
}

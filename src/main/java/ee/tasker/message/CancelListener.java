package ee.tasker.message;

/** Brings cancel requests to the handlers that run on this server. */
public interface CancelListener {

  /** Says that a task was cancelled, whose steps may be running here. */
  void cancelRequested();
}

package ee.tasker.message;

/**
 * Claims from the queues for the workers outside the servers whose requests wait on this server.
 */
public interface PollListener {

  /** A queue may have steps for them. Returns at once. */
  void offersQueued();
}

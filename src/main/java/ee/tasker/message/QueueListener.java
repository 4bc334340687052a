package ee.tasker.message;

/** Claims from the queues for this server's worker. */
public interface QueueListener {

  /** A queue may have steps for this server. */
  void stepsQueued();
}

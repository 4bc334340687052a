package ee.tasker.event;

import java.util.concurrent.CompletionStage;

/** The destination of one stream's events. Called by one thread at a time. */
public interface EventSink {

  /**
   * Sends an event; the next one is sent when this has completed. Fails once the client has
   * disconnected.
   */
  CompletionStage<?> send(Event event);

  void close();
}

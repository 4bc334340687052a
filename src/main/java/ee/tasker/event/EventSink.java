package ee.tasker.event;

import java.util.concurrent.CompletionStage;

/** Where the events of one stream go. Called by one thread at a time. */
public interface EventSink {

  /** Sends it; the next one is sent when this has completed. It fails when nobody is there any more. */
  CompletionStage<?> send(Event event);

  void close();
}

package ee.tasker.rest.stream;

import ee.tasker.event.Event;
import ee.tasker.event.EventSink;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;
import java.util.concurrent.CompletionStage;

/**
 * A stream of server-sent events. The first event that is no comment sets the client's reconnection
 * delay; not every server writes it with a comment.
 */
final class SseSink implements EventSink {
  private static final long RECONNECT_MS = 2_000;

  private final SseEventSink sink;
  private final Sse sse;
  private boolean hasBegun;

  SseSink(SseEventSink sink, Sse sse) {
    this.sink = sink;
    this.sse = sse;
  }

  @Override
  public CompletionStage<?> send(Event event) {
    OutboundSseEvent.Builder builder = sse.newEventBuilder();
    if (!event.id().isEmpty()) {
      builder.id(event.id());
    }
    if (event.name().isPresent()) {
      builder.name(event.name().get()).data(String.class, event.data());
      if (!hasBegun) {
        builder.reconnectDelay(RECONNECT_MS);
        hasBegun = true;
      }
    } else {
      builder.comment("alive");
    }
    return sink.send(builder.build());
  }

  @Override
  public void close() {
    if (!sink.isClosed()) {
      sink.close();
    }
  }
}

package ee.tasker.event;

import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonValue;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Streams of domain events; {@link StreamReader} reads the feed for all of them. What a listener may see is asked again with each heartbeat, and a
 * stream ends when its caller may see nothing any more. Thread-safe.
 */
@ApplicationScoped
public class DomainEventStreams extends StreamReader<DomainEventStream> {
  private static final Log LOG = Log.of(DomainEventStreams.class);
  private static final int BATCH = 500;

  /** What the caller of a stream may see. */
  public sealed interface Permitted {
    record View(DomainEventView view) implements Permitted {
    }

    record Nothing() implements Permitted {
    }

    /** It could not be found out. */
    record AsBefore() implements Permitted {
    }
  }

  @Inject
  private DomainEvents feed;

  @PostConstruct
  void prepare() {
    start("domain-stream");
  }

  /**
   * Starts a stream and returns; to be called on the request's own thread, on which the response begins.
   *
   * @param after      the position of the last event that the client has; empty for the present end of the feed
   * @param view       what the caller may see now
   * @param permission what the caller may see, asked with each heartbeat; may take long
   * @throws ee.tasker.platform.Problem 400 invalid-request for a position that the feed has never had, 503 too-many-streams
   */
  public void open(DomainEventFilter filter, OptionalLong after, DomainEventView view, Supplier<Permitted> permission,
      EventSink sink) {
    feed.sequence();
    DomainEvents.End end = feed.end();
    if (after.isPresent() && after.getAsLong() > end.bound()) {
      throw EventStreams.unknown();
    }
    open((drained, ended) -> new DomainEventStream(filter, view, permission, after.orElse(end.position()), sink, buffer(), threads(),
        drained,
        ended));
  }

  void changed() {
    sourceChanged();
  }

  @Override
  protected String call() {
    return "list_domain_events";
  }

  @Override
  protected long end() {
    return feed.end().position();
  }

  @Override
  protected boolean hasReached(DomainEventStream stream, long tail) {
    return stream.position() >= tail;
  }

  @Override
  protected boolean readFor(DomainEventStream stream, long tail) {
    DomainEvents.Page page = feed.page(stream.filter().forDatabase(), BATCH, stream.position());
    // At the end of the feed nothing is left up to the tail, also when its last events were deleted.
    stream.take(page.events(), page.hasMore() ? page.position() : Math.max(page.position(), tail));
    return true;
  }

  @Override
  protected Read readOn(Set<DomainEventStream> live, long tail) {
    feed.sequence();
    DomainEvents.Page page = feed.page(JsonValue.EMPTY_JSON_OBJECT, BATCH, tail);
    live.forEach(stream -> give(stream, stream.take(page.events(), page.position())));
    return new Read(page.position(), page.position() > tail, page.hasMore());
  }

  /** On a thread of the pool, because a check of credentials may take long. */
  @Override
  protected void beating(DomainEventStream stream) {
    threads().execute(() -> checkPermission(stream));
  }

  private static void checkPermission(DomainEventStream stream) {
    try {
      Permitted now = stream.permitted();
      if (now instanceof Permitted.View shown) {
        stream.show(shown.view());
      } else if (now instanceof Permitted.Nothing) {
        stream.end();
      }
    } catch (RuntimeException fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "permissions of a stream");
    }
  }
}

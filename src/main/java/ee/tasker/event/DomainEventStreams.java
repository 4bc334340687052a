package ee.tasker.event;

import ee.tasker.platform.Recheck;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonValue;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Streams of domain events; {@link StreamReader} reads the feed for all of them. Thread-safe.
 */
@ApplicationScoped
public class DomainEventStreams extends StreamReader<DomainEventStream> {
  private static final int BATCH = 500;

  @Inject
  private DomainEvents feed;

  @PostConstruct
  void prepare() {
    start("domain-stream");
  }

  /**
   * Starts a stream and returns; to be called on the request's own thread, on which the response
   * begins.
   *
   * @param after      the position of the last event that the client has; empty for the present end
   *   of the feed
   * @param view       what the caller may see now
   * @param permission what the caller may see, asked again while the stream is open
   * @throws ee.tasker.platform.Problem 400 invalid-request for a position that the feed has never
   *   had, 503 too-many-streams
   */
  public void open(DomainEventFilter filter, OptionalLong after, DomainEventView view,
      Recheck<DomainEventView> permission, EventSink sink) {
    feed.sequence();
    DomainEvents.End end = feed.end();
    if (after.isPresent() && after.getAsLong() > end.bound()) {
      throw EventStreams.unknown();
    }
    open((drained, ended) -> new DomainEventStream(filter, view, permission,
        after.orElse(end.position()), sink, buffer(), threads(), drained, ended));
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
    // At the end of the feed nothing is left up to the tail, also when its last events were
    // deleted.
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
}

package ee.tasker.event;

import ee.tasker.platform.Recheck;
import jakarta.json.JsonObject;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * A stream of domain events, with a bounded buffer of those not sent yet. It first catches up from
 * its position at its own pace, and then receives
 * events live. Thread-safe.
 */
final class DomainEventStream extends OutgoingStream {
  private final DomainEventFilter filter;
  private final Recheck<DomainEventView> permission;
  private final int buffer;
  private DomainEventView view;
  private long position;
  private boolean isLive;

  /**
   * @param permission what the listener may see
   * @param position   the last event that the listener has
   * @param drained    called when everything is sent
   * @param ended      called once, when nothing more will be sent
   */
  DomainEventStream(DomainEventFilter filter, DomainEventView view,
      Recheck<DomainEventView> permission, long position, EventSink sink, int buffer,
      Executor executor, Runnable drained, Runnable ended) {
    super(sink, executor, drained, ended);
    this.filter = filter;
    this.view = view;
    this.permission = permission;
    this.position = position;
    this.buffer = buffer;
  }

  synchronized long position() {
    return position;
  }

  DomainEventFilter filter() {
    return filter;
  }

  @Override
  protected boolean isStillPermitted() {
    Recheck.Outcome<DomainEventView> now = permission.now();
    if (now instanceof Recheck.Outcome.Permitted<DomainEventView> shown) {
      show(shown.what());
    }
    return !(now instanceof Recheck.Outcome.Withdrawn);
  }

  @Override
  protected Event heartbeat() {
    return isLive ? Event.alive(position) : Event.signOfLife();
  }

  @Override
  synchronized void goLive() {
    isLive = true;
    // Gives a client that is cut off before the first event its position.
    waiting.add(Event.alive(position));
    kick();
  }

  /** What the listener may see has changed. */
  private synchronized void show(DomainEventView now) {
    view = now;
  }

  /**
   * Adds events of the feed.
   *
   * @param upTo the position that the feed was read to
   * @return false when the stream was cut off because its buffer is full
   */
  boolean take(Collection<JsonObject> events, long upTo) {
    synchronized (this) {
      if (isEnded()) {
        return true;
      }
      for (JsonObject event : events) {
        long at = Long.parseLong(event.getString("sequence"));
        // A stream that resumes ahead of the reader has had the earlier ones.
        if (at > position && filter.accepts(event)) {
          view.show(event).ifPresent(shown -> waiting
              .add(new Event(Long.toString(at), Optional.of("domain_event"), shown.toString())));
        }
      }
      position = Math.max(position, upTo);
      if (!isLive || waiting.size() <= buffer) {
        kick();
        return true;
      }
    }
    end();
    return false;
  }
}

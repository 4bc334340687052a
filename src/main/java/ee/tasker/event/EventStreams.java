package ee.tasker.event;

import ee.tasker.message.ChangeListener;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Recheck;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The component's facade: streams of the transitions in the history, which {@link StreamReader}
 * reads for all of them. Thread-safe.
 */
@ApplicationScoped
public class EventStreams extends StreamReader<EventStream> implements ChangeListener {
  private static final long SUMMARY_NANOS = TimeUnit.SECONDS.toNanos(10);

  @Inject
  private Events events;

  @Inject
  private DomainEventStreams domainEvents;

  private final ReadSpan tailSpan = new ReadSpan();
  private long lastSummary;
  private boolean hasNews;

  /**
   * The field that a problem names when an id is invalid; callers that read the id from elsewhere
   * put their own name.
   */
  public static final String ID = "Last-Event-ID";

  @PostConstruct
  void prepare() {
    start("stream");
  }

  /**
   * Starts a stream and returns; to be called on the request's own thread, on which the response
   * begins. Without a position, a stream of one task starts with the task's first event, a stream
   * of
   * all tasks starts now.
   *
   * @param after     the id of the last event that the client has received
   * @param name      a stream that is open with the same name ends first
   * @param taskState current state of the task that the stream is about
   * @param permission whether the caller may have these events, asked again while the stream is
   *   open
   * @throws Problem 400 invalid-request for an invalid id, 503 too-many-streams
   */
  public void open(EventFilter filter, Optional<String> name, Optional<String> after,
      Optional<String> taskState, Recheck<?> permission, EventSink sink) {
    Optional<Position> given = after
        .map(id -> Position.parse(id).orElseThrow(EventStreams::unknown));
    Events.Batch now = events.now();
    if (given.filter(position -> position.next() > now.bound()).isPresent()) {
      throw unknown();
    }
    Position start = given
        .orElse(filter.taskUuid().isPresent() ? Position.BEGINNING : Position.at(now.bound()));
    open(name, (drained, ended) -> {
      EventStream stream = new EventStream(filter, permission, start, sink, buffer(), threads(),
          drained, ended);
      taskState.ifPresent(state -> stream.endsWith(state, now.horizon()));
      return stream;
    });
  }

  static Problem unknown() {
    return Problem.invalid(ID, "is not the id of an event of this database");
  }

  @Override
  public void changed() {
    sourceChanged();
    domainEvents.changed();
  }

  @Override
  protected String call() {
    return "get_events";
  }

  @Override
  protected long end() {
    return events.now().bound();
  }

  @Override
  protected boolean hasReached(EventStream stream, long tail) {
    Position position = stream.position();
    return !position.isWithin() && position.from() == tail;
  }

  @Override
  protected boolean readFor(EventStream stream, long tail) {
    if (stream.position().next() > tail) {
      return false;
    }
    Events.Batch batch = events.read(stream.position(), tail, EventStream.tasksOf(Set.of(stream)),
        stream.task().isPresent() ? null : stream.span().size());
    stream.span().adapt(batch.moves().size());
    stream.take(batch);
    return true;
  }

  @Override
  protected Read readOn(Set<EventStream> live, long tail) {
    Events.Batch batch = events.read(Position.at(tail), null, EventStream.tasksOf(live),
        tailSpan.size());
    tailSpan.adapt(batch.moves().size());
    live.forEach(stream -> give(stream, stream.take(batch)));
    return new Read(batch.until(), !batch.moves().isEmpty(), batch.isBehind());
  }

  @Override
  protected void tailRead(boolean isNews) {
    hasNews |= isNews;
    if (hasNews && System.nanoTime() - lastSummary > SUMMARY_NANOS) {
      events.summarize();
      lastSummary = System.nanoTime();
      hasNews = false;
    }
  }
}

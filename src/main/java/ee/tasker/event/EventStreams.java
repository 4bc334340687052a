package ee.tasker.event;

import ee.tasker.message.ChangeListener;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Settings;
import ee.tasker.platform.ThreadPool;
import ee.tasker.platform.ThreadPools;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The component's facade, and the only reader of events on this server. While there are listeners it reads the end of the
 * history after each change and at least once a second; without listeners it reads nothing. Thread-safe.
 */
@ApplicationScoped
public class EventStreams implements ChangeListener {
  private static final Log LOG = Log.of(EventStreams.class);
  private static final long SHORTEST_PAUSE_MS = 50;
  private static final long LONGEST_PAUSE_MS = 1_000;
  private static final long AFTER_FAULT_MS = 2_000;
  private static final long SUMMARY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int MOST_READS = 50;

  @Inject
  private ThreadPools pools;

  @Inject
  private Events events;

  @Inject
  private Settings settings;

  @Inject
  private StreamPermits permits;

  @Inject
  private DomainEventStreams domainEvents;

  private final Set<EventStream> all = ConcurrentHashMap.newKeySet();
  /** Streams that have caught up; guarded by this object's monitor, as is the tail's bound. */
  private final Set<EventStream> live = ConcurrentHashMap.newKeySet();
  private final Span tailSpan = new Span();
  private long bound = -1;
  private long pauseMs = SHORTEST_PAUSE_MS;
  private long lastSummary;
  private long lastBeat;
  private boolean hasNews;

  /** The field that a problem names when an id is invalid; callers that read the id from elsewhere put their own name. */
  public static final String ID = "Last-Event-ID";

  private PacedReads reads;
  private ThreadPool threads;

  /** One thread per stream that may block on a slow client, as sending does on some servers, and one for the reader. */
  @PostConstruct
  void prepare() {
    threads = pools.make("stream", settings.streams().limit() + 2);
    reads = new PacedReads(threads.timers(), this::readOnce, AFTER_FAULT_MS, () -> !all.isEmpty());
  }

  /**
   * Starts a stream and returns; to be called on the request's own thread, on which the response begins. Without a position, a stream of one task starts with the task's first event, a stream of
   * all tasks starts now.
   *
   * @param after     the id of the last event that the client has received
   * @param taskState current state of the task that the stream is about
   * @throws Problem 400 invalid-request for an invalid id, 503 too-many-streams
   */
  public void open(EventFilter filter, Optional<String> after, Optional<String> taskState, EventSink sink) {
    Optional<Position> given = after.map(id -> Position.parse(id).orElseThrow(EventStreams::unknown));
    Events.Batch now = events.now();
    if (given.filter(position -> position.next() > now.bound()).isPresent()) {
      throw unknown();
    }
    Position start = given.orElse(filter.taskUuid().isPresent() ? Position.BEGINNING : Position.at(now.bound()));
    Opening opening = new Opening(filter, start, sink);
    permits.acquire();
    all.add(opening.stream);
    taskState.ifPresent(state -> opening.stream.endsWith(state, now.horizon()));
    opening.stream.begin();
    readIn(LONGEST_PAUSE_MS);
  }

  private static Problem unknown() {
    return Problem.invalid(ID, "is not the id of an event of this database");
  }

  @Override
  public void changed() {
    if (!all.isEmpty()) {
      readIn(SHORTEST_PAUSE_MS);
    }
    domainEvents.changed();
  }

  /** A stream that catches up with the tail. */
  private final class Opening {
    private final EventStream stream;
    private final Span span = new Span();
    private volatile boolean isJoined;

    private Opening(EventFilter filter, Position start, EventSink sink) {
      stream = new EventStream(filter, start, sink, settings.streams().buffer(), threads, this::drained, this::ended);
    }

    private void drained() {
      if (!isJoined) {
        threads.execute(this::catchUp);
      }
    }

    private void ended() {
      all.remove(stream);
      live.remove(stream);
      permits.release();
    }

    /** One batch at a time: the next is read when all events of this one have been sent. */
    private synchronized void catchUp() {
      try {
        while (!isJoined && !stream.isEnded() && stream.isDrained()) {
          long limit = join();
          if (isJoined) {
            return;
          }
          if (stream.position().next() > limit) {
            // Another server was ahead of this one's tail.
            readIn(0);
            threads.timers().schedule(this::catchUp, SHORTEST_PAUSE_MS, TimeUnit.MILLISECONDS);
            return;
          }
          Events.Batch batch = events.read(stream.position(), limit, EventStream.tasksOf(Set.of(stream)),
              stream.task().isPresent() ? null : span.size());
          span.adapt(batch.moves().size());
          stream.take(batch);
        }
      } catch (Exception fault) {
        LOG.write(LogEvent.CALL_FAILED, fault, "call", "get_events");
        stream.end();
      }
    }

    /** @return the tail's position */
    private long join() {
      synchronized (EventStreams.this) {
        if (bound < 0) {
          bound = events.now().bound();
        }
        Position position = stream.position();
        if (!position.isWithin() && position.from() == bound) {
          stream.goLive();
          isJoined = true;
          live.add(stream);
          if (stream.isEnded()) {
            live.remove(stream);
          }
          pauseMs = SHORTEST_PAUSE_MS;
          readIn(SHORTEST_PAUSE_MS);
        }
        return bound;
      }
    }
  }

  private void readIn(long delayMs) {
    reads.in(delayMs);
  }

  /** @return when to read again, in ms */
  private synchronized long readOnce() {
    long pause;
    try {
      pause = live.isEmpty() ? rest() : readTail();
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "get_events");
      pause = AFTER_FAULT_MS;
    }
    beat();
    return pause;
  }

  private long rest() {
    bound = -1;
    return LONGEST_PAUSE_MS;
  }

  /** @return the delay before the next read, in ms; it grows while there are no events */
  private long readTail() {
    boolean isNews = false;
    for (int reads = 0; reads < MOST_READS; reads++) {
      Events.Batch batch = events.read(Position.at(bound), null, EventStream.tasksOf(live), tailSpan.size());
      bound = batch.until();
      tailSpan.adapt(batch.moves().size());
      isNews |= !batch.moves().isEmpty();
      for (EventStream stream : live) {
        if (!stream.take(batch)) {
          LOG.write(LogEvent.STREAM_CUT, "cause", "its buffer is full", "task", stream.task().orElse(null));
        }
      }
      if (!batch.isBehind()) {
        break;
      }
    }
    pauseMs = isNews ? 2 * SHORTEST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    hasNews |= isNews;
    if (hasNews && System.nanoTime() - lastSummary > SUMMARY_NANOS) {
      events.summarize();
      lastSummary = System.nanoTime();
      hasNews = false;
    }
    return pauseMs;
  }

  private void beat() {
    long period = settings.streams().heartbeat().toNanos();
    if (System.nanoTime() - lastBeat < period) {
      return;
    }
    lastBeat = System.nanoTime();
    for (EventStream stream : all) {
      if (!stream.beat(2 * period)) {
        LOG.write(LogEvent.STREAM_CUT, "cause", "an event could not be sent", "task", stream.task().orElse(null));
      }
    }
  }

  @PreDestroy
  void stop() {
    reads.stop();
    all.forEach(EventStream::end);
  }

  /**
   * Adapts the number of transactions per read, so that a read returns neither very many events nor very few. Not
   * thread-safe.
   */
  private static final class Span {
    private static final int MANY = 2_000;
    private static final int FEW = 500;
    private static final long MOST = 1_000_000;

    private long size = 256;

    long size() {
      return size;
    }

    void adapt(int events) {
      if (events > MANY) {
        size = Math.max(1, size / 2);
      } else if (events < FEW) {
        size = Math.min(MOST, size * 2);
      }
    }
  }
}

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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The component's door, and the one reader of this server: it reads the end of history for all who listen, as often as
 * something happens and at least once a second, and not at all while nobody does. Thread-safe.
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

  private final Set<EventStream> all = ConcurrentHashMap.newKeySet();
  /** Those that have caught up; only under this object's monitor, as is the tail's bound. */
  private final Set<EventStream> live = ConcurrentHashMap.newKeySet();
  private final Span tailSpan = new Span();
  private long bound = -1;
  private long pauseMs = SHORTEST_PAUSE_MS;
  private long lastSummary;
  private long lastBeat;
  private boolean hasNews;

  /** The name under which an id that is none is refused; where it came in another way, the caller puts the name of that. */
  public static final String ID = "Last-Event-ID";

  private final Object schedule = new Object();
  private ScheduledFuture<?> nextRead;
  private long nextReadAt;
  private boolean isReading;
  /** Whether another read was requested while one was running; {@code wantedAt} is when it is due. */
  private boolean isWanted;
  private long wantedAt;
  private ThreadPool threads;

  /** One for each that may not read what it is sent, which keeps a thread on some servers, and for the reader. */
  @PostConstruct
  void prepare() {
    threads = pools.make("stream", settings.streams().limit() + 2);
  }

  /**
   * Begins to tell somebody, and returns. A stream of one task without a position begins with the task, one of all begins now.
   *
   * @param after     the id of the last event that he has seen
   * @param taskState of the task that the stream is about, as it is now
   * @throws Problem 400 invalid-request when the id is none, 503 too-many-streams
   */
  public void open(EventFilter filter, Optional<String> after, Optional<String> taskState, EventSink sink) {
    Optional<Position> given = after.map(id -> Position.parse(id).orElseThrow(EventStreams::unknown));
    Events.Batch now = events.now();
    if (given.filter(position -> position.next() > now.bound()).isPresent()) {
      throw unknown();
    }
    Position start = given.orElse(filter.taskUuid().isPresent() ? Position.BEGINNING : Position.at(now.bound()));
    Opening opening = new Opening(filter, start, sink);
    synchronized (all) {
      if (all.size() >= settings.streams().limit()) {
        throw new Problem(503, "too-many-streams", "this server has as many streams as it takes", List.of(),
            Map.of("retry_after_seconds", 5));
      }
      all.add(opening.stream);
    }
    taskState.ifPresent(state -> opening.stream.endsWith(state, now.horizon()));
    threads.execute(opening::catchUp);
    readIn(LONGEST_PAUSE_MS);
  }

  private static Problem unknown() {
    return Problem.invalid(ID, "is not the id of an event of this database");
  }

  /** How many listen at the moment. */
  public int count() {
    return all.size();
  }

  @Override
  public void changed() {
    if (!all.isEmpty()) {
      readIn(SHORTEST_PAUSE_MS);
    }
  }

  /** A stream that is on its way to where the tail is. */
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
    }

    /** One go at a time: it goes on when everything of it has been sent. */
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

    /** @return how far the tail is */
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
    synchronized (schedule) {
      long at = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs);
      if (isReading) {
        // Planned when that read is done: while the database is slow, each change would keep another thread.
        wantedAt = isWanted && wantedAt - at <= 0 ? wantedAt : at;
        isWanted = true;
        return;
      }
      if (nextRead != null && nextReadAt - at <= 0) {
        return;
      }
      if (nextRead != null) {
        nextRead.cancel(false);
      }
      nextReadAt = at;
      try {
        nextRead = threads.timers().schedule(this::read, delayMs, TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException stopping) {
        // The caller that told of a change has other things to do than to hear of it.
        nextRead = null;
      }
    }
  }

  private void read() {
    synchronized (schedule) {
      nextRead = null;
      isReading = true;
    }
    long pause = AFTER_FAULT_MS;
    try {
      pause = readOnce();
    } finally {
      synchronized (schedule) {
        isReading = false;
        if (isWanted) {
          isWanted = false;
          pause = Math.min(pause, Math.max(0, TimeUnit.NANOSECONDS.toMillis(wantedAt - System.nanoTime())));
        }
      }
      if (!all.isEmpty()) {
        readIn(pause);
      }
    }
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

  /** @return how long to wait before the next time, in ms: longer and longer while nothing happens */
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
    synchronized (schedule) {
      if (nextRead != null) {
        nextRead.cancel(false);
      }
    }
    all.forEach(EventStream::end);
  }

  /** How many transactions to read at once, so that it is neither very many events nor very few. Not thread-safe. */
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

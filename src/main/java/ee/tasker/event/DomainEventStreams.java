package ee.tasker.event;

import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Settings;
import ee.tasker.platform.ThreadPool;
import ee.tasker.platform.ThreadPools;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonValue;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Streams of domain events, and the only reader of the feed for them on this server. While there are listeners it reads the end of the feed after each
 * change and at least once a second; without listeners it reads nothing. What a listener may see is asked again with each heartbeat, and a stream
 * ends when its caller may see nothing any more. Thread-safe.
 */
@ApplicationScoped
public class DomainEventStreams {
  private static final Log LOG = Log.of(DomainEventStreams.class);
  private static final long SHORTEST_PAUSE_MS = 50;
  private static final long LONGEST_PAUSE_MS = 1_000;
  private static final long AFTER_FAULT_MS = 2_000;
  private static final int BATCH = 500;
  private static final int MOST_READS = 50;
  private static final long UNKNOWN = -1;

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
  private ThreadPools pools;

  @Inject
  private DomainEvents feed;

  @Inject
  private Settings settings;

  @Inject
  private StreamPermits permits;

  private final Set<Opening> all = ConcurrentHashMap.newKeySet();
  /** Streams that have caught up; guarded by this object's monitor, as is the tail. */
  private final Set<DomainEventStream> live = ConcurrentHashMap.newKeySet();
  private long tail = UNKNOWN;
  private long pauseMs = SHORTEST_PAUSE_MS;
  private long lastBeat;
  private PacedReads reads;
  private ThreadPool threads;

  /** One thread per stream that may block on a slow client, and one for the reader. */
  @PostConstruct
  void prepare() {
    threads = pools.make("domain-stream", settings.streams().limit() + 2);
    reads = new PacedReads(threads.timers(), this::readOnce, AFTER_FAULT_MS, () -> !all.isEmpty());
  }

  /**
   * Starts a stream and returns; to be called on the request's own thread, on which the response begins.
   *
   * @param after      the position of the last event that the client has; empty for the present end of the feed
   * @param view       what the caller may see now
   * @param permission what the caller may see, asked with each heartbeat; may take long
   * @throws ee.tasker.platform.Problem 503 too-many-streams
   */
  public void open(DomainEventFilter filter, OptionalLong after, DomainEventView view, Supplier<Permitted> permission,
      EventSink sink) {
    feed.sequence();
    long start = after.orElseGet(feed::end);
    permits.acquire();
    Opening opening = new Opening(filter, view, permission, start, sink);
    all.add(opening);
    opening.stream.begin();
    reads.in(LONGEST_PAUSE_MS);
  }

  void changed() {
    if (!all.isEmpty()) {
      reads.in(SHORTEST_PAUSE_MS);
    }
  }

  /** A stream that catches up with the tail. */
  private final class Opening {
    private final DomainEventStream stream;
    private final Supplier<Permitted> permission;
    private volatile boolean isJoined;

    private Opening(DomainEventFilter filter, DomainEventView view, Supplier<Permitted> permission, long start,
        EventSink sink) {
      this.permission = permission;
      stream = new DomainEventStream(filter, view, start, sink, settings.streams().buffer(), threads, this::drained, this::ended);
    }

    private void drained() {
      if (!isJoined) {
        threads.execute(this::catchUp);
      }
    }

    private void ended() {
      all.remove(this);
      live.remove(stream);
      permits.release();
    }

    /** One page at a time: the next is read when all events of this one have been sent. */
    private synchronized void catchUp() {
      try {
        while (!isJoined && !stream.isEnded() && stream.isDrained()) {
          long limit = join();
          if (isJoined) {
            return;
          }
          DomainEvents.Page page = feed.page(stream.filter().forDatabase(), BATCH, stream.position());
          // At the end of the feed nothing is left up to the tail, also when its last events were deleted.
          stream.take(page.events(), page.hasMore() ? page.position() : Math.max(page.position(), limit));
        }
      } catch (Exception fault) {
        LOG.write(LogEvent.CALL_FAILED, fault, "call", "list_domain_events");
        stream.end();
      }
    }

    /** @return the tail's position */
    private long join() {
      synchronized (DomainEventStreams.this) {
        if (tail == UNKNOWN) {
          tail = feed.end();
        }
        if (stream.position() < tail) {
          return tail;
        }
        stream.goLive();
        isJoined = true;
        live.add(stream);
        if (stream.isEnded()) {
          live.remove(stream);
        }
        pauseMs = SHORTEST_PAUSE_MS;
        reads.in(SHORTEST_PAUSE_MS);
        return tail;
      }
    }

    /** Runs on a thread of the pool, because a check of credentials may take long. */
    private void checkPermission() {
      try {
        Permitted now = permission.get();
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

  /** @return when to read again, in ms */
  private synchronized long readOnce() {
    long pause;
    try {
      pause = live.isEmpty() ? rest() : readTail();
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "list_domain_events");
      pause = AFTER_FAULT_MS;
    }
    beat();
    return pause;
  }

  private long rest() {
    tail = UNKNOWN;
    return LONGEST_PAUSE_MS;
  }

  /** @return the delay before the next read, in ms; it grows while there are no events */
  private long readTail() {
    long before = tail;
    feed.sequence();
    boolean isMore = true;
    for (int n = 0; isMore && n < MOST_READS; n++) {
      DomainEvents.Page page = feed.page(JsonValue.EMPTY_JSON_OBJECT, BATCH, tail);
      for (DomainEventStream stream : live) {
        if (!stream.take(page.events(), page.position())) {
          LOG.write(LogEvent.STREAM_CUT, "cause", "its buffer is full");
        }
      }
      tail = page.position();
      isMore = page.hasMore();
    }
    pauseMs = tail > before ? 2 * SHORTEST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    return pauseMs;
  }

  private void beat() {
    long period = settings.streams().heartbeat().toNanos();
    if (System.nanoTime() - lastBeat < period) {
      return;
    }
    lastBeat = System.nanoTime();
    for (Opening opening : all) {
      threads.execute(opening::checkPermission);
      if (!opening.stream.beat(2 * period)) {
        LOG.write(LogEvent.STREAM_CUT, "cause", "an event could not be sent");
      }
    }
  }

  @PreDestroy
  void stop() {
    reads.stop();
    all.forEach(opening -> opening.stream.end());
  }
}

package ee.tasker.event;

import ee.tasker.platform.Recheck;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.ThreadPool;
import ee.tasker.platform.thread.ThreadPools;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * The streams of one kind, and the only reader of their source on this server. A new stream catches
 * up from its position at its own pace, one page at
 * a time, and then joins those that receive what this reader reads. While there are streams it
 * reads the end of the source after each change and at
 * least once a second; without streams it reads nothing. What the caller of a stream is permitted
 * is asked again every {@link Recheck#EVERY}, and a
 * stream ends when its caller has lost the right to it. Thread-safe.
 *
 * @param <S> the streams
 */
abstract class StreamReader<S extends OutgoingStream> {
  private static final Log LOG = Log.of(StreamReader.class);
  private static final long SHORTEST_PAUSE_MS = 50;
  private static final long LONGEST_PAUSE_MS = 1_000;
  private static final long AFTER_FAULT_MS = 2_000;
  private static final int MOST_READS = 50;
  private static final long UNKNOWN = -1;

  @Inject
  private ThreadPools pools;

  @Inject
  private Settings settings;

  @Inject
  private StreamPermits permits;

  private final Set<S> all = ConcurrentHashMap.newKeySet();
  private final Map<String, S> named = new ConcurrentHashMap<>();
  /** Streams that have caught up; guarded by this object's monitor, as is the tail. */
  private final Set<S> live = ConcurrentHashMap.newKeySet();
  private long tail = UNKNOWN;
  private long pauseMs = SHORTEST_PAUSE_MS;
  private long lastBeat;
  private long lastRecheck;
  private PacedReads reads;
  private ThreadPool threads;

  /** The function of the database that reads, for the log. */
  protected abstract String call();

  /** The position of the present end of the source. */
  protected abstract long end();

  /** Whether a stream has got everything up to the tail. */
  protected abstract boolean hasReached(S stream, long tail);

  /**
   * Gives a stream that catches up its next events.
   *
   * @param tail to read as far as that
   * @return false when the stream is ahead of the tail, because another server sent it more: it is
   *   tried again after the reader has read
   */
  protected abstract boolean readFor(S stream, long tail);

  /**
   * A read of the tail.
   *
   * @param position the tail afterwards
   * @param isNews   whether there was something
   * @param isMore   whether more is there already
   */
  protected record Read(long position, boolean isNews, boolean isMore) {
  }

  /** Reads on from the tail and gives what it finds to the live streams by {@link #give}. */
  protected abstract Read readOn(Set<S> live, long tail);

  /** The tail has been read as far as possible. */
  protected void tailRead(boolean isNews) {}

  /**
   * One thread per stream that may block on a slow client, as sending does on some servers, and one
   * for the reader.
   */
  protected void start(String name) {
    threads = pools.make(name, settings.streams().limit() + 2);
    reads = new PacedReads(threads.timers(), this::readOnce, AFTER_FAULT_MS, () -> !all.isEmpty());
  }

  protected ThreadPool threads() {
    return threads;
  }

  protected int buffer() {
    return settings.streams().buffer();
  }

  /**
   * Opens a stream and returns; to be called on the request's own thread, on which the response
   * begins.
   *
   * @param make makes the stream, which calls the first argument when everything is sent, and the
   *   second when it has ended
   * @throws ee.tasker.platform.Problem 503 too-many-streams
   */
  protected void open(BiFunction<Runnable, Runnable, S> make) {
    open(Optional.empty(), make);
  }

  /**
   * The same, in the place of the stream that was opened with the same name: this one ends first,
   * and does not count against the limit. A client that
   * is gone without a word is noticed by a heartbeat only, which would leave the streams that it
   * has replaced among those that count.
   */
  protected void open(Optional<String> name, BiFunction<Runnable, Runnable, S> make) {
    name.map(named::get).ifPresent(OutgoingStream::end);
    permits.acquire();
    Opening opening = new Opening(name, make);
    all.add(opening.stream);
    name.map(same -> named.put(same, opening.stream)).ifPresent(OutgoingStream::end);
    opening.stream.begin();
    reads.in(LONGEST_PAUSE_MS);
  }

  protected void sourceChanged() {
    if (!all.isEmpty()) {
      reads.in(SHORTEST_PAUSE_MS);
    }
  }

  /** @param isTaken what the stream said when it got events: false when it was cut off */
  protected void give(S stream, boolean isTaken) {
    if (!isTaken) {
      LOG.write(LogEvent.STREAM_CUT, "cause", "its buffer is full", "task",
          stream.task().orElse(null));
    }
  }

  /** A stream that catches up with the tail. */
  private final class Opening {
    private final Optional<String> name;
    private final S stream;
    private volatile boolean isJoined;

    private Opening(Optional<String> name, BiFunction<Runnable, Runnable, S> make) {
      this.name = name;
      stream = make.apply(this::drained, this::ended);
    }

    private void drained() {
      if (!isJoined) {
        threads.execute(this::catchUp);
      }
    }

    private void ended() {
      all.remove(stream);
      live.remove(stream);
      name.ifPresent(same -> named.remove(same, stream));
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
          if (!readFor(stream, limit)) {
            reads.in(0);
            threads.timers().schedule(this::catchUp, SHORTEST_PAUSE_MS, TimeUnit.MILLISECONDS);
            return;
          }
        }
      } catch (Exception fault) {
        LOG.write(LogEvent.CALL_FAILED, fault, "call", call());
        stream.end();
      }
    }

    /** @return the tail's position */
    private long join() {
      synchronized (StreamReader.this) {
        if (tail == UNKNOWN) {
          tail = end();
        }
        if (hasReached(stream, tail)) {
          stream.goLive();
          isJoined = true;
          live.add(stream);
          if (stream.isEnded()) {
            live.remove(stream);
          }
          pauseMs = SHORTEST_PAUSE_MS;
          reads.in(SHORTEST_PAUSE_MS);
        }
        return tail;
      }
    }
  }

  /** @return when to read again, in ms */
  private synchronized long readOnce() {
    long pause;
    try {
      pause = live.isEmpty() ? rest() : readTail();
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", call());
      pause = AFTER_FAULT_MS;
    }
    recheck();
    beat();
    return pause;
  }

  /** Each on a thread of the pool, because a check of credentials may take long. */
  private void recheck() {
    if (System.nanoTime() - lastRecheck >= Recheck.EVERY.toNanos()) {
      lastRecheck = System.nanoTime();
      all.forEach(stream -> threads.execute(stream::recheck));
    }
  }

  private long rest() {
    tail = UNKNOWN;
    return LONGEST_PAUSE_MS;
  }

  /** @return the delay before the next read, in ms; it grows while there is nothing new */
  private long readTail() {
    boolean isNews = false;
    boolean isMore = true;
    for (int n = 0; isMore && n < MOST_READS; n++) {
      Read read = readOn(live, tail);
      tail = read.position();
      isNews |= read.isNews();
      isMore = read.isMore();
    }
    pauseMs = isNews ? 2 * SHORTEST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    tailRead(isNews);
    return pauseMs;
  }

  private void beat() {
    long period = settings.streams().heartbeat().toNanos();
    if (System.nanoTime() - lastBeat < period) {
      return;
    }
    lastBeat = System.nanoTime();
    for (S stream : all) {
      if (!stream.beat(2 * period)) {
        LOG.write(LogEvent.STREAM_CUT, "cause", "an event could not be sent", "task",
            stream.task().orElse(null));
      }
    }
  }

  @PreDestroy
  void stop() {
    reads.stop();
    all.forEach(OutgoingStream::end);
  }
}

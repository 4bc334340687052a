package ee.tasker.platform.load;

import ee.tasker.platform.Problem;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Large requests take turns: each namespace has one in progress at most, and a few of all
 * namespaces. What one request takes of the processors and of the memory then bounds what a
 * namespace takes, and not how many of them it sends. Others wait for a short time, served by
 * namespace in turns, and not while a namespace rests; the surplus is refused. Thread-safe.
 *
 * <p>A turn belongs to a thread, and a thread that has one gets no second: reading a request and
 * creating its task are one turn.
 */
public final class Turns {
  private static final int RETRY_AFTER_SECONDS = 1;
  private static final int MOST_WAITING = 16;
  /** They hold threads of the server, of which other namespaces need some, too. */
  private static final int MOST_WAITING_OF_ONE = 4;

  /** To be closed on the thread that took it. */
  @FunctionalInterface
  public interface Turn extends AutoCloseable {
    @Override
    void close();
  }

  private static final Turn NONE = () -> {};

  private final int most;
  private final Duration longestWait;
  private final Rests rests;
  private final ThreadLocal<Boolean> isTaken = new ThreadLocal<>();
  private final Set<String> inProgress = new HashSet<>();
  private final RoundRobin<AtomicBoolean> waiting = new RoundRobin<>();

  public Turns(int most, Duration longestWait, Rests rests) {
    this.most = most;
    this.longestWait = longestWait;
    this.rests = rests;
  }

  /**
   * @param spentNanos what the work took before its turn, which is counted with it
   * @throws Problem 503 server-busy when too many others wait, or the turn does not come soon
   */
  public Turn take(String namespace, long spentNanos) {
    if (isTaken.get() != null) {
      return NONE;
    }
    await(namespace);
    isTaken.set(true);
    long begin = System.nanoTime() - spentNanos;
    return () -> {
      isTaken.remove();
      rests.worked(namespace, System.nanoTime() - begin);
      end(namespace);
    };
  }

  int waitingCount() {
    return waiting.size();
  }

  private synchronized void await(String namespace) {
    if (waiting.size() >= MOST_WAITING || waiting.size(namespace) >= MOST_WAITING_OF_ONE) {
      throw busy(namespace);
    }
    AtomicBoolean granted = new AtomicBoolean();
    waiting.add(namespace, granted);
    long end = System.nanoTime() + longestWait.toNanos();
    while (true) {
      // Before the turn is asked for: a rest that ends in between is over then, and is not waited
      // for as if it had been none.
      long rest = rests.nanosLeft(namespace);
      grant();
      if (granted.get()) {
        return;
      }
      long left = end - System.nanoTime();
      if ((left <= 0 || !waits(rest > 0 ? Math.min(rest, left) : left)) && !granted.get()) {
        waiting.remove(namespace, granted);
        throw busy(namespace);
      }
    }
  }

  /**
   * Until a turn ends, which may be followed by a rest, or for that long.
   *
   * @return false when the thread was interrupted
   */
  private boolean waits(long nanos) {
    try {
      TimeUnit.NANOSECONDS.timedWait(this, nanos);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private synchronized void end(String namespace) {
    inProgress.remove(namespace);
    grant();
    notifyAll();
  }

  private void grant() {
    while (inProgress.size() < most) {
      String[] next = new String[1];
      List<AtomicBoolean> first = waiting.take(1, namespace -> {
        next[0] = namespace;
        return !inProgress.contains(namespace) && rests.nanosLeft(namespace) <= 0;
      });
      if (first.isEmpty()) {
        return;
      }
      inProgress.add(next[0]);
      first.get(0).set(true);
      notifyAll();
    }
  }

  private static Problem busy(String namespace) {
    return new Problem(503, "server-busy",
        "too many large requests of " + namespace + " wait on this server; try again shortly",
        List.of(), Map.of("retry_after_seconds", RETRY_AFTER_SECONDS));
  }
}

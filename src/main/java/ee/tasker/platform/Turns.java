package ee.tasker.platform;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Large requests take turns: each namespace has one in progress at most, and a few of all
 * namespaces. What one request takes of the processors and of the memory then bounds what a
 * namespace takes, and not how many of them it sends. Others wait for a short time, served by
 * namespace in turns; the surplus is refused. Thread-safe.
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
  private final ThreadLocal<Boolean> isTaken = new ThreadLocal<>();
  private final Set<String> inProgress = new HashSet<>();
  private final RoundRobin<CountDownLatch> waiting = new RoundRobin<>();

  public Turns(int most, Duration longestWait) {
    this.most = most;
    this.longestWait = longestWait;
  }

  /** @throws Problem 503 server-busy when too many others wait, or the turn does not come soon */
  public Turn take(String namespace) {
    if (isTaken.get() != null) {
      return NONE;
    }
    CountDownLatch granted = new CountDownLatch(1);
    synchronized (this) {
      if (waiting.size() >= MOST_WAITING || waiting.size(namespace) >= MOST_WAITING_OF_ONE) {
        throw busy(namespace);
      }
      waiting.add(namespace, granted);
      grant();
    }
    if (!isGrantedSoon(granted) && withdraw(namespace, granted)) {
      throw busy(namespace);
    }
    isTaken.set(true);
    return () -> {
      isTaken.remove();
      end(namespace);
    };
  }

  int waitingCount() {
    return waiting.size();
  }

  private boolean isGrantedSoon(CountDownLatch granted) {
    try {
      return granted.await(longestWait.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** @return false when it has been granted meanwhile */
  private synchronized boolean withdraw(String namespace, CountDownLatch granted) {
    return waiting.remove(namespace, granted);
  }

  private synchronized void end(String namespace) {
    inProgress.remove(namespace);
    grant();
  }

  private void grant() {
    while (inProgress.size() < most) {
      String[] next = new String[1];
      List<CountDownLatch> first = waiting.take(1, namespace -> {
        next[0] = namespace;
        return !inProgress.contains(namespace);
      });
      if (first.isEmpty()) {
        return;
      }
      inProgress.add(next[0]);
      first.get(0).countDown();
    }
  }

  private static Problem busy(String namespace) {
    return new Problem(503, "server-busy",
        "too many large requests of " + namespace + " wait on this server; try again shortly",
        List.of(), Map.of("retry_after_seconds", RETRY_AFTER_SECONDS));
  }
}

package ee.tasker.task;

import ee.tasker.platform.Problem;
import ee.tasker.platform.load.RoundRobin;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The requests that wait for a call of the database, served by namespace in turns, and within a
 * namespace in the order of their arrival. It accepts no more while the first of them has waited
 * for too long: a server that gets more than the database can take in refuses the surplus at once,
 * and those that it accepted wait no longer than that. The limit is a time and not a number,
 * because how many requests fit into one call depends on them. Thread-safe.
 */
final class SubmissionQueue<T> {
  static final int RETRY_AFTER_SECONDS = 1;

  private record Entry<T>(T request, long bytes, long since) {
  }

  private final int mostUnanswered;
  private final Duration longestWait;
  private final LongSupplier nanoTime;
  private final RoundRobin<Entry<T>> entries = new RoundRobin<>();

  private final AtomicInteger unanswered = new AtomicInteger();

  /** @param mostUnanswered how many single requests may wait for their answers */
  SubmissionQueue(int mostUnanswered, Duration longestWait, LongSupplier nanoTime) {
    this.mostUnanswered = mostUnanswered;
    this.longestWait = longestWait;
    this.nanoTime = nanoTime;
  }

  /**
   * @throws Problem 503 server-busy while the first request has waited for longer than the limit
   */
  void requireTimely() {
    if (hasWaitedFor(longestWait)) {
      throw busy("requests wait for the database for more than " + longestWait.toMillis()
          + " ms on this server; try again shortly");
    }
  }

  /**
   * For single requests, whose threads do not wait.
   *
   * @throws Problem 503 server-busy as {@link #requireTimely}, and while so many single requests
   *   wait for their answers
   */
  void requireRoom() {
    requireTimely();
    if (unanswered.get() >= mostUnanswered) {
      throw full();
    }
  }

  /** Whether other calls may still go first. */
  boolean canWait() {
    return !hasWaitedFor(longestWait.dividedBy(2));
  }

  private boolean hasWaitedFor(Duration duration) {
    long now = nanoTime.getAsLong();
    // As a difference: the clock may pass its greatest value.
    return entries.first(Comparator.comparingLong(entry -> entry.since() - now))
        .filter(first -> now - first.since() > duration.toNanos()).isPresent();
  }

  private Problem full() {
    return busy(
        "this server is creating the tasks of " + mostUnanswered + " requests; try again shortly");
  }

  private static Problem busy(String detail) {
    return new Problem(503, "server-busy", detail, List.of(),
        Map.of("retry_after_seconds", RETRY_AFTER_SECONDS));
  }

  /** @param bytes about how long the request is */
  void add(String namespace, long bytes, T request) {
    entries.add(namespace, new Entry<>(request, bytes, nanoTime.getAsLong()));
  }

  /**
   * A single request counts until it is answered, whether it is in the queue or not.
   *
   * @throws Problem 503 server-busy when as many as allowed are not answered yet
   */
  void count(CompletableFuture<?> answer) {
    if (unanswered.incrementAndGet() > mostUnanswered) {
      unanswered.decrementAndGet();
      throw full();
    }
    answer.whenComplete((result, failure) -> unanswered.decrementAndGet());
  }

  /** One of each namespace in turn, at most that many, and none behind {@code mostBytes}. */
  List<T> take(int most, long mostBytes) {
    return entries.takeInTurns(most, mostBytes, Entry::bytes).stream().map(Entry::request).toList();
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }
}

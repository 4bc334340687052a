package ee.tasker.platform.load;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * After heavy work a namespace rests for three times as long as it took, if others have work on
 * this server: its heavy work then has a quarter of one processor, whatever it consists of. While
 * calls of the database for all take more than twice as long as usual, it rests longer, with the
 * square of the {@link Slowdown}: heavy work has what the others leave. Without others there is no
 * rest. Thread-safe.
 */
public final class Rests {
  private static final int TIMES = 3;
  /** How many times longer than usual calls take for all when rests get longer. */
  private static final double SLOW = 2;
  private static final double MOST_TIMES = 48;
  private static final Duration LONGEST = Duration.ofSeconds(10);
  /** That long after its last work a namespace counts as one that has some. */
  private static final Duration LATELY = Duration.ofSeconds(2);
  private static final Duration HEAVY = Duration.ofSeconds(10);
  /** Beyond that, what is over is forgotten. */
  private static final int MANY = 1_000;

  private final LongSupplier nanoTime;
  private final Map<String, Long> seen = new ConcurrentHashMap<>();
  private final Map<String, Long> heavy = new ConcurrentHashMap<>();
  private final Map<String, Long> ends = new ConcurrentHashMap<>();
  private final Map<String, Slowdown> slowdowns = new ConcurrentHashMap<>();

  public Rests(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** The namespace has work of any kind. */
  public void seen(String namespace) {
    if (seen.size() > MANY) {
      seen.values().removeIf(time -> isBefore(time, LATELY));
      heavy.values().removeIf(time -> isBefore(time, HEAVY));
      ends.values().removeIf(end -> end - nanoTime.getAsLong() <= 0);
    }
    seen.put(namespace, nanoTime.getAsLong());
  }

  /** Heavy work of the namespace has ended, which took that long. */
  public void worked(String namespace, long nanos) {
    seen(namespace);
    if (hasOthers(namespace)) {
      long now = nanoTime.getAsLong();
      ends.merge(namespace, now + Math.min((long) (times() * nanos), LONGEST.toNanos()), (known,
          fresh) -> now + Math.min(Math.max(known - now, 0) + fresh - now, LONGEST.toNanos()));
    }
  }

  /** The namespace has sent work that is heavy by itself. */
  public void heavy(String namespace) {
    heavy.put(namespace, nanoTime.getAsLong());
  }

  /**
   * Whether all work of the namespace has to be done in turns: it has sent heavy work lately, and
   * calls for all take much longer than usual.
   */
  public boolean isHeavy(String namespace) {
    Long since = heavy.get(namespace);
    return since != null && !isBefore(since, HEAVY) && slowdown() > SLOW && hasOthers(namespace);
  }

  private boolean hasOthers(String namespace) {
    return seen.entrySet().stream().anyMatch(
        other -> !other.getKey().equals(namespace) && !isBefore(other.getValue(), LATELY));
  }

  /** A call of that function for work of all that is not heavy took so long. */
  public void called(String function, int items, long nanos) {
    slowdowns.computeIfAbsent(function, name -> new Slowdown(nanoTime)).called(items, nanos);
  }

  private double times() {
    return Math.min(TIMES * Math.pow(Math.max(slowdown() / SLOW, 1), 2), MOST_TIMES);
  }

  private double slowdown() {
    return slowdowns.values().stream().mapToDouble(Slowdown::times).max().orElse(1);
  }

  /** How long it still rests; not positive when it does not. */
  public long nanosLeft(String namespace) {
    Long end = ends.get(namespace);
    return end == null ? 0 : end - nanoTime.getAsLong();
  }

  private boolean isBefore(long time, Duration ago) {
    return nanoTime.getAsLong() - time > ago.toNanos();
  }
}

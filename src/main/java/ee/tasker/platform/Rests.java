package ee.tasker.platform;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * After heavy work a namespace rests for three times as long as it took, if others have work on
 * this server: its heavy work then has a quarter of one processor, whatever it consists of.
 * Without others there is no rest. Thread-safe.
 */
public final class Rests {
  private static final int TIMES = 3;
  private static final Duration LONGEST = Duration.ofSeconds(10);
  /** That long after its last work a namespace counts as one that has some. */
  private static final Duration LATELY = Duration.ofSeconds(2);
  /** Beyond that, what is over is forgotten. */
  private static final int MANY = 1_000;

  private final LongSupplier nanoTime;
  private final Map<String, Long> seen = new ConcurrentHashMap<>();
  private final Map<String, Long> ends = new ConcurrentHashMap<>();

  public Rests(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** The namespace has work of any kind. */
  public void seen(String namespace) {
    if (seen.size() > MANY) {
      seen.values().removeIf(this::isLongAgo);
      ends.values().removeIf(end -> end - nanoTime.getAsLong() <= 0);
    }
    seen.put(namespace, nanoTime.getAsLong());
  }

  /** Heavy work of the namespace has ended, which took that long. */
  public void worked(String namespace, long nanos) {
    seen(namespace);
    boolean hasOthers = seen.entrySet().stream().anyMatch(
        other -> !other.getKey().equals(namespace) && !isLongAgo(other.getValue()));
    if (hasOthers) {
      long now = nanoTime.getAsLong();
      ends.merge(namespace, now + Math.min(TIMES * nanos, LONGEST.toNanos()), (known,
          fresh) -> now + Math.min(Math.max(known - now, 0) + fresh - now, LONGEST.toNanos()));
    }
  }

  /** How long it still rests; not positive when it does not. */
  public long nanosLeft(String namespace) {
    Long end = ends.get(namespace);
    return end == null ? 0 : end - nanoTime.getAsLong();
  }

  private boolean isLongAgo(long time) {
    return nanoTime.getAsLong() - time > LATELY.toNanos();
  }
}

package ee.tasker.security;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Slows down password guessing: after {@value #FREE} consecutive failures for a name, the next
 * attempt is checked a second
 * later, then two, four and so on up to a minute. Kept in this server's memory for the names tried
 * most recently.
 * Thread-safe.
 */
final class Backoff {
  static final int FREE = 5;
  private static final int LONGEST_SECONDS = 60;
  private static final int NAMES = 10_000;

  private record Failures(int count, long until) {
  }

  private final LongSupplier nanos;
  private final Map<String, Failures> failures = new LinkedHashMap<>(16, 0.75f, true) {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Failures> eldest) {
      return size() > NAMES;
    }
  };

  Backoff(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** For how many seconds attempts for the name are refused unchecked; zero for none. */
  synchronized int secondsLeft(String name) {
    Failures known = failures.get(name);
    long left = known == null ? 0 : known.until() - nanos.getAsLong();
    return left <= 0 ? 0 : (int) TimeUnit.NANOSECONDS.toSeconds(left) + 1;
  }

  synchronized void failed(String name) {
    int count = failures.containsKey(name) ? failures.get(name).count() + 1 : 1;
    int seconds = count < FREE ? 0 : Math.min(LONGEST_SECONDS, 1 << Math.min(count - FREE, 30));
    failures.put(name, new Failures(count, nanos.getAsLong() + TimeUnit.SECONDS.toNanos(seconds)));
  }

  synchronized void succeeded(String name) {
    failures.remove(name);
  }
}

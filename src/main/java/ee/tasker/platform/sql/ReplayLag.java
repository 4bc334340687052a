package ee.tasker.platform.sql;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * How far a standby is behind, as an upper bound by this server's own clock: positions of the
 * primary are noted with the
 * time before they were asked for, and a standby that has replayed one of them shows every commit
 * that was acknowledged
 * until then. No clock of another machine counts, a primary without writes does not look like a
 * standby that is behind, and
 * neither does a standby that is cut off look up to date. Times are of {@link System#nanoTime}.
 * Thread-safe.
 */
final class ReplayLag {
  /**
   * The error of the bound, and what it costs the primary: a short query per interval in which
   * stale answers are asked for.
   */
  private static final long INTERVAL_NANOS = Duration.ofMillis(500).toNanos();

  private final Duration longest;
  private final Deque<Noted> newestFirst = new ArrayDeque<>();
  private Long lastAsked;

  private record Noted(long asked, WalPosition position) {
  }

  /** @param longest older positions are forgotten */
  ReplayLag(Duration longest) {
    this.longest = longest;
  }

  /** Whether the primary's position should be asked for; the caller that gets true does so. */
  synchronized boolean isDue(long now) {
    if (lastAsked != null && now - lastAsked < INTERVAL_NANOS) {
      return false;
    }
    lastAsked = now;
    return true;
  }

  synchronized void note(long asked, WalPosition primary) {
    newestFirst.removeIf(noted -> noted.position.timeline() != primary.timeline()
        || asked - noted.asked > longest.toNanos());
    newestFirst.addFirst(new Noted(asked, primary));
  }

  /**
   * @return empty when the standby has replayed none of the positions, or is on another timeline
   */
  synchronized Optional<Duration> of(WalPosition standby, long now) {
    return newestFirst.stream()
        .filter(noted -> noted.position.timeline() == standby.timeline()
            && noted.position.bytes() <= standby.bytes())
        .mapToLong(Noted::asked).max().stream().mapToObj(asked -> Duration.ofNanos(now - asked))
        .findFirst();
  }
}

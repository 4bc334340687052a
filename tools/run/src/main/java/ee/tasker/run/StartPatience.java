package ee.tasker.run;

import java.time.Duration;
import java.util.Optional;

/**
 * How long to wait for a server that starts: as long as something happens, and no longer than a
 * bound. Not thread-safe.
 *
 * <p>A first start migrates a database, which takes seconds on an idle machine and many minutes on
 * a busy one; a server that
 * hangs shows nothing new for minutes.
 */
final class StartPatience {
  static final Duration SILENCE = Duration.ofMinutes(3);

  private final Duration most;
  private final Duration silence;
  private final long begin;
  private long lastProgress;
  private StartProgress.Seen seen;

  /**
   * @param most    the bound
   * @param silence how long nothing may happen
   * @param now     of a clock in nanoseconds, as all others
   */
  StartPatience(Duration most, Duration silence, long now) {
    this.most = most;
    this.silence = silence;
    this.begin = now;
    this.lastProgress = now;
  }

  /** Empty while it is worth to wait, otherwise why it is not, as the end of a sentence. */
  Optional<String> exhausted(StartProgress.Seen seenNow, long now) {
    if (seen == null || seenNow.isAhead(seen))
      lastProgress = now;
    seen = seenNow;
    if (now - begin >= most.toNanos())
      return Optional.of(
          "within " + words(most) + ", the most that START_SECONDS allows (" + state(now) + ").");
    if (now - lastProgress >= silence.toNanos())
      return Optional
          .of("after " + words(Duration.ofNanos(now - begin)) + " (" + state(now) + ").");
    return Optional.empty();
  }

  private String state(long now) {
    return seen.sentence() + "; nothing new for " + words(Duration.ofNanos(now - lastProgress));
  }

  static String words(Duration time) {
    long seconds = time.toSeconds();
    return seconds < 60 ? seconds + " s"
        : seconds / 60 + " min" + (seconds % 60 == 0 ? "" : " " + seconds % 60 + " s");
  }
}

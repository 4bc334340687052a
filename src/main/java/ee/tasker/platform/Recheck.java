package ee.tasker.platform;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Asks again, while a response is open, what its caller is permitted: the one way for streams,
 * waiting requests and claims.
 * Whoever holds the response open asks every {@link #EVERY}; an authentication that the server has
 * cached counts as long as
 * for any request. A check that is put off changes nothing at first, and after {@link
 * #LONGEST_PUT_OFF} the permission
 * counts as withdrawn: otherwise failed logins would keep a stream open that the caller has lost
 * the right to. Thread-safe.
 *
 * @param <T> what is permitted
 */
public final class Recheck<T> {
  public static final Duration EVERY = Duration.ofSeconds(5);
  static final Duration LONGEST_PUT_OFF = Duration.ofMinutes(1);

  /** What came of a check. */
  public sealed interface Outcome<T> {
    record Permitted<T>(T what) implements Outcome<T> {
    }

    /** @param why what a new request would be answered */
    record Withdrawn<T>(Problem why) implements Outcome<T> {
    }

    /** It could not be found out now. */
    record PutOff<T>() implements Outcome<T> {
    }
  }

  private final Supplier<Outcome<T>> ask;
  private final LongSupplier clock;
  private Long putOffSince;

  /** @param ask may take long, and fail */
  public Recheck(Supplier<Outcome<T>> ask) {
    this(ask, System::nanoTime);
  }

  Recheck(Supplier<Outcome<T>> ask, LongSupplier clock) {
    this.ask = ask;
    this.clock = clock;
  }

  /**
   * May take long. A fault of the check is thrown, and changes nothing: what cannot be asked cannot
   * be read either.
   */
  public synchronized Outcome<T> now() {
    Outcome<T> outcome = ask.get();
    if (!(outcome instanceof Outcome.PutOff)) {
      putOffSince = null;
      return outcome;
    }
    long now = clock.getAsLong();
    if (putOffSince == null) {
      putOffSince = now;
    }
    return now - putOffSince < LONGEST_PUT_OFF.toNanos() ? outcome
        : new Outcome.Withdrawn<>(Problem.of(401, "not-authenticated",
            "the credentials could not be checked for too long"));
  }
}

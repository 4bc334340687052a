package ee.tasker.security;

/** What is to be said of the credentials of a request. */
public sealed interface Verdict {

  /** They are right. */
  record Known(Caller caller) implements Verdict {
  }

  /** There are none. */
  record Nobody() implements Verdict {
  }

  /** They are wrong, expired, revoked, or of no kind that is known; the caller is not told which. */
  record Refused() implements Verdict {
  }

  /** Too many wrong ones came before, or too many are being checked: not looked at. */
  record Later(int seconds) implements Verdict {
  }
}

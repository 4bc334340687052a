package ee.tasker.security;

/** The result of checking a request's credentials. */
public sealed interface Verdict {

  /** The credentials are valid. */
  record Known(Caller caller) implements Verdict {
  }

  /** The request has no credentials. */
  record Anonymous() implements Verdict {
  }

  /**
   * The credentials are wrong, expired, revoked or of an unknown kind; the caller does not learn
   * which.
   */
  record Refused() implements Verdict {
  }

  /** Not checked, because too many failures came before or too many checks are queued. */
  record Later(int seconds) implements Verdict {
  }
}

package ee.tasker.security;

import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import ee.tasker.platform.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;

/**
 * The component's facade for sessions of the console. They are in the database, so that every server knows them and signing
 * out ends them. Thread-safe.
 */
@ApplicationScoped
@Transactional(Transactional.TxType.REQUIRES_NEW)
public class Sessions {
  private static final Log LOG = Log.of(Sessions.class);

  @Inject
  private AccountGateway gateway;

  @Inject
  private Authentication authentication;

  @Inject
  private Settings settings;

  /**
   * A session that began: its token exists only here and in the cookie.
   *
   * @param expiresAt ISO 8601
   */
  public record Begun(String token, String expiresAt, long seconds) {
    @Override
    public String toString() {
      return "Begun[" + expiresAt + "]";
    }
  }

  /** @throws Problem 403 not-permitted, when the caller is not a user of the database */
  public Begun begin(Caller caller) {
    if (caller.kind() != Caller.Kind.USER) {
      throw Problem.of(403, "not-permitted", "only a user of the database can begin a session, by name and password");
    }
    String token = SessionCookie.PREFIX + Administration.random(32);
    long seconds = settings.security().session().toSeconds();
    JsonObject session = Refusals.check(gateway.createSession(caller.uuid(), Accounts.sha256(token), seconds),
        () -> Problem.of(403, "not-permitted", "the user does not exist any more"));
    LOG.write(LogEvent.SESSION_BEGUN, "user", caller.name(), "until", session.getString("expires_at"));
    return new Begun(token, session.getString("expires_at"), seconds);
  }

  /** @return false when the session had ended before */
  public boolean end(String token, Caller caller) {
    boolean isEnded = gateway.endSession(Accounts.sha256(token));
    authentication.forgetSession(token);
    LOG.write(LogEvent.SESSION_ENDED, "user", caller.name());
    return isEnded;
  }
}

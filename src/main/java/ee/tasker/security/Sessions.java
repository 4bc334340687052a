package ee.tasker.security;

import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;
import java.util.Optional;

/**
 * The component's facade for sessions of the console. They are in the database, so that every
 * server knows them and signing
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
  private Tokens tokens;

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

  /**
   * A session of a user of the database, or one that ends with the signed token by which the caller
   * is authenticated.
   *
   * @param signedToken of this request, if it has one
   * @throws Problem 403 not-permitted for callers of other kinds; 400 invalid-request for a token
   *   that no cookie can hold
   */
  public Begun begin(Caller caller, Optional<String> signedToken) {
    if (caller.kind() == Caller.Kind.TOKEN && signedToken.isPresent()) {
      return ofToken(caller, signedToken.get());
    }
    if (caller.kind() != Caller.Kind.USER) {
      throw Problem.of(403, "not-permitted",
          "only a user of the database can begin a session, by name and password, or a caller with a signed token");
    }
    String token = SessionCookie.PREFIX + Administration.random(32);
    long seconds = settings.security().session().toSeconds();
    JsonObject session = Refusals.check(
        gateway.createSession(caller.uuid(), Accounts.sha256(token), seconds),
        () -> Problem.of(403, "not-permitted", "the user does not exist any more"));
    LOG.write(LogEvent.SESSION_BEGUN, "user", caller.name(), "until",
        session.getString("expires_at"));
    return new Begun(token, session.getString("expires_at"), seconds);
  }

  private Begun ofToken(Caller caller, String signed) {
    if (signed.length() > SessionCookie.LONGEST_SIGNED) {
      throw Problem.of(400, "invalid-request",
          "the token has " + signed.length() + " characters, and a session can hold one of at most "
              + SessionCookie.LONGEST_SIGNED);
    }
    Tokens.Validity valid = tokens.known(signed)
        .flatMap(known -> known.validity(settings.security().session()))
        .orElseThrow(() -> Problem.of(403, "not-permitted", "the token has expired"));
    LOG.write(LogEvent.SESSION_BEGUN, "user", caller.name(), "until", valid.until());
    return new Begun(SessionCookie.SIGNED_PREFIX + signed, valid.until().toString(),
        valid.seconds());
  }

  /**
   * A session by a signed token ends in the browser: the token itself stays valid until it expires.
   *
   * @return false when the session had ended before
   */
  public boolean end(String token, Caller caller) {
    boolean isEnded = SessionCookie.signedToken(token).isPresent()
        || gateway.endSession(Accounts.sha256(token));
    authentication.forgetSession(token);
    LOG.write(LogEvent.SESSION_ENDED, "user", caller.name());
    return isEnded;
  }
}

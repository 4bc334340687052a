package ee.tasker.security;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The caller of a request: authenticated on first use and stored with the request. By its headers,
 * or, when it has no
 * credentials there, by the {@linkplain SessionCookie cookie} of a session.
 *
 * <p>Not by a {@code HttpAuthenticationMechanism}: its purpose, registering the caller with the
 * application server, was
 * measured to take a hundred times as long as everything here (ADR 0018).
 */
@ApplicationScoped
public class Callers {
  private static final String ATTRIBUTE = "ee.tasker.security.verdict";
  private static final String SESSION = "ee.tasker.security.session";

  @Inject
  private Authentication authentication;

  public Verdict verdict(HttpServletRequest request) {
    if (request.getAttribute(ATTRIBUTE) instanceof Verdict verdict) {
      return verdict;
    }
    String authorization = request.getHeader("Authorization");
    String apiKey = request.getHeader("X-API-Key");
    Verdict verdict = authorization == null && apiKey == null ? ofSession(request)
        : authentication.authenticate(authorization, apiKey);
    request.setAttribute(ATTRIBUTE, verdict);
    return verdict;
  }

  /**
   * Checks the credentials of this request again, also after it has ended: they may have been
   * revoked, or their grants changed.
   */
  public Supplier<Verdict> again(HttpServletRequest request) {
    String authorization = request.getHeader("Authorization");
    String apiKey = request.getHeader("X-API-Key");
    Optional<String> session = session(request);
    return () -> session.map(authentication::authenticateSession)
        .orElseGet(() -> authentication.authenticate(authorization, apiKey));
  }

  /**
   * The token of the session by which the caller of this request was authenticated; empty when it
   * was by other credentials.
   */
  public Optional<String> session(HttpServletRequest request) {
    return Optional.ofNullable((String) request.getAttribute(SESSION));
  }

  /**
   * The signed token by which the caller of this request is authenticated, in its header; empty
   * when it is by other credentials.
   */
  public Optional<String> signedToken(HttpServletRequest request) {
    return verdict(request) instanceof Verdict.Known
        && Credentials.of(request.getHeader("Authorization"),
            request.getHeader("X-API-Key")) instanceof Credentials.Token token
                ? Optional.of(token.token())
                : Optional.empty();
  }

  /**
   * A browser sends the cookies of all ports of a host and of paths above: one of them is right, or
   * none.
   */
  private Verdict ofSession(HttpServletRequest request) {
    Verdict verdict = new Verdict.Anonymous();
    for (String token : SessionCookie.tokens(request)) {
      verdict = authentication.authenticateSession(token);
      if (verdict instanceof Verdict.Known) {
        request.setAttribute(SESSION, token);
        return verdict;
      }
    }
    return verdict;
  }
}

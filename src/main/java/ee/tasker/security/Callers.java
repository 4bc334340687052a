package ee.tasker.security;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;

/**
 * The caller of a request: authenticated on first use and stored with the request.
 *
 * <p>Not by a {@code HttpAuthenticationMechanism}: its purpose, registering the caller with the application server, was
 * measured to take a hundred times as long as everything here (ADR 0018).
 */
@ApplicationScoped
public class Callers {
  private static final String ATTRIBUTE = "ee.tasker.security.verdict";

  @Inject
  private Authentication authentication;

  public Verdict verdict(HttpServletRequest request) {
    if (request.getAttribute(ATTRIBUTE) instanceof Verdict verdict) {
      return verdict;
    }
    Verdict verdict = authentication.authenticate(request.getHeader("Authorization"), request.getHeader("X-API-Key"));
    request.setAttribute(ATTRIBUTE, verdict);
    return verdict;
  }
}

package ee.tasker.security;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The cookie of a session. Scripts cannot read it, and it counts only for requests of this
 * application's own pages: a
 * browser that says where a request comes from ({@code Sec-Fetch-Site}) must say {@code
 * same-origin}, and a change needs the
 * header {@value #CHANGE_HEADER}, which neither a form nor a page of another origin can send.
 * Source: ADR 0040.
 */
public final class SessionCookie {
  public static final String NAME = "tasker_session";
  public static final String CHANGE_HEADER = "X-Requested-By";

  static final String PREFIX = "tks_";
  /**
   * A session that began with a signed token has no row: its cookie holds the token, which is
   * checked at each request.
   */
  static final String SIGNED_PREFIX = "tkt_";
  /** Browsers keep a cookie of 4096 bytes with its name and attributes. */
  static final int LONGEST_SIGNED = 3_500;
  private static final Pattern COOKIE = Pattern
      .compile("(?:^|;)\\s*" + NAME + "=(" + PREFIX + "[A-Za-z0-9_-]{43}|" + SIGNED_PREFIX
          + "[A-Za-z0-9_.-]{1," + LONGEST_SIGNED + "})\\s*(?=;|$)");
  private static final Set<String> READING = Set.of("GET", "HEAD");
  /** More than the applications and ports of one host that a user is signed in to. */
  private static final int MOST_TOKENS = 4;

  private SessionCookie() {
  }

  /** The tokens that count for this request, none when it may come from another page. */
  static List<String> tokens(HttpServletRequest request) {
    if (!isOfOwnPage(request)) {
      return List.of();
    }
    // From the header: of cookies of one name, which applications of one host may have, a server
    // may keep only one.
    return Collections.list(request.getHeaders("Cookie")).stream()
        .flatMap(header -> COOKIE.matcher(header).results())
        .map(found -> found.group(1)).limit(MOST_TOKENS).toList();
  }

  /** @return the signed token that the value of a cookie holds */
  static Optional<String> signedToken(String value) {
    return value.startsWith(SIGNED_PREFIX) ? Optional.of(value.substring(SIGNED_PREFIX.length()))
        : Optional.empty();
  }

  private static boolean isOfOwnPage(HttpServletRequest request) {
    boolean isReading = READING.contains(request.getMethod());
    String site = request.getHeader("Sec-Fetch-Site");
    // none: the person typed the address.
    boolean isSameOrigin = site == null || "same-origin".equals(site)
        || isReading && "none".equals(site);
    return isSameOrigin && (isReading || request.getHeader(CHANGE_HEADER) != null);
  }

  /**
   * The header {@code Set-Cookie}.
   *
   * @param token   empty to remove the cookie
   * @param seconds how long it is valid, 0 to remove it
   */
  public static String header(HttpServletRequest request, String token, long seconds,
      boolean isSecure) {
    return NAME + "=" + token + "; Path=" + request.getContextPath() + "/; Max-Age=" + seconds
        + "; HttpOnly; SameSite=Strict"
        + (isSecure ? "; Secure" : "");
  }
}

package ee.tasker.rest.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Set;

/**
 * CORS: pages of other origins may do nothing in a browser unless they are configured. A browser
 * that has stored a password
 * sends it with any page's requests, so a request that may change something is refused when its
 * headers name another
 * origin; programs do not send such headers.
 */
final class Origins {
  private static final Set<String> READING = Set.of("GET", "HEAD");

  /**
   * Writes the CORS headers for an allowed origin.
   *
   * @return false when the request must not be served
   */
  boolean admits(HttpServletRequest request, HttpServletResponse answer, Set<String> allowed) {
    String origin = request.getHeader("Origin");
    if (origin == null) {
      return true;
    }
    if (!allowed.isEmpty()) {
      answer.setHeader("Vary", "Origin");
    }
    if (allowed.contains(origin)) {
      answer.setHeader("Access-Control-Allow-Origin", origin);
      answer.setHeader("Access-Control-Expose-Headers",
          "Location, Retry-After, " + StaleReadsFilter.STALENESS);
      if (isPreflight(request)) {
        answer.setHeader("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE");
        answer.setHeader("Access-Control-Allow-Headers",
            "Authorization, X-API-Key, Content-Type, Accept, " + StaleReadsFilter.ALLOWED);
        answer.setHeader("Access-Control-Max-Age", "600");
      }
      return true;
    }
    return READING.contains(request.getMethod()) || isOwn(origin, request);
  }

  boolean isPreflight(HttpServletRequest request) {
    return "OPTIONS".equals(request.getMethod())
        && request.getHeader("Access-Control-Request-Method") != null;
  }

  /** Compares the host only: behind a proxy the scheme differs. */
  private static boolean isOwn(String origin, HttpServletRequest request) {
    String host = request.getHeader("Host");
    return host != null && (origin.equals("https://" + host) || origin.equals("http://" + host));
  }
}

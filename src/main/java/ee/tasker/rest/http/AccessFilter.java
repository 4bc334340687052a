package ee.tasker.rest.http;

import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.Problem;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.sql.Meters;
import ee.tasker.platform.thread.StartSequence;
import ee.tasker.security.Caller;
import ee.tasker.security.Callers;
import ee.tasker.security.Permission;
import ee.tasker.security.SessionCookie;
import ee.tasker.security.Verdict;
import ee.tasker.tracing.TraceSpan;
import ee.tasker.tracing.Tracing;
import jakarta.inject.Inject;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;

/**
 * The entry filter of the application: sets the headers of every response, authenticates the caller
 * and limits concurrent
 * requests. Only pages without data are open. {@link PermissionFilter} checks the permission of
 * each route under {@code
 * /v1}.
 */
@WebFilter(urlPatterns = "/*", asyncSupported = true)
public class AccessFilter implements Filter {
  private static final Log LOG = Log.of(AccessFilter.class);
  /** Pages without data; the data they show comes from protected routes. */
  private static final Set<String> PAGES = Set.of("", "/", "/index.html", "/console");
  private static final Pattern BROKEN_ESCAPE = Pattern.compile("%(?!\\p{XDigit}{2})");
  private static final Pattern ODD = Pattern
      .compile("%(?!\\p{XDigit}{2})|%[01]\\p{XDigit}|%7[fF]|%5[cC]|[\\x00-\\x1f\\x7f\\\\]");
  private static final int RETRY_WAITING_SECONDS = 5;
  private static final List<String> PAGE_FOLDERS = List.of("/assets/", "/console/");
  private static final String PAGE_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  private static final String DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

  @Inject
  private Callers callers;

  @Inject
  private Settings settings;

  private final Origins origins = new Origins();

  @Inject
  private Meters meters;

  @Inject
  private StartSequence start;

  @Inject
  private Tracing tracing;

  private Semaphore permits;

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest http = (HttpServletRequest) request;
    HttpServletResponse answer = (HttpServletResponse) response;
    if (isOurs(path(http))) {
      new RequestMeter(meters, http, answer).around(() -> enter(http, answer, chain));
    } else {
      enter(http, answer, chain);
    }
  }

  private void enter(HttpServletRequest http, HttpServletResponse answer, FilterChain chain)
      throws IOException, ServletException {
    boolean isPage = isPage(http);
    if (hasOddCharacters(path(http))) {
      // Files of servers on other systems, and string terminators of other languages: no page or
      // operation has such a name.
      writeHeaders(answer, false);
      refuse(http, answer,
          Problem.of(400, "invalid-request", "the path has a backslash or a control character"), 0);
      return;
    }
    if (!Framing.isClear(http)) {
      writeHeaders(answer, false);
      answer.setHeader(UnreadBodies.CONNECTION, UnreadBodies.CLOSE);
      write(http, answer, Problem.of(400, "invalid-request", Framing.COMPLAINT));
      return;
    }
    if (isHealth(path(http))) {
      // Of the application server, where it serves them below the root of the application.
      writeHeaders(answer, false);
      chain.doFilter(http, answer);
      return;
    }
    if (!isPage && !isOurs(path(http))) {
      // The resources of an application that overlays its WAR on this one.
      chain.doFilter(http, answer);
      return;
    }
    writeHeaders(answer, isPage);
    if (isPage) {
      UnreadBodies.dismiss(http, answer);
      chain.doFilter(http, answer);
    } else if (hasBrokenEscape(http.getRequestURI()) || hasBrokenEscape(http.getQueryString())) {
      refuse(http, answer, Problem.of(400, "invalid-request",
          "the path or the query has an invalid percent-encoding"), 0);
    } else if (!origins.admits(http, answer, settings.allowedOrigins())) {
      refuse(http, answer,
          Problem.of(403, "foreign-origin", "pages of this origin may not use this API"), 0);
    } else if (origins.isPreflight(http)) {
      UnreadBodies.dismiss(http, answer);
      answer.setStatus(204);
    } else if (start.isWaiting()) {
      refuse(http, answer, StartSequence.waitingProblem(), RETRY_WAITING_SECONDS);
    } else if (!permits().tryAcquire()) {
      refuse(http, answer,
          Problem.of(503, "server-busy",
              "this server has reached its limit of concurrent requests; try again shortly"),
          1);
    } else {
      try (TraceSpan.Current thread = tracing.scope()) {
        if (isAllowed(http, answer) && isReadable(http, answer)) {
          if (!isBelowV1(path(http))) {
            UnreadBodies.dismiss(http, answer);
          }
          chain.doFilter(http, answer);
        }
      } finally {
        permits().release();
      }
    }
  }

  private synchronized Semaphore permits() {
    if (permits == null) {
      permits = new Semaphore(settings.maxRequests());
    }
    return permits;
  }

  private static boolean isPage(HttpServletRequest request) {
    String path = path(request);
    return Set.of("GET", "HEAD").contains(request.getMethod())
        && (PAGES.contains(path) || PAGE_FOLDERS.stream().anyMatch(path::startsWith));
  }

  /** Some application servers refuse it, others take it literally. */
  private static boolean hasBrokenEscape(String encoded) {
    return encoded != null && encoded.indexOf('%') >= 0 && BROKEN_ESCAPE.matcher(encoded).find();
  }

  private static boolean hasOddCharacters(String path) {
    return path.chars().anyMatch(c -> c < ' ' || c == 127 || c == '\\');
  }

  /** Whether this filter rejects every request for this path, given in its encoded form. */
  static boolean isOdd(String encodedPath) {
    return ODD.matcher(encodedPath).find();
  }

  /** For these paths, {@link BodyTimeFilter} handles the unread rest of the body. */
  private static boolean isBelowV1(String path) {
    return path.equals("/v1") || path.startsWith("/v1/");
  }

  private static boolean isOurs(String path) {
    return isBelowV1(path) || path.equals("/metrics") || path.startsWith("/openapi");
  }

  private static boolean isHealth(String path) {
    return path.equals("/health") || path.startsWith("/health/");
  }

  /**
   * The path as the application server decoded and normalised it: some servers report a file's
   * whole path as path info.
   */
  private static String path(HttpServletRequest request) {
    return request.getServletPath() + (request.getPathInfo() == null ? "" : request.getPathInfo());
  }

  static void writeHeaders(HttpServletResponse answer, boolean isPage) {
    // Not every application server adds it.
    answer.setDateHeader("Date", System.currentTimeMillis());
    answer.setHeader("X-Content-Type-Options", "nosniff");
    answer.setHeader("X-Frame-Options", "DENY");
    answer.setHeader("Referrer-Policy", "no-referrer");
    answer.setHeader("Content-Security-Policy", isPage ? PAGE_POLICY : DATA_POLICY);
    answer.setHeader("Cache-Control", isPage ? "no-cache" : "no-store");
  }

  /** Whether the headers are well-formed. Sends the response when they are not. */
  private static boolean isReadable(HttpServletRequest request, HttpServletResponse answer)
      throws IOException {
    if (!MediaTypes.areWellFormed(request.getHeaders("Accept"))) {
      refuse(request, answer,
          Problem.of(400, "invalid-request", "the header Accept is not a list of media types"), 0);
      return false;
    }
    if (!MediaTypes.isWellFormed(request.getContentType())) {
      refuse(request, answer,
          Problem.of(415, "unsupported-media-type", "the header Content-Type is not a media type"),
          0);
      return false;
    }
    return true;
  }

  /** Sends the response when the caller is not authenticated. */
  private boolean isAllowed(HttpServletRequest request, HttpServletResponse answer)
      throws IOException {
    String path = path(request);
    if (Set.of("/openapi", "/openapi.yaml").contains(path)
        && settings.security().open().contains("openapi")
        || path.equals("/metrics") && settings.security().open().contains("metrics")) {
      return true;
    }
    Verdict verdict;
    try {
      verdict = callers.verdict(request);
    } catch (RuntimeException fault) {
      fail(request, answer, fault);
      return false;
    }
    if (!(verdict instanceof Verdict.Known known)) {
      refuse(request, answer, refusal(verdict),
          verdict instanceof Verdict.Later later ? later.seconds() : 0);
      return false;
    }
    if (path.equals("/metrics")
        && !known.caller().grants().mayEverywhere(Permission.SYSTEM_METRICS_READ)) {
      deny(request, answer, known.caller());
      return false;
    }
    return true;
  }

  static Problem refusal(Verdict verdict) {
    if (verdict instanceof Verdict.Later later) {
      return new Problem(429, "too-many-failures",
          "too many failed logins of this user; try again in " + later.seconds() + " s",
          List.of(), Map.of("retry_after_seconds", later.seconds()));
    }
    return verdict instanceof Verdict.Anonymous
        ? Problem.of(401, "not-authenticated",
            "authentication is required, by user and password, API key or token")
        : Problem.of(401, "not-authenticated", "the credentials are invalid");
  }

  private void deny(HttpServletRequest request, HttpServletResponse answer, Caller caller)
      throws IOException {
    LOG.write(LogEvent.ACCESS_DENIED, "caller", caller.actor(), "method", request.getMethod(),
        "path", request.getRequestURI());
    refuse(request, answer, Problem.of(403, "not-permitted",
        "this needs the permission " + Permission.SYSTEM_METRICS_READ.text()), 0);
  }

  private static void fail(HttpServletRequest request, HttpServletResponse answer,
      RuntimeException fault) throws IOException {
    // Only reads, so a commit without confirmation leaves nothing behind either.
    if (DatabaseFaults.isTransient(fault) || DatabaseFaults.isUnconfirmedCommit(fault)) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call",
          request.getMethod() + " " + request.getRequestURI());
      refuse(request, answer, FaultMapper.unavailable(fault), ProblemDocument.RETRY_AFTER_SECONDS);
      return;
    }
    String id = UUID.randomUUID().toString();
    LOG.write(LogEvent.REQUEST_FAILED, fault, "id", id, "path", request.getRequestURI());
    refuse(request, answer, Problem.of(500, "internal-error", "internal error (log id " + id + ")"),
        0);
  }

  /**
   * Sends a problem as the response.
   *
   * @param retryAfterSeconds 0 for a response without {@code Retry-After}
   */
  public static void refuse(HttpServletRequest request, HttpServletResponse answer,
      Problem problem, int retryAfterSeconds)
      throws IOException {
    UnreadBodies.dismiss(request, answer);
    // For a program in a page, a browser would prompt its user for a password, and the program
    // would wait for that. Browsers
    // send Sec-Fetch-Dest only over HTTPS and to localhost; the console says what it is with a
    // header of its own.
    if (problem.status() == 401 && !"empty".equals(request.getHeader("Sec-Fetch-Dest"))
        && request.getHeader(SessionCookie.CHANGE_HEADER) == null) {
      answer.setHeader("WWW-Authenticate", "Basic realm=\"Tasker EE\", charset=\"UTF-8\"");
    }
    if (retryAfterSeconds > 0) {
      answer.setHeader("Retry-After", Integer.toString(retryAfterSeconds));
    }
    write(request, answer, problem);
  }

  private static void write(HttpServletRequest request, HttpServletResponse answer, Problem problem)
      throws IOException {
    answer.setStatus(problem.status());
    answer.setContentType(ProblemDocument.MEDIA_TYPE);
    answer.setCharacterEncoding("UTF-8");
    answer.getWriter().write(ProblemDocument.json(problem, request.getRequestURI()).toString());
  }
}

package ee.tasker.rest;

import ee.tasker.rest.http.ReadOnlyServlet;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/**
 * The files of the console below {@code /console/}, the same on every application server:
 * compressed for clients that accept it, and not sent again to clients that have them. Each is
 * read once; together they have some hundred kB. Without the slash it redirects, by a path alone:
 * an application server would redirect to the host that the client named.
 */
@WebServlet({"/console", "/console/*"})
public class ConsoleServlet extends ReadOnlyServlet {
  private static final long serialVersionUID = 1L;
  private static final Pattern NAME = Pattern
      .compile("/(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)+");
  private static final Map<String, String> TYPES = Map.of("html", "text/html;charset=UTF-8", "js",
      "text/javascript;charset=UTF-8", "css", "text/css;charset=UTF-8", "json",
      "application/json", "txt", "text/plain;charset=UTF-8", "woff2", "font/woff2");
  /** Has its own compression. */
  private static final String TYPEFACE = "woff2";

  private final transient Map<String, Asset> assets = new ConcurrentHashMap<>();

  /** @param compressed null where that would not make it smaller */
  private record Asset(String type, byte[] content, byte[] compressed, String digest) {
    static Asset of(String path, byte[] content) throws IOException {
      String ending = path.substring(path.lastIndexOf('.') + 1);
      try {
        String digest = HexFormat.of()
            .formatHex(MessageDigest.getInstance("SHA-256").digest(content), 0, 16);
        return new Asset(TYPES.get(ending), content,
            ending.equals(TYPEFACE) ? null : compressed(content), digest);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every JVM has SHA-256", e);
      }
    }

    private static byte[] compressed(byte[] content) throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
        gzip.write(content);
      }
      return bytes.toByteArray();
    }
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse answer) throws IOException {
    if (request.getPathInfo() == null && !request.getRequestURI().endsWith("/")) {
      answer.setStatus(HttpServletResponse.SC_FOUND);
      answer.setHeader("Location", request.getContextPath() + "/console/");
      return;
    }
    String path = request.getPathInfo() == null || request.getPathInfo().equals("/")
        ? "/index.html" : request.getPathInfo();
    Asset asset = asset(path);
    if (asset == null) {
      answer.sendError(HttpServletResponse.SC_NOT_FOUND);
      return;
    }
    boolean isCompressed = asset.compressed() != null && takesGzip(request);
    String tag = "\"" + asset.digest() + (isCompressed ? "-gzip" : "") + "\"";
    answer.setHeader("ETag", tag);
    answer.setHeader("Vary", "Accept-Encoding");
    if (has(request, tag)) {
      answer.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
      return;
    }
    answer.setContentType(asset.type());
    if (isCompressed) {
      answer.setHeader("Content-Encoding", "gzip");
    }
    byte[] sent = isCompressed ? asset.compressed() : asset.content();
    answer.setContentLength(sent.length);
    answer.getOutputStream().write(sent);
  }

  private Asset asset(String path) throws IOException {
    Asset known = assets.get(path);
    if (known != null || !NAME.matcher(path).matches()
        || !TYPES.containsKey(path.substring(path.lastIndexOf('.') + 1))) {
      return known;
    }
    try (InputStream found = getServletContext().getResourceAsStream("/console" + path)) {
      if (found == null) {
        return null;
      }
      Asset read = Asset.of(path, found.readAllBytes());
      assets.put(path, read);
      return read;
    }
  }

  private static boolean takesGzip(HttpServletRequest request) {
    return Collections.list(request.getHeaders("Accept-Encoding")).stream()
        .flatMap(header -> Pattern.compile(",").splitAsStream(header)).map(String::trim)
        .anyMatch(coding -> coding.equals("gzip") || coding.startsWith("gzip;")
            && !coding.replace(" ", "").matches("gzip;q=0(\\.0*)?"));
  }

  private static boolean has(HttpServletRequest request, String tag) {
    return Collections.list(request.getHeaders("If-None-Match")).stream()
        .flatMap(header -> Pattern.compile(",").splitAsStream(header))
        .map(each -> each.trim().replaceFirst("^W/", ""))
        .anyMatch(each -> each.equals(tag) || each.equals("*"));
  }
}

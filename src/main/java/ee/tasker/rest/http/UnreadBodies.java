package ee.tasker.rest.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;

/** Requests that are answered without reading their body. */
final class UnreadBodies {
  static final String CONNECTION = "Connection";
  static final String CLOSE = "close";
  private static final String DISMISSED = "ee.tasker.body-dismissed";

  private UnreadBodies() {
  }

  static boolean hasBody(HttpServletRequest request) {
    return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
  }

  /**
   * Drains the part of the body that has arrived, and closes the connection if there is more: an
   * unauthenticated client
   * must not make the server wait for the rest. To be called before the response is written.
   */
  static void dismiss(HttpServletRequest request, HttpServletResponse answer) {
    if (!hasBody(request) || request.getAttribute(DISMISSED) != null) {
      return;
    }
    request.setAttribute(DISMISSED, true);
    if (!isWhole(request)) {
      answer.setHeader(CONNECTION, CLOSE);
    }
  }

  private static boolean isWhole(HttpServletRequest request) {
    long left = request.getContentLengthLong();
    try {
      InputStream body = request.getInputStream();
      byte[] chunk = new byte[8_192];
      while (left > 0 && body.available() > 0) {
        left -= Math.max(0, body.read(chunk, 0, (int) Math.min(chunk.length, left)));
      }
      return left == 0;
    } catch (IOException | IllegalStateException broken) {
      return false;
    }
  }
}

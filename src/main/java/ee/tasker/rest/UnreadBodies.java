package ee.tasker.rest;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;

/** Requests whose body is not read because the answer is known before. */
final class UnreadBodies {
  static final String CONNECTION = "Connection";
  static final String CLOSE = "close";
  private static final String DISMISSED = "ee.tasker.body-dismissed";

  private UnreadBodies() {
  }

  static boolean hasBody(HttpServletRequest request) {
    return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
  }

  /** Takes what has arrived of the body, and has the connection closed if that is not all: waiting for the rest is nothing that a stranger may ask for. Before the answer is written. */
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

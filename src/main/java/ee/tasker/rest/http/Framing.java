package ee.tasker.rest.http;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Whether the headers of a request say in one way only where its body ends. Two servers in a row
 * that read them differently
 * disagree on where the next request begins, and one client could put words into the requests of
 * another. Application
 * servers refuse some of these themselves, each others.
 */
final class Framing {
  static final String COMPLAINT = "Transfer-Encoding must be chunked, without Content-Length, or there must be one Content-Length";

  /** HTTP knows no other blanks, and other servers take a vertical tab for a part of the word. */
  private static final Pattern CHUNKED = Pattern.compile("[ \\t]*chunked[ \\t]*",
      Pattern.CASE_INSENSITIVE);

  private Framing() {
  }

  static boolean isClear(HttpServletRequest request) {
    return isClear(Collections.list(request.getHeaders("Transfer-Encoding")),
        Collections.list(request.getHeaders("Content-Length")));
  }

  static boolean isClear(List<String> codings, List<String> lengths) {
    if (codings.isEmpty()) {
      return new HashSet<>(lengths).size() <= 1;
    }
    return lengths.isEmpty() && codings.size() == 1 && CHUNKED.matcher(codings.get(0)).matches();
  }
}

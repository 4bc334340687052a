package ee.tasker.rest.http;

import java.util.Enumeration;
import java.util.regex.Pattern;

/**
 * Checks that headers are media types, by the grammar of RFC 9110: application servers answer
 * malformed ones with their own
 * error pages.
 */
final class MediaTypes {
  private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]++";
  private static final String PARAMETERS = "(?:\\s*+;\\s*+(?:" + TOKEN + "=(?:" + TOKEN
      + "|\"(?:[^\"\\\\]|\\\\.)*+\"))?+)*+";
  private static final String TYPE = TOKEN + "/" + TOKEN + PARAMETERS;
  // Java's own oldest HTTP client also sends a lone *.
  private static final String RANGE = "(?:" + TYPE + "|\\*" + PARAMETERS + ")?+";
  private static final Pattern ONE = Pattern.compile("\\s*+" + TYPE + "\\s*+");
  private static final Pattern MANY = Pattern
      .compile("\\s*+" + RANGE + "(?:\\s*+,\\s*+" + RANGE + ")*+\\s*+");

  private MediaTypes() {
  }

  /** For the header Content-Type; null means that it is absent, and is well-formed. */
  static boolean isWellFormed(String type) {
    return type == null || ONE.matcher(type).matches();
  }

  /** For all Accept headers; null if the server does not provide them. */
  static boolean areWellFormed(Enumeration<String> ranges) {
    while (ranges != null && ranges.hasMoreElements()) {
      if (!MANY.matcher(ranges.nextElement()).matches()) {
        return false;
      }
    }
    return true;
  }
}

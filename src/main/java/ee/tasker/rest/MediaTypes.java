package ee.tasker.rest;

import java.util.Enumeration;
import java.util.regex.Pattern;

/** Whether headers are media types at all: application servers answer those that are not with pages of their own. By the grammar of RFC 9110. */
final class MediaTypes {
  private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]++";
  private static final String PARAMETERS = "(?:\\s*+;\\s*+(?:" + TOKEN + "=(?:" + TOKEN + "|\"(?:[^\"\\\\]|\\\\.)*+\"))?+)*+";
  private static final String TYPE = TOKEN + "/" + TOKEN + PARAMETERS;
  // Java's own oldest client asks for a lone * too.
  private static final String RANGE = "(?:" + TYPE + "|\\*" + PARAMETERS + ")?+";
  private static final Pattern ONE = Pattern.compile("\\s*+" + TYPE + "\\s*+");
  private static final Pattern MANY = Pattern.compile("\\s*+" + RANGE + "(?:\\s*+,\\s*+" + RANGE + ")*+\\s*+");

  private MediaTypes() {
  }

  /** Of the header Content-Type; null is none, and well-formed. */
  static boolean isWellFormed(String type) {
    return type == null || ONE.matcher(type).matches();
  }

  /** Of all headers Accept; null where the server does not tell. */
  static boolean areWellFormed(Enumeration<String> ranges) {
    while (ranges != null && ranges.hasMoreElements()) {
      if (!MANY.matcher(ranges.nextElement()).matches()) {
        return false;
      }
    }
    return true;
  }
}

package ee.tasker.protection;

/**
 * Finds a piece of source and replaces it, whatever white space is in or between its words: a guard stays the same when
 * its file is laid out anew.
 */
final class SourceText {
  private SourceText() {}

  /**
   * @param of whose piece it is, for the error
   * @throws AssertionError the piece is not there exactly once
   */
  static String replace(String of, String source, String piece, String by) {
    String wanted = piece.replaceAll("\\s", "");
    StringBuilder packed = new StringBuilder(source.length());
    int[] places = new int[source.length()];
    for (int i = 0; i < source.length(); i++) {
      if (!Character.isWhitespace(source.charAt(i))) {
        places[packed.length()] = i;
        packed.append(source.charAt(i));
      }
    }
    int at = packed.indexOf(wanted);
    if (wanted.isEmpty() || at < 0 || packed.indexOf(wanted, at + 1) >= 0) {
      throw new AssertionError(of + ": to be found exactly once, and is "
          + (at < 0 ? "missing" : "ambiguous") + ": " + piece);
    }
    return source.substring(0, places[at]) + " " + by + " "
        + source.substring(places[at + wanted.length() - 1] + 1);
  }
}

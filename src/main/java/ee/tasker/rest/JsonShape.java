package ee.tasker.rest;

import ee.tasker.platform.JsonbCheck;
import ee.tasker.platform.Problem;

/**
 * Checks a body before it is parsed for what the parser would miss or notice too late: nesting too deep for recursion, text
 * after the value, and numbers with so many digits that parsing takes seconds, since the time is quadratic in the number of
 * digits.
 */
final class JsonShape {
  private static final int DEEPEST = 128;
  /** The digits that {@link JsonbCheck} allows before and after the point, a sign, the point and an exponent. */
  private static final int LONGEST_NUMBER = 2_010;
  /** In digits; shorter numbers are left to {@link JsonbCheck}. */
  private static final int LONGEST_EXPONENT = 5;
  /**
   * The sum of the squares of the numbers' lengths, which is proportional to parsing cost: a thousand numbers of the
   * maximum length, or a batch of the maximum length full of 100-digit numbers.
   */
  private static final long MOST_WORK = 4_000_000_000L;
  private static final int LONGEST_NAME = 64;

  private final String text;
  private int depth;
  private boolean isArray;
  private int element;
  private int nameFrom;
  private int nameTo;
  private boolean hasName;
  private long work;

  private JsonShape(String text) {
    this.text = text;
  }

  /** @throws Problem 400 malformed-json, or invalid-request naming the member with the number */
  static void check(String text) {
    new JsonShape(text).check();
  }

  private void check() {
    boolean isOver = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (isOver) {
        if (" \t\r\n".indexOf(c) < 0) {
          throw Problem.of(400, "malformed-json", "the body is not JSON: there is text after its end, at " + place(i));
        }
      } else if (c == '"') {
        i = endOfString(i);
      } else if (isOfNumber(c)) {
        i = endOfNumber(i) - 1;
      } else if (c == '{' || c == '[') {
        isArray = depth == 0 ? c == '[' : isArray;
        if (++depth > DEEPEST) {
          throw Problem.of(400, "malformed-json", "the body must not be nested more than " + DEEPEST + " deep");
        }
      } else if (c == '}' || c == ']') {
        isOver = --depth == 0;
      } else if (c == ',' && depth == 1) {
        element++;
        hasName = false;
      }
    }
  }

  /**
   * In the members of the body, or the elements of a batch, the last string is either the name of the next value or a value
   * that nothing follows.
   */
  private int endOfString(int from) {
    int end = from + 1;
    while (end < text.length() && text.charAt(end) != '"') {
      end += text.charAt(end) == '\\' ? 2 : 1;
    }
    if (depth == (isArray ? 2 : 1)) {
      nameFrom = from + 1;
      nameTo = Math.min(end, text.length());
      hasName = true;
    }
    return end;
  }

  private static boolean isOfNumber(char c) {
    return c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
  }

  private int endOfNumber(int from) {
    int end = from;
    int exponent = -1;
    while (end < text.length() && isOfNumber(text.charAt(end))) {
      char c = text.charAt(end);
      exponent = c == 'e' || c == 'E' ? 0 : exponent >= 0 && Character.isDigit(c) ? exponent + 1 : exponent;
      if (++end - from > LONGEST_NUMBER || exponent > LONGEST_EXPONENT) {
        throw Problem.invalid(field(), JsonbCheck.TOO_MANY_DIGITS + "; one begins at " + place(from));
      }
    }
    work += (long) (end - from) * (end - from);
    if (work > MOST_WORK) {
      throw Problem.invalid(field(), "must not contain too many long numbers; the limit is exceeded at " + place(from));
    }
    return end;
  }

  private String field() {
    String name = hasName && nameTo > nameFrom ? text.substring(nameFrom, Math.min(nameTo, nameFrom + LONGEST_NAME)) : "";
    return !isArray ? name : name.isEmpty() ? Integer.toString(element) : element + "/" + name;
  }

  private String place(int index) {
    long line = text.substring(0, index).chars().filter(c -> c == '\n').count() + 1;
    return "line " + line + ", column " + (index - text.lastIndexOf('\n', index - 1));
  }
}

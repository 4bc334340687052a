package ee.tasker.rest.http;

import ee.tasker.platform.JsonbCheck;
import ee.tasker.platform.Problem;

/**
 * Checks a body before it is parsed for what the parser would miss or notice too late: nesting too
 * deep for recursion, text
 * after the value, numbers with so many digits that parsing takes seconds, since the time is
 * quadratic in the number of
 * digits, and numbers with exponents that make a document many times as long as the body:
 * PostgreSQL writes out all digits.
 */
final class JsonShape {
  private static final int DEEPEST = 128;
  /**
   * The digits that {@link JsonbCheck} allows before and after the point, a sign, the point and an
   * exponent.
   */
  private static final int LONGEST_NUMBER = 2_010;
  /** In digits; shorter numbers are left to {@link JsonbCheck}. */
  private static final int LONGEST_EXPONENT = 5;
  /**
   * The sum of the squares of the numbers' lengths, which is proportional to parsing cost: a
   * thousand numbers of the
   * maximum length, or a batch of the maximum length full of 100-digit numbers.
   */
  private static final long MOST_WORK = 4_000_000_000L;
  private static final int LONGEST_NAME = 64;
  private static final String NAMESPACE = "namespace";

  private final String text;
  private final int limit;
  private final int limitOfElement;
  /** The characters that the numbers have more with all their digits. */
  private long writtenOut;
  private long writtenOutBefore;
  /** Of the first character that is no white space; negative before it. */
  private int elementFrom = -1;
  private int depth;
  private boolean isArray;
  private int element;
  private int nameFrom;
  private int nameTo;
  private boolean hasName;
  private String namespace;
  private long work;

  /**
   * @param limit          of the body with all digits of its numbers
   * @param limitOfElement of each element, if the body is an array
   */
  JsonShape(String text, int limit, int limitOfElement) {
    this.text = text;
    this.limit = limit;
    this.limitOfElement = limitOfElement;
  }

  /** Problem 400 malformed-json, or invalid-request naming the member with the number; or null. */
  Problem refusal() {
    try {
      check();
      return null;
    } catch (Problem refused) {
      return refused;
    }
  }

  /**
   * The text of the first member {@code namespace} of the body, or of an element of it, as far as
   * it was checked; null when it has none.
   */
  String namespace() {
    return namespace;
  }

  private void check() {
    boolean isOver = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (elementFrom < 0 && depth == 1 && !isBlank(c)) {
        elementFrom = i;
      }
      if (isOver) {
        if (!isBlank(c)) {
          throw Problem.of(400, "malformed-json",
              "the body is not JSON: there is text after its end, at " + place(i));
        }
      } else if (c == '"') {
        i = endOfString(i);
      } else if (isOfNumber(c)) {
        i = endOfNumber(i) - 1;
      } else if (c == '{' || c == '[') {
        isArray = depth == 0 ? c == '[' : isArray;
        if (++depth > DEEPEST) {
          throw Problem.of(400, "malformed-json",
              "the body must not be nested more than " + DEEPEST + " deep");
        }
      } else if (c == '}' || c == ']') {
        isOver = --depth == 0;
        if (isOver) {
          checkElement(i);
        }
      } else if (c == ',' && depth == 1) {
        checkElement(i);
        element++;
        hasName = false;
      }
    }
  }

  /** One that is too long by itself is refused as the same body would be alone. */
  private void checkElement(int end) {
    if (isArray && elementFrom >= 0
        && end - elementFrom + writtenOut - writtenOutBefore > limitOfElement) {
      hasName = false;
      throw Problem.invalid(field(), tooLong(limitOfElement));
    }
    elementFrom = -1;
    writtenOutBefore = writtenOut;
  }

  private static String tooLong(int most) {
    return "must have at most " + most + " bytes with all digits of its numbers";
  }

  /**
   * In the members of the body, or the elements of a batch, the last string is either the name of
   * the next value or a value
   * that nothing follows.
   */
  private int endOfString(int from) {
    int end = from + 1;
    while (end < text.length() && text.charAt(end) != '"') {
      end += text.charAt(end) == '\\' ? 2 : 1;
    }
    if (depth == (isArray ? 2 : 1)) {
      if (namespace == null && isValueOfNamespace(from)) {
        namespace = text.substring(from + 1, Math.min(end, text.length()));
      }
      nameFrom = from + 1;
      nameTo = Math.min(end, text.length());
      hasName = true;
    }
    return end;
  }

  /** Whether the string that begins there is the value of the last name, and that is namespace. */
  private boolean isValueOfNamespace(int from) {
    int before = from - 1;
    while (before > 0 && isBlank(text.charAt(before))) {
      before--;
    }
    return before > 0 && text.charAt(before) == ':' && hasName
        && nameTo - nameFrom == NAMESPACE.length()
        && text.startsWith(NAMESPACE, nameFrom);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
  }

  private static boolean isOfNumber(char c) {
    return c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
  }

  private int endOfNumber(int from) {
    int end = from;
    int exponent = -1;
    int exponentFrom = -1;
    while (end < text.length() && isOfNumber(text.charAt(end))) {
      char c = text.charAt(end);
      exponentFrom = c == 'e' || c == 'E' ? end + 1 : exponentFrom;
      exponent = c == 'e' || c == 'E' ? 0
          : exponent >= 0 && Character.isDigit(c) ? exponent + 1 : exponent;
      if (++end - from > LONGEST_NUMBER || exponent > LONGEST_EXPONENT) {
        throw Problem.invalid(field(),
            JsonbCheck.TOO_MANY_DIGITS + "; one begins at " + place(from));
      }
    }
    work += (long) (end - from) * (end - from);
    if (work > MOST_WORK) {
      throw Problem.invalid(field(),
          "must not contain too many long numbers; the limit is exceeded at " + place(from));
    }
    if (exponent > 0) {
      writtenOut += power(exponentFrom, end);
      if (text.length() + writtenOut > limit) {
        throw Problem.invalid(field(),
            tooLong(limit) + "; the limit is exceeded at " + place(from));
      }
    }
    return end;
  }

  /**
   * The digits of an exponent as a number: about as many characters as the number gets longer by
   * without it.
   */
  private int power(int from, int end) {
    int power = 0;
    for (int i = from; i < end; i++) {
      char c = text.charAt(i);
      power = c >= '0' && c <= '9' ? power * 10 + c - '0' : power;
    }
    return power;
  }

  private String field() {
    String name = hasName && nameTo > nameFrom
        ? text.substring(nameFrom, Math.min(nameTo, nameFrom + LONGEST_NAME)) : "";
    return !isArray ? name : name.isEmpty() ? Integer.toString(element) : element + "/" + name;
  }

  private String place(int index) {
    long line = text.substring(0, index).chars().filter(c -> c == '\n').count() + 1;
    return "line " + line + ", column " + (index - text.lastIndexOf('\n', index - 1));
  }
}

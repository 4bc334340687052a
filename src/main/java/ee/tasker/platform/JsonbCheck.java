package ee.tasker.platform;

import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.math.BigDecimal;
import java.util.Optional;

/**
 * Checks that a value can be stored and read back unchanged. PostgreSQL rejects U+0000; an unpaired surrogate would
 * silently become a question mark; and a value that is nested very deep or has very many digits could be stored but not
 * read again, which would also affect the other steps in the same message.
 */
public final class JsonbCheck {
  private static final int DEEPEST = 500;
  private static final int MOST_DIGITS = 1_000;
  public static final String TOO_MANY_DIGITS = "must not contain numbers of more than " + MOST_DIGITS + " digits before or after the point";

  private JsonbCheck() {
  }

  /** @return what is wrong, as a predicate for the field's name */
  public static Optional<String> complaint(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0) {
        return Optional.of("must not contain the character U+0000");
      }
      if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        return Optional.of("must not contain half of a surrogate pair");
      }
    }
    return Optional.empty();
  }

  public static Optional<String> complaint(JsonNumber number) {
    BigDecimal value = number.bigDecimalValue();
    long before = (long) value.precision() - value.scale();
    return before > MOST_DIGITS || value.scale() > MOST_DIGITS
        ? Optional.of(TOO_MANY_DIGITS) : Optional.empty();
  }

  public static Optional<String> complaint(JsonValue value) {
    return complaint(value, 1);
  }

  private static Optional<String> complaint(JsonValue value, int depth) {
    if (value instanceof JsonString text) {
      return complaint(text.getString());
    }
    if (value instanceof JsonNumber number) {
      return complaint(number);
    }
    if (depth > DEEPEST) {
      return Optional.of("must not be nested more than " + DEEPEST + " deep");
    }
    Optional<String> found = Optional.empty();
    if (value instanceof JsonObject object) {
      for (var member : object.entrySet()) {
        found = complaint(member.getKey()).or(() -> complaint(member.getValue(), depth + 1));
        if (found.isPresent()) {
          return found;
        }
      }
    } else if (value instanceof JsonArray array) {
      for (JsonValue element : array) {
        found = complaint(element, depth + 1);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return found;
  }

  /**
   * The text with unstorable characters replaced by a question mark or a blank: for messages, where the rest of the text
   * matters more.
   */
  public static String cleaned(String text) {
    if (complaint(text).isEmpty()) {
      return text;
    }
    StringBuilder clean = new StringBuilder(text.length());
    text.codePoints()
        .forEach(c -> clean.appendCodePoint(c == 0 ? ' ' : c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? '?' : c));
    return clean.toString();
  }
}

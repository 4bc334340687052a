package ee.tasker.platform;

import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.math.BigDecimal;
import java.util.Optional;

/**
 * Checks that a value can be stored and read back unchanged. PostgreSQL rejects U+0000; an unpaired
 * surrogate would
 * silently become a question mark; and a value that is nested very deep, has very many digits or
 * becomes very long could be
 * stored but not read again, which would also affect the other steps in the same message. {@code
 * tasker.check_document} has
 * the same limits.
 */
public final class JsonbCheck {
  private static final int DEEPEST = 500;
  private static final int MOST_DIGITS = 1_000;
  /** Of any document, whichever way it comes; requests over HTTP have a lower limit. */
  public static final int MOST_BYTES = 33_554_432;
  public static final String TOO_MANY_DIGITS = "must not contain numbers of more than "
      + MOST_DIGITS + " digits before or after the point";

  private JsonbCheck() {
  }

  /** @return what is wrong, as a predicate for the field's name */
  public static Optional<String> complaint(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0) {
        return Optional.of("must not contain the character U+0000");
      }
      if (Character.isHighSurrogate(c) && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
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
    return complaint(value, MOST_BYTES);
  }

  /** @param mostBytes a lower limit of the text that PostgreSQL writes */
  public static Optional<String> complaint(JsonValue value, int mostBytes) {
    return complaintAt(value, 1).or(() -> tooLong(value, mostBytes));
  }

  /** The same of the length alone. */
  public static Optional<String> tooLong(JsonValue value, int mostBytes) {
    long bytes = size(value);
    return bytes <= mostBytes ? Optional.empty()
        : Optional.of("must have at most " + mostBytes
            + " bytes with all digits of its numbers, but has " + bytes);
  }

  /**
   * The bytes of the text that PostgreSQL writes of a stored value: without exponents, so that
   * 1e999 has a thousand digits, and with a blank
   * after each comma and colon between members and elements.
   */
  public static long size(JsonValue value) {
    if (value instanceof JsonString text) {
      return size(text.getString());
    }
    if (value instanceof JsonNumber number) {
      BigDecimal decimal = number.bigDecimalValue();
      long before = Math.max(1L, (long) decimal.precision() - decimal.scale());
      return (decimal.signum() < 0 ? 1 : 0) + before
          + (decimal.scale() > 0 ? 1L + decimal.scale() : 0);
    }
    long bytes;
    if (value instanceof JsonObject object) {
      bytes = 2 + 2 * Math.max(0, object.size() - 1L);
      for (var member : object.entrySet()) {
        bytes += size(member.getKey()) + 2 + size(member.getValue());
      }
    } else if (value instanceof JsonArray array) {
      bytes = 2 + 2 * Math.max(0, array.size() - 1L);
      for (JsonValue element : array) {
        bytes += size(element);
      }
    } else {
      bytes = value == JsonValue.FALSE ? 5 : 4;
    }
    return bytes;
  }

  private static long size(String text) {
    long bytes = 2;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ') {
        bytes += "\b\f\n\r\t".indexOf(c) >= 0 ? 2 : 6;
      } else if (c < 0x80) {
        bytes += c == '"' || c == '\\' ? 2 : 1;
      } else {
        // Each half of a pair counts for half of its four bytes.
        bytes += c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
      }
    }
    return bytes;
  }

  private static Optional<String> complaintAt(JsonValue value, int depth) {
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
        found = complaint(member.getKey()).or(() -> complaintAt(member.getValue(), depth + 1));
        if (found.isPresent()) {
          return found;
        }
      }
    } else if (value instanceof JsonArray array) {
      for (JsonValue element : array) {
        found = complaintAt(element, depth + 1);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return found;
  }

  /**
   * The text with unstorable characters replaced by a question mark or a blank: for messages, where
   * the rest of the text
   * matters more.
   */
  public static String cleaned(String text) {
    if (complaint(text).isEmpty()) {
      return text;
    }
    StringBuilder clean = new StringBuilder(text.length());
    text.codePoints()
        .forEach(c -> clean.appendCodePoint(
            c == 0 ? ' ' : c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? '?' : c));
    return clean.toString();
  }

  /**
   * The same, cut to at most so many characters, of which the last is an ellipsis then; no pair of
   * surrogates is cut in two.
   */
  public static String cleaned(String text, int most) {
    if (text.length() <= most) {
      return cleaned(text);
    }
    int end = most - 1;
    return cleaned(
        text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end)) + "…";
  }

  /**
   * The value with every text and every name in it {@link #cleaned}; of names that become the same,
   * the last one counts.
   */
  public static JsonValue cleaned(JsonValue value) {
    if (value instanceof JsonString text) {
      String clean = cleaned(text.getString());
      return clean.equals(text.getString()) ? value : Json.string(clean);
    }
    if (value instanceof JsonObject object) {
      JsonObjectBuilder clean = Json.build().createObjectBuilder();
      object.forEach((name, member) -> clean.add(cleaned(name), cleaned(member)));
      return clean.build();
    }
    if (value instanceof JsonArray array) {
      JsonArrayBuilder clean = Json.build().createArrayBuilder();
      array.forEach(element -> clean.add(cleaned(element)));
      return clean.build();
    }
    return value;
  }
}

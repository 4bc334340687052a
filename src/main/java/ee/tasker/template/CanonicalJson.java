package ee.tasker.template;

import jakarta.json.JsonNumber;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.TreeMap;

/**
 * Writes canonical JSON, the same on every server and with every JSON-P provider: keys sorted by
 * UTF-16 unit, no
 * whitespace, only the escapes that JSON requires, numbers without an exponent as PostgreSQL's
 * {@code jsonb} prints them.
 */
public final class CanonicalJson {
  private CanonicalJson() {}

  public static String write(JsonValue value) {
    var out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  private static void write(JsonValue value, StringBuilder out) {
    switch (value.getValueType()) {
      case OBJECT -> {
        var separator = "{";
        for (var entry : new TreeMap<>(value.asJsonObject()).entrySet()) {
          out.append(separator);
          quote(entry.getKey(), out);
          out.append(':');
          write(entry.getValue(), out);
          separator = ",";
        }
        out.append(separator.equals("{") ? "{}" : "}");
      }
      case ARRAY -> {
        var separator = "[";
        for (var element : value.asJsonArray()) {
          out.append(separator);
          write(element, out);
          separator = ",";
        }
        out.append(separator.equals("[") ? "[]" : "]");
      }
      case STRING -> quote(((JsonString) value).getString(), out);
      case NUMBER -> out.append(number(((JsonNumber) value).bigDecimalValue()));
      case TRUE -> out.append("true");
      case FALSE -> out.append("false");
      case NULL -> out.append("null");
    }
  }

  private static String number(BigDecimal number) {
    return Math.abs((long) number.scale()) > 1_000 ? number.toString() : number.toPlainString();
  }

  static void quote(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      switch (character) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\b' -> out.append("\\b");
        case '\f' -> out.append("\\f");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (character < 0x20) {
            out.append(String.format(Locale.ROOT, "\\u%04x", (int) character));
          } else {
            out.append(character);
          }
        }
      }
    }
    out.append('"');
  }
}

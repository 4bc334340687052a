package ee.tasker.cli;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonException;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.json.JsonWriter;
import jakarta.json.stream.JsonGenerator;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** JSON values as text: JSON, YAML, and cells of tables. */
final class Text {
  /**
   * What YAML reads as a string without quotes: begins with a letter, has nothing that means
   * something.
   */
  private static final Pattern PLAIN = Pattern
      .compile("[A-Za-z_/][A-Za-z0-9_./@+-]*( [A-Za-z0-9_./@+(-][A-Za-z0-9_./@+()-]*)*");
  private static final Pattern WORD_OF_YAML = Pattern
      .compile("(?i)true|false|null|yes|no|on|off|y|n");

  private Text() {}

  static JsonValue parse(String json, String what) {
    try (JsonReader reader = Json.createReader(new StringReader(json))) {
      return reader.readValue();
    } catch (JsonException | IllegalStateException e) {
      throw new UsageException(what + " is not JSON: " + e.getMessage().replaceAll("\\s+", " "));
    }
  }

  static String pretty(JsonValue value) {
    StringWriter text = new StringWriter();
    if (value instanceof JsonObject || value instanceof JsonArray) {
      try (JsonWriter writer = Json.createWriterFactory(Map.of(JsonGenerator.PRETTY_PRINTING, true))
          .createWriter(text)) {
        writer.write(value);
      }
      return text.toString().strip();
    }
    return value.toString();
  }

  /** YAML 1.2 of which every reader makes the same value again. */
  static String yaml(JsonValue value) {
    StringBuilder text = new StringBuilder();
    yaml(value, 0, false, text);
    return text.toString().strip();
  }

  private static void yaml(JsonValue value, int indent, boolean inline, StringBuilder text) {
    if (value instanceof JsonObject object && !object.isEmpty()) {
      boolean first = inline;
      for (Map.Entry<String, JsonValue> member : object.entrySet()) {
        text.append(first ? "" : " ".repeat(indent)).append(scalar(member.getKey())).append(':');
        first = false;
        nested(member.getValue(), indent + 2, text);
      }
    } else if (value instanceof JsonArray array && !array.isEmpty()) {
      boolean first = inline;
      for (JsonValue item : array) {
        text.append(first ? "" : " ".repeat(indent)).append("- ");
        first = false;
        if (isLeaf(item)) {
          text.append(leaf(item)).append('\n');
        } else {
          yaml(item, indent + 2, true, text);
        }
      }
    } else {
      text.append(leaf(value)).append('\n');
    }
  }

  private static void nested(JsonValue value, int indent, StringBuilder text) {
    if (isLeaf(value)) {
      text.append(' ').append(leaf(value)).append('\n');
    } else {
      text.append('\n');
      yaml(value, indent, false, text);
    }
  }

  private static boolean isLeaf(JsonValue value) {
    return !(value instanceof JsonObject object && !object.isEmpty()
        || value instanceof JsonArray array && !array.isEmpty());
  }

  private static String leaf(JsonValue value) {
    return value instanceof JsonString string ? scalar(string.getString()) : value.toString();
  }

  private static String scalar(String text) {
    return PLAIN.matcher(text).matches() && !WORD_OF_YAML.matcher(text).matches() ? text
        : Json.createValue(text).toString();
  }

  /**
   * The same value with the members of each object in the order of their names; the database has
   * another order than the parser of templates.
   */
  static JsonValue sorted(JsonValue value) {
    if (value instanceof JsonObject object) {
      JsonObjectBuilder sorted = Json.createObjectBuilder();
      new TreeMap<>(object).forEach((name, member) -> sorted.add(name, sorted(member)));
      return sorted.build();
    }
    if (value instanceof JsonArray array) {
      JsonArrayBuilder sorted = Json.createArrayBuilder();
      array.forEach(item -> sorted.add(sorted(item)));
      return sorted.build();
    }
    return value;
  }

  /** The value at the path of member names with dots between them; null if it is not there. */
  static JsonValue at(JsonValue value, String path) {
    JsonValue found = value;
    for (String name : path.split("\\.")) {
      found = found instanceof JsonObject object ? object.get(name) : null;
    }
    return found;
  }

  /** One line for a table: nothing for null, lists with commas, no control characters. */
  static String cell(JsonValue value) {
    if (value == null || value == JsonValue.NULL) {
      return "";
    }
    if (value instanceof JsonString string) {
      return printable(string.getString());
    }
    if (value instanceof JsonArray array && array.stream()
        .noneMatch(item -> item instanceof JsonObject || item instanceof JsonArray)) {
      return String.join(", ", array.stream().map(Text::cell).toList());
    }
    return printable(value.toString());
  }

  /** Without what would move the cursor or colour the terminal: text from others could do so. */
  static String printable(String text) {
    StringBuilder printable = new StringBuilder(text.length());
    text.codePoints().map(c -> c == '\n' || c == '\t' ? ' ' : c)
        .map(c -> isControl(c) ? '\uFFFD' : c).forEach(printable::appendCodePoint);
    return printable.toString();
  }

  private static boolean isControl(int c) {
    return Character.isISOControl(c) || c >= 0x202A && c <= 0x202E || c >= 0x2066 && c <= 0x2069;
  }

  static String shortened(String text, int width) {
    return text.length() <= width ? text
        : width < 2 ? text.substring(0, Math.max(0, width)) : text.substring(0, width - 1) + "…";
  }

  static List<String> words(String text) {
    return List.of(text.split(" "));
  }
}

package ee.tasker.template;

import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Random;

/**
 * Writes JSON as YAML in a random style: keys in any order, block or flow, comments here and there.
 */
final class YamlWriter {
  private final Random random;
  private final StringBuilder out = new StringBuilder();

  private YamlWriter(Random random) {
    this.random = random;
  }

  static String write(JsonValue value, Random random) {
    var writer = new YamlWriter(random);
    writer.value(value, 0);
    return writer.out.append('\n').toString();
  }

  private void value(JsonValue value, int indent) {
    boolean isEmpty = switch (value.getValueType()) {
      case OBJECT -> value.asJsonObject().isEmpty();
      case ARRAY -> value.asJsonArray().isEmpty();
      default -> true;
    };
    if (isEmpty || indent > 0 && random.nextInt(4) == 0) {
      out.append(' ');
      flow(value);
      return;
    }
    if (value.getValueType() == JsonValue.ValueType.ARRAY) {
      for (var element : value.asJsonArray()) {
        line(indent);
        out.append('-');
        value(element, indent + 2);
      }
      return;
    }
    var names = new ArrayList<>(value.asJsonObject().keySet());
    Collections.shuffle(names, random);
    for (var name : names) {
      line(indent);
      CanonicalJson.quote(name, out);
      out.append(':');
      value(value.asJsonObject().get(name), indent + 2);
    }
  }

  private void line(int indent) {
    if (random.nextInt(6) == 0) {
      out.append("   # a remark: [1");
    }
    out.append('\n').append(" ".repeat(indent));
  }

  private void flow(JsonValue value) {
    switch (value.getValueType()) {
      case OBJECT -> {
        var names = new ArrayList<>(value.asJsonObject().keySet());
        Collections.shuffle(names, random);
        out.append('{');
        for (var name : names) {
          CanonicalJson.quote(name, out);
          out.append(": ");
          flow(value.asJsonObject().get(name));
          out.append(", ");
        }
        out.append('}');
      }
      case ARRAY -> {
        out.append("[ ");
        value.asJsonArray().forEach(element -> {
          flow(element);
          out.append(" , ");
        });
        out.append(']');
      }
      case STRING -> string(((JsonString) value).getString());
      case NULL -> out.append(random.nextBoolean() ? "null" : "~");
      default -> out.append(CanonicalJson.write(value));
    }
  }

  private void string(String text) {
    if (text.matches("[a-z]{2,}") && !text.matches("null|true|false") && random.nextBoolean()) {
      out.append(text);
    } else {
      CanonicalJson.quote(text, out);
    }
  }
}

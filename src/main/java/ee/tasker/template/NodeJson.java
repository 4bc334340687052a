package ee.tasker.template;

import jakarta.json.JsonValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Reads any part of a document as JSON. Values that JSON or PostgreSQL cannot represent are
 * problems.
 */
final class NodeJson {
  private static final int MAX_DIGITS = 400;
  private static final int MAX_EXPONENT = 400;

  private NodeJson() {}

  /** The value; undefined when there were problems. */
  static JsonValue read(Located located) {
    var node = located.node();
    if (node instanceof MappingNode && node.getTag().equals(Tag.MAP)) {
      var object = JsonText.object();
      located.keys().ifPresent(keys -> keys.entries().forEach((name, value) -> {
        if (!storable(name)) {
          value.refuse(
              "the key must not contain U+0000 or half of a surrogate pair: PostgreSQL cannot store it");
        }
        object.add(name, read(value));
      }));
      return object.build();
    }
    if (node instanceof SequenceNode && node.getTag().equals(Tag.SEQ)) {
      var array = JsonText.array();
      located.list().ifPresent(elements -> elements.forEach(element -> array.add(read(element))));
      return array.build();
    }
    return node instanceof ScalarNode scalar
        ? scalar(located, scalar)
        : unknown(located);
  }

  private static JsonValue scalar(Located located, ScalarNode scalar) {
    var tag = scalar.getTag();
    var text = scalar.getValue();
    if (tag.equals(Tag.STR)) {
      return JsonText.string(located.text(Integer.MAX_VALUE).orElse(""));
    } else if (tag.equals(Tag.NULL)) {
      return JsonValue.NULL;
    } else if (tag.equals(Tag.BOOL)) {
      return text.equalsIgnoreCase("true") ? JsonValue.TRUE : JsonValue.FALSE;
    } else if (tag.equals(Tag.INT) || tag.equals(Tag.FLOAT)) {
      return number(tag, text).<JsonValue>map(JsonText::number).orElseGet(() -> {
        located.refuse("must be a number that JSON can hold, but is " + Located.shortened(text));
        return JsonValue.NULL;
      });
    }
    return unknown(located);
  }

  private static JsonValue unknown(Located located) {
    located.refuse("the tag " + located.node().getTag() + " has no meaning in a template");
    return JsonValue.NULL;
  }

  private static Optional<BigDecimal> number(Tag tag, String text) {
    if (tag.equals(Tag.INT)) {
      return wholeNumber(text).map(BigDecimal::new);
    }
    try {
      return text.length() > MAX_DIGITS ? Optional.empty()
          : Optional.of(new BigDecimal(text))
              .filter(number -> Math.abs((long) number.scale()) <= MAX_EXPONENT);
    } catch (NumberFormatException notFinite) {
      return Optional.empty();
    }
  }

  /** Decimal, {@code 0o} octal or {@code 0x} hexadecimal, as the core schema spells them. */
  static Optional<BigInteger> wholeNumber(String text) {
    try {
      return text.length() > MAX_DIGITS ? Optional.empty()
          : text.startsWith("0o") ? Optional.of(new BigInteger(text.substring(2), 8))
              : text.startsWith("0x") ? Optional.of(new BigInteger(text.substring(2), 16))
                  : Optional.of(new BigInteger(text));
    } catch (NumberFormatException taggedByHand) {
      return Optional.empty();
    }
  }

  /** Whether PostgreSQL can store it as text and as jsonb. */
  static boolean storable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      if (character == 0 || Character.isLowSurrogate(character)) {
        return false;
      }
      if (Character.isHighSurrogate(character)) {
        i++;
        if (i == text.length() || !Character.isLowSurrogate(text.charAt(i))) {
          return false;
        }
      }
    }
    return true;
  }
}

package ee.tasker.template;

import ee.tasker.template.model.Limits;
import jakarta.json.JsonValue;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * A value of the document with its position. Each {@code …()} reads it as one type; if the type
 * does not match, it adds a
 * problem and returns empty.
 */
record Located(Node node, String path, Problems problems) {

  <T> Optional<T> refuse(String message) {
    problems.at(node, path, message);
    return Optional.empty();
  }

  boolean isNull() {
    return node.getTag().equals(Tag.NULL);
  }

  /** A string of at most {@code maxLength} characters, possibly blank. */
  Optional<String> text(int maxLength) {
    if (!(node instanceof ScalarNode scalar) || !node.getTag().equals(Tag.STR)) {
      return refuse("must be a string, but is " + kind()
          + (node instanceof ScalarNode && !isNull() ? "; put it in quotes" : ""));
    }
    var value = scalar.getValue();
    if (value.length() > maxLength) {
      return refuse("must have at most " + maxLength + " characters, but has " + value.length());
    }
    return NodeJson.storable(value) ? Optional.of(value)
        : refuse("must not contain U+0000 or half of a surrogate pair: PostgreSQL cannot store it");
  }

  /** A single-line string that is not blank. */
  Optional<String> word(int maxLength) {
    return text(maxLength).flatMap(value -> value.isBlank() ? refuse("must not be blank")
        : value.chars().anyMatch(Character::isISOControl)
            ? refuse("must not contain control characters")
            : Optional.of(value));
  }

  Optional<String> description() {
    return text(Limits.DESCRIPTION);
  }

  OptionalInt number(int min, int max) {
    var sentence = "must be a whole number between " + min + " and " + max;
    if (!(node instanceof ScalarNode scalar) || !node.getTag().equals(Tag.INT)) {
      refuse(sentence + ", but is " + kind());
      return OptionalInt.empty();
    }
    var number = NodeJson.wholeNumber(scalar.getValue());
    if (number.isEmpty() || number.get().compareTo(BigInteger.valueOf(min)) < 0
        || number.get().compareTo(BigInteger.valueOf(max)) > 0) {
      refuse(sentence + ", but is " + shortened(scalar.getValue()));
      return OptionalInt.empty();
    }
    return OptionalInt.of(number.get().intValueExact());
  }

  Optional<Boolean> flag() {
    return node instanceof ScalarNode scalar && node.getTag().equals(Tag.BOOL)
        ? Optional.of(scalar.getValue().equalsIgnoreCase("true"))
        : refuse("must be true or false, but is " + kind());
  }

  /** One of the constants, written in lower case. */
  <E extends Enum<E>> Optional<E> oneOf(Class<E> type) {
    var words = Arrays.stream(type.getEnumConstants())
        .map(constant -> constant.name().toLowerCase(Locale.ROOT)).toList();
    var sentence = "must be one of " + String.join(", ", words);
    if (!(node instanceof ScalarNode scalar) || isNull()) {
      return refuse(sentence + ", but is " + kind());
    }
    int at = words.indexOf(scalar.getValue());
    return at >= 0 ? Optional.of(type.getEnumConstants()[at])
        : refuse(sentence + ", but is \"" + shortened(scalar.getValue()) + "\""
            + problems.suggestion(scalar.getValue(), words));
  }

  Optional<Keys> keys() {
    return node instanceof MappingNode mapping && node.getTag().equals(Tag.MAP)
        ? Optional.of(new Keys(this, mapping))
        : refuse("must be a mapping, but is " + kind());
  }

  Optional<List<Located>> list() {
    if (!(node instanceof SequenceNode sequence) || !node.getTag().equals(Tag.SEQ)) {
      return refuse("must be a list, but is " + kind());
    }
    List<Located> elements = new ArrayList<>();
    for (var element : sequence.getValue()) {
      elements.add(new Located(element, path + "[" + elements.size() + "]", problems));
    }
    return Optional.of(elements);
  }

  /** Any JSON value. */
  Optional<JsonValue> json() {
    int before = problems.count();
    var value = NodeJson.read(this);
    return problems.count() == before ? Optional.of(value) : Optional.empty();
  }

  /**
   * A JSON Schema, as canonical text. Its problems are reported at their position inside the
   * schema.
   */
  Optional<String> schema() {
    return json().flatMap(schema -> {
      var findings = SchemaCheck.inspect(schema);
      var violations = findings.problems();
      if (!problems.mayAddPatterns(findings.patternSize())) {
        return refuse("the patterns of all schemas of the template must not have more than "
            + Limits.PATTERN_STATES
            + " states together");
      }
      violations.forEach(violation -> {
        var place = NodePointer.follow(this, violation.pointer());
        problems.at(place.node(), place.path(),
            "is not a valid JSON Schema: " + violation.message());
      });
      return violations.isEmpty() ? Optional.of(CanonicalJson.write(schema)) : Optional.empty();
    });
  }

  private String kind() {
    return switch (node.getNodeType()) {
      case MAPPING -> "a mapping";
      case SEQUENCE -> "a list";
      default -> isNull() ? "empty"
          : node.getTag().equals(Tag.STR)
              ? "the string \"" + shortened(((ScalarNode) node).getValue()) + "\""
              : node.getTag().equals(Tag.INT) || node.getTag().equals(Tag.FLOAT)
                  ? "the number " + shortened(((ScalarNode) node).getValue())
                  : node.getTag().equals(Tag.BOOL) ? ((ScalarNode) node).getValue()
                      : "something tagged " + node.getTag();
    };
  }

  static String shortened(String value) {
    return value.length() <= 60 ? value : value.substring(0, 60) + "…";
  }
}

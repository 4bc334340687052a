package ee.tasker.template;

import dev.harrel.jsonschema.Draft2020EvaluatorFactory;
import dev.harrel.jsonschema.EvaluationContext;
import dev.harrel.jsonschema.Evaluator;
import dev.harrel.jsonschema.EvaluatorFactory;
import dev.harrel.jsonschema.JsonNode;
import dev.harrel.jsonschema.SchemaParsingContext;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The keywords of the validator, each metered by {@link SchemaMeter}. Those whose work the size of
 * the value does not bound
 * are replaced: {@code pattern} and {@code patternProperties} match in linear time, {@code enum},
 * {@code const} and
 * {@code uniqueItems} compare texts instead of trees, whose hash codes can be made to collide.
 */
final class SchemaKeywords implements EvaluatorFactory {
  private static final EvaluatorFactory DRAFT = new Draft2020EvaluatorFactory();
  private static final Set<String> OF_TEXT = Set.of("minLength", "maxLength");
  private static final Set<String> OF_NAMES = Set.of("required", "dependentRequired");
  private static final Set<String> OF_OBJECT = Set.of("properties", "patternProperties",
      "additionalProperties", "propertyNames",
      "dependentSchemas", "unevaluatedProperties");
  private static final Set<String> OF_ARRAY = Set.of("items", "prefixItems", "contains",
      "unevaluatedItems");
  private static final Set<String> ALTERNATIVES = Set.of("anyOf", "oneOf", "not", "if", "contains");
  private static final Set<String> REFERENCES = Set.of("$ref", "$dynamicRef");
  private static final Set<String> ASSERTIONS = Set.of("type", "enum", "const", "multipleOf",
      "maximum", "exclusiveMaximum",
      "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems",
      "uniqueItems", "maxContains",
      "minContains", "maxProperties", "minProperties", "required", "dependentRequired", "anyOf",
      "oneOf", "not", "if");
  /** A member or element that must not be there leaves a violation each. */
  private static final int STEPS_OF_REFUSAL = 200;
  private static final int STEPS_OF_MEMBER = 5;
  private static final int MOST_SHOWN = 60;

  @Override
  public Optional<Evaluator> create(SchemaParsingContext context, String keyword, JsonNode schema) {
    return own(context, keyword, schema).or(() -> DRAFT.create(context, keyword, schema))
        .map(evaluator -> new Metered(evaluator, keyword, schemaOf(schema), weight(keyword, schema),
            schema.isBoolean() && !schema.asBoolean() ? STEPS_OF_REFUSAL : STEPS_OF_MEMBER));
  }

  private static Optional<Evaluator> own(SchemaParsingContext context, String keyword,
      JsonNode schema) {
    return switch (keyword) {
      case "pattern" -> schema.isString()
          ? Optional.of(new PatternKeyword(SchemaPattern.compile(schema.asString())))
          : Optional.empty();
      case "patternProperties" ->
        schema.isObject() ? Optional.of(PatternProperties.of(context, schema)) : Optional.empty();
      case "additionalProperties" ->
        context.getCurrentSchemaObject().containsKey("patternProperties")
            ? Optional.of(AdditionalProperties.of(context, schema)) : Optional.empty();
      case "enum" ->
        schema.isArray() ? Optional.of(Enumeration.of(schema.asArray())) : Optional.empty();
      case "const" -> Optional.of(new Constant(text(schema), shown(schema)));
      case "uniqueItems" -> schema.isBoolean() && schema.asBoolean()
          ? Optional.of(new UniqueItems()) : Optional.empty();
      default -> Optional.empty();
    };
  }

  private static String shown(JsonNode value) {
    return value.isNumber() ? value.asNumber().toString()
        : Located.shortened(value.toPrintableString());
  }

  private static String schemaOf(JsonNode keyword) {
    var pointer = keyword.getJsonPointer();
    return pointer.substring(0, Math.max(0, pointer.lastIndexOf('/')));
  }

  /** Steps of each evaluation for what the keyword says, apart from the value. */
  private static long weight(String keyword, JsonNode schema) {
    return OF_NAMES.contains(keyword) ? size(schema)
        : keyword.equals("multipleOf") && schema.isNumber() ? digits(schema) : 0;
  }

  /** Characters, elements and members. */
  private static long size(JsonNode node) {
    return node.isString() ? 1 + node.asString().length()
        : node.isArray() ? 1 + node.asArray().stream().mapToLong(SchemaKeywords::size).sum()
            : node.isObject() ? 1 + node.asObject().entrySet().stream()
                .mapToLong(member -> member.getKey().length() + size(member.getValue())).sum()
                : 1;
  }

  private static long digits(JsonNode number) {
    return number.asNumber().precision() + Math.abs((long) number.asNumber().scale());
  }

  private record Metered(Evaluator evaluator, String keyword, String schema, long weight,
      long memberSteps) implements Evaluator {
    @Override
    public Result evaluate(EvaluationContext context, JsonNode value) {
      var meter = SchemaMeter.current();
      if (!meter.enter(schema, value, ALTERNATIVES.contains(keyword),
          REFERENCES.contains(keyword))) {
        return Result.success();
      }
      meter.spend(weight + steps(value));
      if (keyword.startsWith("unevaluated")) {
        meter.spendOnAnnotations();
      }
      var result = evaluator.evaluate(context, value);
      // The validator answers this object for every assertion that holds.
      meter.leave(result != Result.success() && ASSERTIONS.contains(keyword));
      return result;
    }

    private long steps(JsonNode value) {
      if (value.isString()) {
        return OF_TEXT.contains(keyword) ? value.asString().length() : 0;
      } else if (value.isArray()) {
        return OF_ARRAY.contains(keyword) ? memberSteps * value.asArray().size() : 0;
      } else if (value.isObject()) {
        return OF_OBJECT.contains(keyword) ? memberSteps * value.asObject().size() : 0;
      }
      return value.isNumber() && keyword.equals("multipleOf") ? digits(value) : 0;
    }

    @Override
    public int getOrder() {
      return evaluator.getOrder();
    }
  }

  private record PatternKeyword(SchemaPattern pattern) implements Evaluator {
    @Override
    public Result evaluate(EvaluationContext context, JsonNode value) {
      return !value.isString() || isFound(pattern, value.asString()) ? Result.success()
          : Result.failure("\"" + Located.shortened(value.asString())
              + "\" does not match regular expression [" + pattern + "]");
    }
  }

  private static boolean isFound(SchemaPattern pattern, String text) {
    SchemaMeter.current().spend((text.length() + 1) * pattern.size());
    return pattern.isFoundIn(text);
  }

  private record PatternProperties(Map<SchemaPattern, String> schemas) implements Evaluator {
    static PatternProperties of(SchemaParsingContext context, JsonNode schema) {
      Map<SchemaPattern, String> schemas = new LinkedHashMap<>();
      schema.asObject().forEach(
          (pattern, subschema) -> schemas.put(SchemaPattern.compile(pattern),
              context.getAbsoluteUri(subschema)));
      return new PatternProperties(schemas);
    }

    @Override
    public Result evaluate(EvaluationContext context, JsonNode value) {
      if (!value.isObject()) {
        return Result.success();
      }
      Set<String> evaluated = new HashSet<>();
      boolean isValid = true;
      for (var member : value.asObject().entrySet()) {
        for (var schema : schemas.entrySet()) {
          if (isFound(schema.getKey(), member.getKey())) {
            evaluated.add(member.getKey());
            isValid &= context.resolveInternalRefAndValidate(schema.getValue(), member.getValue());
          }
        }
      }
      return isValid ? Result.success(evaluated) : Result.failure();
    }
  }

  /**
   * Beside {@code patternProperties}: what these have failed on is not told to others, but is no
   * additional property either.
   */
  private record AdditionalProperties(Set<String> names, List<SchemaPattern> patterns,
      String schema) implements Evaluator {
    static AdditionalProperties of(SchemaParsingContext context, JsonNode schema) {
      var siblings = context.getCurrentSchemaObject();
      var properties = siblings.get("properties");
      return new AdditionalProperties(
          properties == null ? Set.of() : properties.asObject().keySet(),
          siblings.get("patternProperties").asObject().keySet().stream().map(SchemaPattern::compile)
              .toList(),
          context.getAbsoluteUri(schema));
    }

    @Override
    public Result evaluate(EvaluationContext context, JsonNode value) {
      if (!value.isObject()) {
        return Result.success();
      }
      Set<String> evaluated = new HashSet<>();
      boolean isValid = true;
      for (var member : value.asObject().entrySet()) {
        if (!names.contains(member.getKey())
            && patterns.stream().noneMatch(pattern -> isFound(pattern, member.getKey()))) {
          evaluated.add(member.getKey());
          isValid &= context.resolveInternalRefAndValidate(schema, member.getValue());
        }
      }
      return isValid ? Result.success(evaluated) : Result.failure();
    }

    @Override
    public int getOrder() {
      return 10;
    }
  }

  /** @param values their texts */
  private record Enumeration(Set<String> values, boolean hasTrees,
      String message) implements Evaluator {
    static Enumeration of(List<JsonNode> values) {
      var shown = values.stream().limit(MOST_SHOWN).map(SchemaKeywords::shown)
          .collect(Collectors.joining(", "));
      return new Enumeration(
          values.stream().map(SchemaKeywords::text).collect(Collectors.toCollection(HashSet::new)),
          values.stream().anyMatch(value -> value.isArray() || value.isObject()),
          "Expected any of [[" + shown + (values.size() > MOST_SHOWN ? ", …" : "") + "]]");
    }

    @Override
    public Result evaluate(EvaluationContext context, JsonNode value) {
      boolean isTree = value.isArray() || value.isObject();
      return (hasTrees || !isTree) && values.contains(text(value)) ? Result.success()
          : Result.failure(message);
    }
  }

  private record Constant(String expected, String shown) implements Evaluator {
    @Override
    public Result evaluate(EvaluationContext context, JsonNode value) {
      return text(value).equals(expected) ? Result.success() : Result.failure("Expected " + shown);
    }
  }

  private record UniqueItems() implements Evaluator {
    @Override
    public Result evaluate(EvaluationContext context, JsonNode value) {
      if (value.isArray()) {
        Set<String> seen = new HashSet<>();
        for (var item : value.asArray()) {
          if (!seen.add(text(item))) {
            return Result.failure("Array contains non-unique item at index [" + seen.size() + "]");
          }
        }
      }
      return Result.success();
    }
  }

  /**
   * The same for equal values, and for no others: {@code 1}, {@code 1.0} and {@code 10e-1} are
   * equal.
   */
  private static String text(JsonNode value) {
    if (!value.isArray() && !value.isObject()) {
      return scalar(value);
    }
    var text = new StringBuilder();
    write(value, text);
    return text.toString();
  }

  private static void write(JsonNode value, StringBuilder text) {
    if (value.isArray()) {
      text.append('[');
      value.asArray().forEach(element -> {
        write(element, text);
        text.append(',');
      });
      text.append(']');
    } else if (value.isObject()) {
      text.append('{');
      new TreeMap<>(value.asObject()).forEach((name, member) -> {
        CanonicalJson.quote(name, text);
        write(member, text.append(':'));
        text.append(',');
      });
      text.append('}');
    } else {
      text.append(scalar(value));
    }
  }

  private static String scalar(JsonNode value) {
    if (value.isString()) {
      spend(value.asString().length());
      var text = new StringBuilder();
      CanonicalJson.quote(value.asString(), text);
      return text.toString();
    }
    if (value.isNumber()) {
      spend(value.asNumber().precision());
      return value.asNumber().stripTrailingZeros().toString();
    }
    spend(STEPS_OF_MEMBER);
    return value.isNull() ? "null" : Boolean.toString(value.asBoolean());
  }

  private static void spend(long steps) {
    var meter = SchemaMeter.current();
    // There is none while a schema is compiled.
    if (meter != null) {
      meter.spend(STEPS_OF_MEMBER + steps);
    }
  }
}

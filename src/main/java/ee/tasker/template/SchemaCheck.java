package ee.tasker.template;

import dev.harrel.jsonschema.JsonNode;
import dev.harrel.jsonschema.SpecificationVersion;
import dev.harrel.jsonschema.Validator;
import ee.tasker.document.SealedPlaces;
import ee.tasker.template.ContextSchema.Verdict;
import ee.tasker.template.ContextSchema.Violation;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Explains why a JSON value is not a schema that {@link ContextSchema} can use. The meta-schema is
 * not enough: the
 * validator resolves a {@code $ref} only when a value reaches it, and ignores a pattern that does
 * not compile, so both are
 * checked here.
 */
final class SchemaCheck {
  private static final String DRAFT = SpecificationVersion.DRAFT2020_12.getId();
  private static final Validator META = ContextSchema.newValidator(false);

  static {
    // Loads the meta-schema with all its parts, so that threads only read it afterwards.
    ContextSchema.validate(META, URI.create(DRAFT), JsonValue.EMPTY_JSON_OBJECT);
  }

  private static final Set<String> ONE_SCHEMA = Set.of("items", "contains", "additionalProperties",
      "propertyNames",
      "not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties", "contentSchema");
  private static final Set<String> LIST_OF_SCHEMAS = Set.of("allOf", "anyOf", "oneOf",
      "prefixItems");
  private static final Set<String> MAP_OF_SCHEMAS = Set.of("properties", "patternProperties",
      "$defs", "definitions", "dependentSchemas");
  private static final Set<String> SEALABLE = Set.of("properties", "items", "allOf");
  private static final Set<String> SIZES = Set.of("minLength", "maxLength", "minItems", "maxItems",
      "minProperties",
      "maxProperties", "minContains", "maxContains");

  private final JsonValue root;
  private final Set<String> anchors = new HashSet<>();
  private final List<Violation> references = new ArrayList<>();
  private final List<Violation> found = new ArrayList<>();
  private long patternSize;

  private SchemaCheck(JsonValue root) {
    this.root = root;
  }

  /**
   * @param problems empty for a schema that can be used
   * @param patternSize states of all its patterns
   */
  record Findings(List<Violation> problems, long patternSize) {
    private static Findings of(List<Violation> problems) {
      return new Findings(problems, 0);
    }
  }

  static List<Violation> problemsOf(JsonValue schema) {
    return inspect(schema).problems();
  }

  static Findings inspect(JsonValue schema) {
    var verdict = ContextSchema.validate(META, URI.create(DRAFT), schema);
    if (verdict instanceof Verdict.Invalid invalid) {
      return Findings.of(invalid.violations());
    } else if (verdict instanceof Verdict.Undecided) {
      return Findings.of(List.of(new Violation("", "it is too large or nested too deeply")));
    }
    try {
      var check = new SchemaCheck(schema);
      check.visit(schema, "", true);
      check.references.forEach(check::resolve);
      return new Findings(List.copyOf(check.found), check.patternSize);
    } catch (StackOverflowError endless) {
      return Findings.of(List.of(new Violation("", "it is nested too deeply")));
    }
  }

  /** @param isPlace whether what it judges is at one place of the document, and there only */
  private void visit(JsonValue schema, String pointer, boolean isPlace) {
    if (!(schema instanceof JsonObject object)) {
      return;
    }
    object.forEach((keyword, value) -> {
      var place = pointer + "/" + JsonNode.encodeJsonPointer(keyword);
      var isPlaceBelow = isPlace && SEALABLE.contains(keyword);
      if (ONE_SCHEMA.contains(keyword)) {
        visit(value, place, isPlaceBelow);
      } else if (LIST_OF_SCHEMAS.contains(keyword)) {
        var schemas = value.asJsonArray();
        for (int i = 0; i < schemas.size(); i++) {
          visit(schemas.get(i), place + "/" + i, isPlaceBelow);
        }
      } else if (MAP_OF_SCHEMAS.contains(keyword)) {
        value.asJsonObject().forEach((name, schemaOfName) -> {
          if (keyword.equals("patternProperties")) {
            compile(name, place);
          }
          visit(schemaOfName, place + "/" + JsonNode.encodeJsonPointer(name), isPlaceBelow);
        });
      } else if (keyword.equals(SealedPlaces.KEYWORD)) {
        refuse(value != JsonValue.TRUE && value != JsonValue.FALSE, place,
            "must be true or false");
        refuse(value == JsonValue.TRUE && !isPlace, place,
            "only what is reached by properties, items and allOf can be sealed: beside a $ref the "
                + "keyword may stand, but not in what it refers to");
      } else {
        check(keyword, value, place);
      }
    });
  }

  private void check(String keyword, JsonValue value, String place) {
    switch (keyword) {
      case "$schema" -> refuse(!text(value).replaceFirst("#$", "").equals(DRAFT), place,
          "only draft 2020-12 is supported: leave $schema out or say " + DRAFT);
      case "$id" -> {
        refuse(!place.equals("/$id"), place,
            "$id may stand only at the top; use $defs and #-references inside");
        refuse(!isUri(text(value)), place, "$id must be a URI");
      }
      case "$anchor", "$dynamicAnchor" -> anchors.add(text(value));
      case "$ref", "$dynamicRef" -> references.add(new Violation(place, text(value)));
      case "pattern" -> compile(text(value), place);
      default -> {
        if (SIZES.contains(keyword)) {
          refuse(
              ((JsonNumber) value).bigDecimalValue()
                  .compareTo(BigDecimal.valueOf(Integer.MAX_VALUE)) > 0,
              place, keyword + " must not be greater than " + Integer.MAX_VALUE);
        }
      }
    }
  }

  /** {@code reference.message} is the text of the reference. */
  private void resolve(Violation reference) {
    var target = reference.message();
    if (!target.startsWith("#")) {
      refuse(true, reference.pointer(),
          "a reference must stay inside the schema and start with #, but is "
              + Located.shortened(target));
      return;
    }
    var fragment = isUri(target)
        ? URLDecoder.decode(target.substring(1).replace("+", "%2B"), StandardCharsets.UTF_8)
        : target.substring(1);
    refuse(
        fragment.startsWith("/") || fragment.isEmpty() ? !isSchema(fragment)
            : !anchors.contains(fragment),
        reference.pointer(), "there is no schema at " + Located.shortened(target));
  }

  private boolean isSchema(String pointer) {
    var place = root;
    for (var step : pointer.isEmpty() ? new String[0] : pointer.substring(1).split("/", -1)) {
      var name = step.replace("~1", "/").replace("~0", "~");
      place = switch (place.getValueType()) {
        case OBJECT -> place.asJsonObject().get(name);
        case ARRAY ->
          name.matches("0|[1-9][0-9]{0,8}") && Integer.parseInt(name) < place.asJsonArray().size()
              ? place.asJsonArray().get(Integer.parseInt(name)) : null;
        default -> null;
      };
      if (place == null) {
        return false;
      }
    }
    return place instanceof JsonObject || place == JsonValue.TRUE || place == JsonValue.FALSE;
  }

  private void compile(String pattern, String place) {
    try {
      patternSize += SchemaPattern.compile(pattern).size();
    } catch (IllegalArgumentException unusable) {
      refuse(true, place, "the pattern " + Located.shortened(pattern) + " cannot be used: "
          + unusable.getMessage());
    }
  }

  private void refuse(boolean wrong, String place, String message) {
    if (wrong) {
      found.add(new Violation(place, message));
    }
  }

  private static String text(JsonValue value) {
    return ((JsonString) value).getString();
  }

  private static boolean isUri(String text) {
    try {
      URI.create(text);
      return true;
    } catch (IllegalArgumentException notOne) {
      return false;
    }
  }
}

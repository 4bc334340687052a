package ee.tasker.template;

import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.harrel.jsonschema.providers.JakartaJsonNode;
import jakarta.json.JsonException;
import jakarta.json.JsonValue;
import java.net.URI;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A JSON Schema (draft 2020-12), compiled once: {@code input_schema} for the context of a task, {@code result_schema} for
 * the result of a step. Immutable and thread-safe; compiling costs far more than validating, so cache it. {@code format} is
 * an annotation and rejects nothing. Nothing is ever loaded over the network: a {@code $ref} must point into the schema
 * itself, otherwise the schema is rejected.
 */
public final class ContextSchema {
  private final Validator validator;
  private final URI uri;

  /**
   * @param pointer JSON pointer to the invalid value; empty for the whole document
   * @param message a sentence for the sender of the value
   */
  public record Violation(String pointer, String message) {}

  private ContextSchema(Validator validator, URI uri) {
    this.validator = validator;
    this.uri = uri;
  }

  /**
   * @param schema the schema as JSON text
   * @throws IllegalArgumentException when it is not JSON or not a valid schema, with all reasons; never for a schema of a
   *     template without problems
   */
  public static ContextSchema compile(String schema) {
    try {
      return compile(JsonText.parse(schema));
    } catch (JsonException notJson) {
      throw new IllegalArgumentException("the schema is not JSON: " + notJson.getMessage(), notJson);
    }
  }

  private static ContextSchema compile(JsonValue schema) {
    var violations = SchemaCheck.problemsOf(schema);
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(violations.stream()
          .map(violation -> violation.pointer() + " " + violation.message())
          .collect(Collectors.joining("; ", "not a valid JSON Schema: ", "")));
    }
    var validator = newValidator(true);
    return new ContextSchema(validator, validator.registerSchema((Object) schema));
  }

  /** @param trusting skips the check against the meta-schema, because {@link SchemaCheck} caches one for all schemas */
  static Validator newValidator(boolean trusting) {
    return new ValidatorFactory()
        .withJsonNodeFactory(new JakartaJsonNode.Factory())
        .withDisabledSchemaValidation(trusting)
        .createValidator();
  }

  /**
   * All violations of {@code value}, at most 100; empty when it is valid. A schema that refers to itself endlessly, or a
   * pattern that needs too much stack for a very long string, is one violation.
   */
  public List<Violation> validate(JsonValue value) {
    try {
      var result = validator.validate(uri, (Object) value);
      return result.isValid() ? List.of() : SchemaFindings.from(result.getErrors());
    } catch (StackOverflowError endless) {
      return List.of(new Violation("", "could not be validated: the schema refers to itself without end, or a pattern"
          + " or the nesting is too deep for this value"));
    }
  }
}

package ee.tasker.template;

import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.harrel.jsonschema.providers.JakartaJsonNode;
import ee.tasker.document.SealedPlaces;
import ee.tasker.document.Seals;
import ee.tasker.platform.Problem;
import jakarta.json.JsonException;
import jakarta.json.JsonValue;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A JSON Schema (draft 2020-12), compiled once: {@code input_schema} for the context of a task,
 * {@code result_schema} for
 * the result of a step. Immutable and thread-safe; compiling costs far more than validating, so
 * cache it. {@code format} is
 * an annotation and rejects nothing. Patterns match in linear time, see {@link SchemaPattern}.
 * Nothing is ever loaded over the network: a {@code $ref} must point into the schema
 * itself, otherwise the schema is rejected.
 */
public final class ContextSchema {
  private final Validator validator;
  private final URI uri;
  private final SealedPlaces sealed;

  /**
   * @param pointer JSON pointer to the invalid value; empty for the whole document
   * @param message a sentence for the sender of the value
   */
  public record Violation(String pointer, String message) {}

  /** What a validation has found. */
  public sealed interface Verdict {
    record Valid() implements Verdict {}

    /** @param violations at least one, at most 100 */
    record Invalid(List<Violation> violations) implements Verdict {}

    /** It is unknown whether the value is valid: finding out takes too much work. */
    record Undecided(String reason) implements Verdict {}

    /** Why the value cannot be accepted; empty when it is valid. */
    default List<Violation> complaints() {
      return this instanceof Invalid invalid ? invalid.violations()
          : this instanceof Undecided undecided
              ? List.of(new Violation("", "could not be validated: " + undecided.reason()))
              : List.of();
    }
  }

  private ContextSchema(Validator validator, URI uri, SealedPlaces sealed) {
    this.validator = validator;
    this.uri = uri;
    this.sealed = sealed;
  }

  /**
   * @param schema the schema as JSON text
   * @throws IllegalArgumentException when it is not JSON or not a valid schema, with all reasons;
   *   never for a schema of a
   *     template without problems
   */
  public static ContextSchema compile(String schema) {
    try {
      return compile(JsonText.parse(schema));
    } catch (JsonException notJson) {
      throw new IllegalArgumentException("the schema is not JSON: " + notJson.getMessage(),
          notJson);
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
    return new ContextSchema(validator, validator.registerSchema((Object) schema),
        SealedPlaces.of(schema));
  }

  /**
   * @param trusting skips the check against the meta-schema, because {@link SchemaCheck} caches one
   * for all schemas
   */
  static Validator newValidator(boolean trusting) {
    return new ValidatorFactory()
        .withJsonNodeFactory(new JakartaJsonNode.Factory())
        .withEvaluatorFactory(new SchemaKeywords())
        .withDisabledSchemaValidation(trusting)
        .createValidator();
  }

  /** The places of a valid document that are to be sealed. */
  public SealedPlaces sealed() {
    return sealed;
  }

  /**
   * Bounded in time and memory; the same for the same value on every server. What is said of a
   * value that is to be sealed does not quote it: it is logged and stored.
   */
  public Verdict validate(JsonValue value) {
    Verdict verdict = validate(validator, uri, value);
    return sealed.isNone() || !(verdict instanceof Verdict.Invalid invalid) ? verdict
        : new Verdict.Invalid(invalid.violations().stream().map(this::withoutValue).toList());
  }

  private Violation withoutValue(Violation violation) {
    return sealed.cover(violation.pointer())
        ? new Violation(violation.pointer(), "does not fit its schema") : violation;
  }

  static Verdict validate(Validator validator, URI uri, JsonValue value) {
    try {
      var result = SchemaMeter.metered(() -> {
        SchemaMeter.current().spendOnPointers(value);
        return validator.validate(uri, (Object) value);
      });
      return result.isValid() ? new Verdict.Valid()
          : new Verdict.Invalid(SchemaFindings.from(result.getErrors()));
    } catch (SchemaMeter.TooMuch tooMuch) {
      return new Verdict.Undecided(tooMuch.getMessage());
    }
  }

  /**
   * Lets a valid document pass, with what is to be sealed in it sealed. What is sealed already is
   * opened for the check and stays as it is.
   *
   * @param field the document's name in the request
   * @param misfit the problem of an invalid document, to which the violations are added
   * @throws Problem that one; 422 not-validated; as {@link Seals#seal} and {@link Seals#open}
   */
  public JsonValue accept(JsonValue document, Seals seals, String namespace, String field,
      Supplier<Problem> misfit) {
    require(sealed.isNone() ? document : seals.open(document, namespace), field, misfit);
    return seals.seal(document, sealed, namespace);
  }

  /**
   * Lets a valid value pass.
   *
   * @param field the value's name in the request
   * @param misfit the problem of an invalid value, to which the violations are added
   * @throws Problem that one, or 422 not-validated when it is unknown whether the value is valid
   */
  public void require(JsonValue value, String field, Supplier<Problem> misfit) {
    var verdict = validate(value);
    var violations = verdict.complaints().stream()
        .map(violation -> new Problem.Violation(field + violation.pointer(), violation.message()))
        .toList();
    if (verdict instanceof Verdict.Undecided) {
      throw new Problem(422, "not-validated",
          violations.get(0).field() + " " + violations.get(0).message(), violations, Map.of());
    } else if (!violations.isEmpty()) {
      var problem = misfit.get();
      throw new Problem(problem.status(), problem.code(),
          problem.getMessage() + ": " + violations.get(0).field() + ": "
              + violations.get(0).message(),
          violations, Map.of());
    }
  }
}

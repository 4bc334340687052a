package ee.tasker.template;

import dev.harrel.jsonschema.Error;
import ee.tasker.template.ContextSchema.Violation;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Turns the validator's findings into readable violations: the causes, without the keywords that
 * only propagate them.
 */
final class SchemaFindings {
  private static final int MAX_VIOLATIONS = 100;
  private static final int MAX_MESSAGE = 300;
  private static final int MAX_REASONS = 4;
  private static final Set<String> PASSES_ON = Set.of("allOf", "if", "$ref", "$dynamicRef");
  private static final Set<String> ALTERNATIVES = Set.of("anyOf", "oneOf");

  private SchemaFindings() {}

  static List<Violation> from(List<Error> errors) {
    var first = errors.subList(0, Math.min(errors.size(), 4 * MAX_VIOLATIONS));
    var alternatives = first.stream().filter(error -> is(ALTERNATIVES, error)).toList();
    var violations = first.stream()
        .filter(error -> alternatives.stream().noneMatch(choice -> isBelow(choice, error)))
        .filter(error -> !is(PASSES_ON, error)
            || first.stream().noneMatch(cause -> isBelow(error, cause)))
        .map(error -> is(ALTERNATIVES, error) ? choice(error, first) : violation(error))
        .distinct()
        .limit(MAX_VIOLATIONS)
        .toList();
    return violations.isEmpty() ? List.of(new Violation("", "is not valid")) : violations;
  }

  /** One sentence for all alternatives: the intended one is unknown. */
  private static Violation choice(Error choice, List<Error> errors) {
    var reasons = errors.stream()
        .filter(
            error -> isBelow(choice, error) && !is(PASSES_ON, error) && !is(ALTERNATIVES, error))
        .map(error -> error.getInstanceLocation().equals(choice.getInstanceLocation())
            ? message(error)
            : error.getInstanceLocation().substring(choice.getInstanceLocation().length()) + " "
                + message(error))
        .distinct().limit(MAX_REASONS)
        .collect(Collectors.joining("; or "));
    return new Violation(choice.getInstanceLocation(), shortened(reasons.isEmpty() ? message(choice)
        : "matches none of the alternatives: " + reasons));
  }

  private static Violation violation(Error error) {
    return new Violation(error.getInstanceLocation(), message(error));
  }

  private static String message(Error error) {
    return error.getKeyword() != null ? shortened(error.getError())
        : error.getEvaluationPath().matches(".*/(additional|unevaluated)Properties")
            ? "is not an allowed key"
            : "is not allowed";
  }

  private static String shortened(String message) {
    return message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE) + "…";
  }

  private static boolean is(Set<String> keywords, Error error) {
    return error.getKeyword() != null && keywords.contains(error.getKeyword());
  }

  /**
   * Whether {@code error} comes from inside the keyword that {@code outer} is about, for the same
   * part of the value.
   */
  private static boolean isBelow(Error outer, Error error) {
    var evaluated = outer.getEvaluationPath();
    if (is(Set.of("if"), outer)) {
      evaluated = evaluated.substring(0, evaluated.length() - "if".length());
      return (error.getEvaluationPath().startsWith(evaluated + "then/")
          || error.getEvaluationPath().startsWith(evaluated + "else/"))
          && concernsPartOf(outer, error);
    }
    return error.getEvaluationPath().startsWith(evaluated + "/") && concernsPartOf(outer, error);
  }

  private static boolean concernsPartOf(Error outer, Error error) {
    var pointer = outer.getInstanceLocation();
    return error.getInstanceLocation().equals(pointer)
        || error.getInstanceLocation().startsWith(pointer + "/");
  }
}

package ee.tasker.template;

import ee.tasker.template.model.RetryPolicy;
import ee.tasker.template.model.StepDefinition;
import ee.tasker.template.model.StepType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A step as far as it could be read, with the positions for checks across steps.
 *
 * @param where        the whole step
 * @param name         empty when it could not be read
 * @param dependencies parent to the position that names it
 * @param worker       {@code batch_config.worker_template} and its position
 * @param choices      the steps that the rules of a decision name, with their positions
 * @param expressions  what the database has to parse
 * @param signal       the signal that the step waits for
 * @param definition   may be called only when the template has no problem
 */
record StepDraft(Located where, Optional<Named> name, StepType type,
    Map<String, Located> dependencies, Optional<Named> worker, List<Named> choices,
    List<Expression> expressions, Optional<SignalDraft> signal, RetryPolicy retry,
    Supplier<StepDefinition> definition) {

  /** A name and its position. */
  record Named(String name, Located place) {}

  /**
   * A signal that a step waits for.
   *
   * @param schemaPlace where its schema is
   * @param schema      as canonical text
   */
  record SignalDraft(Named name, Optional<Located> schemaPlace, Optional<String> schema) {}

  /**
   * An expression and its position.
   *
   * @param step the step that evaluates it; empty when its name could not be read
   * @param kind {@code predicate}, {@code value}, {@code list}, {@code mapping} or {@code payload}
   */
  record Expression(Optional<String> step, String kind, String text, Located place) {}

  boolean is(StepType other) {
    return type == other;
  }

  String label() {
    return name.map(Named::name).orElse(where.path());
  }
}

package ee.tasker.template;

import ee.tasker.template.model.RetryPolicy;
import ee.tasker.template.model.StepDefinition;
import ee.tasker.template.model.StepType;
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
 * @param definition   may be called only when the template has no problem
 */
record StepDraft(Located where, Optional<Named> name, StepType type, Map<String, Located> dependencies,
    Optional<Named> worker, RetryPolicy retry, Supplier<StepDefinition> definition) {

  /** A name and its position. */
  record Named(String name, Located place) {}

  boolean is(StepType other) {
    return type == other;
  }

  String label() {
    return name.map(Named::name).orElse(where.path());
  }
}

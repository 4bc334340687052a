package ee.tasker.template;

import ee.tasker.template.model.RetryPolicy;
import ee.tasker.template.model.StepDefinition;
import ee.tasker.template.model.StepType;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A step as far as it could be read, with the places that checks across steps point at.
 *
 * @param where        the whole step
 * @param name         empty when it could not be read
 * @param dependencies parent to the place that names it
 * @param worker       {@code batch_config.worker_template} and its place
 * @param definition   may be called only when the template has no problem
 */
record StepDraft(Located where, Optional<Named> name, StepType type, Map<String, Located> dependencies,
    Optional<Named> worker, RetryPolicy retry, Supplier<StepDefinition> definition) {

  /** A name and the place where it is written. */
  record Named(String name, Located place) {}

  boolean is(StepType other) {
    return type == other;
  }

  String label() {
    return name.map(Named::name).orElse(where.path());
  }
}

package ee.tasker.template.model;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The overrides of one environment for a step, or for {@link #ALL} of them.
 *
 * @param initialization keys of the handler's configuration to replace or add: key to JSON text
 * @param options        those that are given; the others keep the step's own value
 * @param retry          replaced key by key
 */
public record StepOverride(String step, SortedMap<String, String> initialization,
    StepOptions options, RetryOverride retry) {
  /** Means every step. */
  public static final String ALL = "ALL";

  public StepOverride {
    Checks.text(step, "environments.steps.name", Limits.STEP_NAME);
    Checks.present(initialization, "environments.steps.handler.initialization");
    initialization = Collections.unmodifiableSortedMap(new TreeMap<>(initialization));
    Checks.present(options, "environments.steps.options");
    Checks.present(retry, "environments.steps.retry");
  }

  /**
   * A step without a handler and without a child task stays as it is: there is nothing to
   * configure.
   */
  StepDefinition applyTo(StepDefinition step) {
    if (step.handler().isEmpty() && !(step.waitFor().orElse(null) instanceof StepWait.Child)) {
      return step;
    }
    return step.with(step.handler().map(handler -> handler.withInitialization(initialization)),
        retry.applyTo(step.retry()), options.or(step.options()));
  }
}

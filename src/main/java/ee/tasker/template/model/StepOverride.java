package ee.tasker.template.model;

import java.util.Collections;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The overrides of one environment for a step, or for {@link #ALL} of them.
 *
 * @param initialization keys of the handler's configuration to replace or add: key to JSON text
 * @param timeoutSeconds empty to keep the step's own
 * @param retry          replaced key by key
 */
public record StepOverride(String step, SortedMap<String, String> initialization,
    OptionalInt timeoutSeconds, RetryOverride retry) {
  /** Means every step. */
  public static final String ALL = "ALL";

  public StepOverride {
    Checks.text(step, "environments.steps.name", Limits.STEP_NAME);
    Checks.present(initialization, "environments.steps.handler.initialization");
    initialization = Collections.unmodifiableSortedMap(new TreeMap<>(initialization));
    Checks.range(timeoutSeconds, "environments.steps.timeout_seconds", 1, Limits.TIMEOUT_SECONDS);
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
    return new StepDefinition(step.name(), step.description(), step.type(),
        step.handler().map(handler -> handler.withInitialization(initialization)),
        step.dependencies(), step.systemDependency(), retry.applyTo(step.retry()),
        timeoutSeconds.isPresent() ? timeoutSeconds : step.timeoutSeconds(),
        step.queueTimeoutSeconds(), step.publishesEvents(), step.batchConfig(), step.resultSchema(),
        step.concurrency(), step.rules(), step.waitFor(), step.onNone(), step.compensation());
  }
}

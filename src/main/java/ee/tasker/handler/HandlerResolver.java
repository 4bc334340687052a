package ee.tasker.handler;

import java.util.Optional;

/**
 * Resolves a {@code callable} to a handler, for instance from a rule engine or a script folder. A
 * CDI bean named by {@link
 * Handles}; called only for steps whose template sets {@code handler.resolver} to that name.
 */
@FunctionalInterface
public interface HandlerResolver {

  /**
   * @param callable {@code handler.callable} as the template spells it
   * @return the handler, or empty when there is none: the step is then released and waits for
   *   another worker that has this
   *     resolver
   */
  Optional<StepHandler> resolve(String callable);
}

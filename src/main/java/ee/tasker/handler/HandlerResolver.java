package ee.tasker.handler;

import java.util.Optional;

/**
 * Finds the handler for a {@code callable} in its own way, for instance from a rule engine or a script folder. A CDI
 * bean named by {@link Handles}; asked only for steps whose template says {@code handler.resolver} with that name.
 */
@FunctionalInterface
public interface HandlerResolver {

  /**
   * @param callable {@code handler.callable} as the template spells it
   * @return the handler, or empty when there is none: the step then goes to another server that has this resolver, and fails permanently as {@code handler_not_found} when none is left
   */
  Optional<StepHandler> resolve(String callable);
}

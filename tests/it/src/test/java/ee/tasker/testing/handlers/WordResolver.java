package ee.tasker.testing.handlers;

import ee.tasker.handler.HandlerResolver;
import ee.tasker.handler.Handles;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import java.util.Optional;

/** Makes a handler of every callable that begins with {@code word.}, and knows no other. */
@ApplicationScoped
@Handles("testing.words")
public class WordResolver implements HandlerResolver {

  @Override
  public Optional<StepHandler> resolve(String callable) {
    return callable.startsWith("word.")
        ? Optional
            .of(step -> StepOutcome.success(Json.createValue(callable.substring("word.".length()))))
        : Optional.empty();
  }
}

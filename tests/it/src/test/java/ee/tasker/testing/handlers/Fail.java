package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.PermanentStepException;
import ee.tasker.handler.RetryableStepException;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonString;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/** Fails in the {@code way} of its configuration, or of the context. */
@ApplicationScoped
@Handles("testing.Fail")
public class Fail implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) throws Exception {
    switch (step.config("way").or(() -> step.input("way"))
        .map(value -> ((JsonString) value).getString()).orElse("")) {
      case "null" :
        return null;
      case "permanent" :
        throw new PermanentStepException("Refused", "no and never");
      case "retryable" :
        throw new RetryableStepException("Busy", "not now");
      case "illegal argument" :
        throw new IllegalArgumentException("that is no number");
      case "timeout" :
        throw new TimeoutException("took too long");
      case "checked" :
        throw new IOException("the line is dead");
      case "stack overflow" :
        return endless(step);
      case "error" :
        throw new NoClassDefFoundError("com/example/Missing");
      case "u+0000 in the result" :
        return StepOutcome
            .success(Json.createObjectBuilder().add("text", "a" + '\0' + "b").build());
      case "u+0000 in the message" :
        return StepOutcome.permanent("Bad" + '\0', "a" + '\0' + "b");
      case "endless message" :
        return StepOutcome.permanent("Long", "x".repeat(1_000_000));
      case "lone surrogate" :
        return StepOutcome.success(Json.createObjectBuilder().add("text", "a\ud800b").build());
      case "huge number" :
        return StepOutcome.success(
            Json.createObjectBuilder().add("n", new java.math.BigDecimal("1e200000")).build());
      default :
        return StepOutcome.success();
    }
  }

  private StepOutcome endless(StepContext step) {
    StepOutcome outcome = endless(step);
    return outcome == null ? StepOutcome.success() : outcome;
  }
}

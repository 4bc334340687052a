package ee.tasker.samples.retries;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonString;

/**
 * Fails when the context's list {@code failing} contains its configuration's {@code failure}:
 * {@code permanent} or
 * {@code retryable}. Without that configuration it always succeeds.
 */
@ApplicationScoped
@Handles("retries.FailWhenAsked")
public class FailWhenAsked implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    String failure = Fields.of("initialization", step.config()).optionalText("failure")
        .orElse("none");
    boolean isAsked = Fields.of("context", step.input()).array("failing")
        .getValuesAs(JsonString.class).stream()
        .anyMatch(word -> word.getString().equals(failure));
    if (!isAsked) {
      return StepOutcome.success(Json.createObjectBuilder().add("status", "ok").build());
    }
    return failure.equals("permanent")
        ? StepOutcome.permanent("PermanentError", "failed on purpose, permanently")
        : StepOutcome.retryable("RetryableError", "failed on purpose, for now");
  }
}

package ee.tasker.samples.retries;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonObject;

/**
 * Fails retryably on the first attempts, as many as {@code fail_times} of its configuration or else
 * of the context, and
 * succeeds on the next. It uses the attempt number only, so it is stateless.
 */
@ApplicationScoped
@Handles("retries.FailTimes")
public class FailTimes implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    JsonObject asked = step.config("fail_times").isPresent() ? step.config() : step.input();
    int failTimes = Fields.of("fail_times", asked).integer("fail_times");
    if (step.attempt() <= failTimes) {
      return StepOutcome.retryable("FailedOnPurpose",
          "attempt " + step.attempt() + " of " + failTimes + " to fail");
    }
    return StepOutcome.success(Json.createObjectBuilder()
        .add("succeeded_on_attempt", step.attempt())
        .build());
  }
}

package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonNumber;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Leaves {@code ran} in the ledger, takes {@code ms} of its configuration, and succeeds; the first
 * {@code fail_times} attempts fail.
 */
@ApplicationScoped
@Handles("testing.Work")
public class Work implements StepHandler {
  @Inject
  private Ledger ledger;

  @Override
  public StepOutcome handle(StepContext step) throws Exception {
    ledger.write(step, "ran");
    new CountDownLatch(1).await(number(step, "ms"), TimeUnit.MILLISECONDS);
    if (step.attempt() <= number(step, "fail_times")) {
      return StepOutcome.retryable("FailedOnPurpose", "attempt " + step.attempt());
    }
    return StepOutcome
        .success(Json.createObjectBuilder().add("token", step.idempotencyToken()).build());
  }

  private static int number(StepContext step, String key) {
    return step.config(key).map(value -> ((JsonNumber) value).intValue()).orElse(0);
  }
}

package ee.tasker.samples.retries;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The first attempt blocks until it is interrupted; the second returns at once. The first attempt's
 * result comes too late:
 * the engine has abandoned the attempt by then.
 */
@ApplicationScoped
@Handles("retries.HangOnce")
public class HangOnce implements StepHandler {
  /** A bound, so that the thread is released even without an interrupt. */
  private static final int LONGEST_SECONDS = 30;

  @Override
  public StepOutcome handle(StepContext step) throws InterruptedException {
    if (!step.isRetry()) {
      boolean isOpen = new CountDownLatch(1).await(LONGEST_SECONDS, TimeUnit.SECONDS);
      return StepOutcome.permanent("NeverInterrupted",
          "nothing interrupted the wait; opened: " + isOpen);
    }
    return StepOutcome.success(Json.createObjectBuilder()
        .add("answered_on_attempt", step.attempt())
        .build());
  }
}

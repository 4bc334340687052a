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
 * The first attempt waits for something that never comes, until it is interrupted; the second returns at once. Whatever
 * the first returns comes too late: the attempt has been given up by then.
 */
@ApplicationScoped
@Handles("retries.HangOnce")
public class HangOnce implements StepHandler {
  /** The thread is not lost even where nobody interrupts it. */
  private static final int LONGEST_SECONDS = 30;

  @Override
  public StepOutcome handle(StepContext step) throws InterruptedException {
    if (!step.isRetry()) {
      boolean isOpen = new CountDownLatch(1).await(LONGEST_SECONDS, TimeUnit.SECONDS);
      return StepOutcome.permanent("NeverInterrupted", "nobody ended the wait, and it opened: " + isOpen);
    }
    return StepOutcome.success(Json.createObjectBuilder()
        .add("answered_on_attempt", step.attempt())
        .build());
  }
}

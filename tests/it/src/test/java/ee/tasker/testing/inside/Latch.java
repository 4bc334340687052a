package ee.tasker.testing.inside;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs until the test says so. */
@ApplicationScoped
@Handles("inside.Latch")
public class Latch implements StepHandler {
  private static final CountDownLatch RELEASED = new CountDownLatch(1);

  @Override
  public StepOutcome handle(StepContext step) throws InterruptedException {
    return RELEASED.await(60, TimeUnit.SECONDS) ? StepOutcome.success()
        : StepOutcome.permanent("Forgotten", "the step was not released");
  }

  static void release() {
    RELEASED.countDown();
  }
}

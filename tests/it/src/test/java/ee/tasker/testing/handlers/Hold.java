package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs until a test releases the task or its cancellation is requested, for a minute at most. */
@ApplicationScoped
@Handles("testing.Hold")
public class Hold implements StepHandler {
  @Inject
  private Ledger ledger;

  @Override
  public StepOutcome handle(StepContext step) throws Exception {
    ledger.write(step, "started");
    for (int look = 0; look < 1_200; look++) {
      if (step.isCancelRequested()) {
        ledger.write(step, "saw the cancel request");
        return StepOutcome.cancelled("told to stop");
      }
      if (ledger.isReleased(step.taskUuid())) {
        return StepOutcome.success();
      }
      new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS);
    }
    return StepOutcome.permanent("NotReleased", "neither released nor cancelled within a minute");
  }
}

package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ignores cancel requests until it is interrupted; then records that in the ledger and succeeds.
 */
@ApplicationScoped
@Handles("testing.Hang")
public class Hang implements StepHandler {
  @Inject
  private Ledger ledger;

  @Override
  public StepOutcome handle(StepContext step) throws Exception {
    ledger.write(step, "started");
    try {
      new CountDownLatch(1).await(60, TimeUnit.SECONDS);
      return StepOutcome.permanent("NotInterrupted",
          "this handler was not interrupted within a minute");
    } catch (InterruptedException e) {
      ledger.write(step, "interrupted");
      return StepOutcome.success();
    }
  }
}

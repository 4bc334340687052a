package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Heeds neither a cancel request nor an interrupt, also when the interrupt meets it while it asks
 * the database: runs until a test lets the task go on, for a minute at most.
 */
@ApplicationScoped
@Handles("testing.Deaf")
public class Deaf implements StepHandler {
  @Inject
  private Ledger ledger;

  @Override
  public StepOutcome handle(StepContext step) throws Exception {
    ledger.write(step, "started");
    for (int look = 0; look < 1_200 && !isReleased(step); look++) {
      try {
        new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        // That is what it is for.
      }
    }
    ledger.write(step, "finished");
    return StepOutcome.success();
  }

  /** False, too, when the interrupt meets the pool or the call: it is heeded nowhere. */
  private boolean isReleased(StepContext step) {
    try {
      return ledger.isReleased(step.taskUuid());
    } catch (SQLException | RuntimeException e) {
      return false;
    }
  }
}

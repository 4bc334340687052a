package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Its first attempts block and heed no interrupt, all together, until a test releases {@link #ALL},
 * for five minutes at most. They keep nothing but
 * their threads: one of them asks once a second for all. Later attempts return at once.
 */
@ApplicationScoped
@Handles("testing.Block")
public class Block implements StepHandler {
  /** The task that a test releases so that all of them go on. */
  public static final UUID ALL = new UUID(0, 0);
  private static final int MOST_SECONDS = 300;

  @Inject
  private Ledger ledger;

  private volatile boolean isOpen;
  private long askedAt;

  @Override
  public StepOutcome handle(StepContext step) throws SQLException {
    if (!step.isRetry()) {
      isOpen = ledger.isReleased(ALL);
      ledger.write(step, "started");
      block();
      ledger.write(step, "finished");
    } else {
      ledger.write(step, "started");
    }
    return StepOutcome.success();
  }

  private void block() {
    for (int second = 0; second < MOST_SECONDS && !isOpen; second++) {
      try {
        new CountDownLatch(1).await(1, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        // That is what it is for.
      }
      ask();
    }
  }

  private synchronized void ask() {
    if (System.nanoTime() - askedAt < TimeUnit.SECONDS.toNanos(1)) {
      return;
    }
    askedAt = System.nanoTime();
    try {
      isOpen = ledger.isReleased(ALL);
    } catch (SQLException e) {
      // The next one asks again.
    }
  }
}

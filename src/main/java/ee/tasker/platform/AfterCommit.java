package ee.tasker.platform;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.Dependent;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

/**
 * Runs an action after the current transaction has committed; at once without a transaction, never
 * after a rollback.
 */
@Dependent
public class AfterCommit {
  @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
  private TransactionSynchronizationRegistry registry;

  public void run(Runnable action) {
    if (registry.getTransactionStatus() == Status.STATUS_NO_TRANSACTION) {
      action.run();
      return;
    }
    registry.registerInterposedSynchronization(new Synchronization() {
      @Override
      public void beforeCompletion() {
        // nothing to do before the commit
      }

      @Override
      public void afterCompletion(int status) {
        if (status == Status.STATUS_COMMITTED) {
          action.run();
        }
      }
    });
  }
}

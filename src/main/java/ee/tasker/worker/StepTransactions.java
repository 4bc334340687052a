package ee.tasker.worker;

import ee.tasker.engine.reply.ResultsReply;
import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.step.StepResult;
import ee.tasker.step.Steps;
import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.NotSupportedException;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.UserTransaction;
import java.time.Duration;
import java.util.Optional;

/**
 * The transactions of transactional handlers: begun before the handler, ended with its result. No
 * row of the engine is
 * locked while the handler runs, so that heartbeat, cancel and recovery can proceed. The result is
 * submitted last and
 * compares the handoff: the transaction commits if the database accepts a success or a yield, and
 * rolls back otherwise.
 *
 * <p>This class uses {@code UserTransaction} rather than {@code @Transactional}, because the
 * time-out is the step's and
 * because a failed commit is an outcome here (ADR 0014).
 */
@ApplicationScoped
class StepTransactions {
  private static final Log LOG = Log.of(StepTransactions.class);
  /** The step's own time-out must fire first: it interrupts the handler and reports the cause. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  @Inject
  private UserTransaction transaction;

  @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
  private TransactionSynchronizationRegistry registry;

  @Inject
  private Steps steps;

  @Inject
  private ResultBatcher resultBatcher;

  /** For handlers that are not transactional. */
  HandlerTransaction none() {
    return new HandlerTransaction() {
      @Override
      public StepResult end(StepResult result) {
        return result;
      }

      @Override
      public StepResult drop() {
        return null;
      }
    };
  }

  /** @param limit the step's time-out; without one the server's default for transactions applies */
  HandlerTransaction begin(Optional<Duration> limit) throws SystemException, NotSupportedException {
    transaction.setTransactionTimeout(
        (int) limit.map(time -> time.plus(GRACE).toSeconds()).orElse(0L).longValue());
    try {
      transaction.begin();
    } finally {
      // The time-out is a property of the thread, which does other work afterwards.
      transaction.setTransactionTimeout(0);
    }
    Object begun = registry.getTransactionKey();
    return new HandlerTransaction() {
      @Override
      public StepResult end(StepResult result) {
        return StepTransactions.this.end(begun, result);
      }

      @Override
      public StepResult drop() {
        rollBack();
        return null;
      }
    };
  }

  private StepResult end(Object begun, StepResult result) {
    if (!begun.equals(registry.getTransactionKey())) {
      // The handler has ended it, and may have begun another.
      rollBack();
      return Outcomes.transactionEnded(result);
    }
    int status = registry.getTransactionStatus();
    // What a handler that yields has written belongs to its checkpoint.
    if (!result.outcome().commits()) {
      rollBack();
      return result;
    }
    if (status != Status.STATUS_ACTIVE) {
      rollBack();
      return Outcomes.transactionFailed(result,
          "the handler ended with " + result.outcome()
              + ", but its transaction was marked for rollback");
    }
    ResultsReply reply;
    try {
      reply = steps.completeWithin(result);
    } catch (Exception fault) {
      rollBack();
      return DatabaseFaults.isAboutTheData(fault)
          ? Outcomes.notStorable(result, DatabaseFaults.message(fault))
          : Outcomes.transactionFailed(result, DatabaseFaults.message(fault));
    }
    if (!reply.refused().isEmpty()) {
      rollBack();
    } else if (reply.isChanged()) {
      // What the handler has written belongs to the result as it was meant. It is submitted again
      // without that, and fails.
      rollBack();
      return result;
    } else {
      try {
        transaction.commit();
      } catch (Exception fault) {
        // The commit may have succeeded with only its reply lost: then the database refuses the
        // failure as stale.
        rollBack();
        return Outcomes.transactionFailed(result, DatabaseFaults.message(fault));
      }
    }
    resultBatcher.recorded(result.key(), reply);
    return null;
  }

  private void rollBack() {
    try {
      if (registry.getTransactionStatus() != Status.STATUS_NO_TRANSACTION) {
        transaction.rollback();
      }
    } catch (Exception e) {
      LOG.write(LogEvent.CALL_FAILED, e, "call", "rollback");
    }
  }
}

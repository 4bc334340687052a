package ee.tasker.orchestration;

import ee.tasker.engine.reply.DroppedMonth;
import ee.tasker.engine.reply.PurgeReply;
import ee.tasker.engine.reply.ReconcileReply;
import ee.tasker.engine.reply.RoundReply;
import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.SqlState;
import ee.tasker.platform.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.util.Optional;

/**
 * The facade of the orchestrator: each method runs one round of one duty in its own transaction.
 */
@ApplicationScoped
@Transactional(Transactional.TxType.REQUIRES_NEW)
public class Orchestration {
  private static final int PURGED_AT_ONCE = 500;

  @Inject
  private OrchestrationGateway gateway;

  @Inject
  private Settings settings;

  /** Advances up to {@code limit} tasks that are due. */
  public RoundReply advanceDueTasks(int limit, int claimLimit) {
    return gateway.advanceDueTasks(limit, claimLimit, leaseSeconds(), settings.recovery());
  }

  /** Settles up to {@code limit} results of worker-only servers. */
  public RoundReply processStepResults(int limit, int claimLimit) {
    return gateway.processStepResults(limit, claimLimit, leaseSeconds(),
        settings.recovery().deliveries());
  }

  /**
   * After the database gave up a round for one task.
   *
   * @return the task that comes later, or how many that the round took before it are due like the
   *   others now; empty when there was none
   */
  public Optional<String> setAsideDueTask(Throwable fault) {
    return gateway.setAsideDueTask(SqlState.of(fault), DatabaseFaults.message(fault),
        settings.recovery().deliveries());
  }

  /** After the database gave up a call for one result. @return its task, which comes later */
  public Optional<String> setAsideStepResult(Throwable fault) {
    return gateway.setAsideStepResult(SqlState.of(fault),
        DatabaseFaults.message(fault), settings.recovery().deliveries())
        .map(task -> "task " + task);
  }

  /**
   * Acts on the next tasks of a bulk action in the background, if there is one that no other server
   * is at.
   */
  public RoundReply advanceBulkActions() {
    return gateway.advanceBulkActions();
  }

  /** Closes the dead letters of stale tasks that have ended well. @return how many */
  public int closeSettledDlqEntries() {
    return gateway.closeSettledDlqEntries();
  }

  /** Restores lost dead letters and wake-ups for the next part of all tasks. */
  public ReconcileReply reconcileTasks() {
    return gateway.reconcileTasks();
  }

  /** Creates the missing history partitions of the coming months. */
  public void makeHistoryPartitions() {
    gateway.makeHistoryPartitions();
  }

  /**
   * Renews the statistics of tables that have grown much, so that the planner does not use plans
   * for small tables.
   */
  public void analyzeGrownTables() {
    gateway.analyzeGrownTables();
  }

  /**
   * Updates the index summaries of history, so that its end is found without reading what was
   * written since the last vacuum.
   */
  public void summarizeHistory() {
    gateway.summarizeHistory();
  }

  /**
   * Rolls up the moves since the last roll-up for the analytics, unless another server is doing so.
   */
  public void rollUpAnalytics() {
    gateway.rollUpAnalytics();
  }

  /** Purges a batch of tasks whose retention has ended. */
  public PurgeReply purgeExpiredTasks() {
    return gateway.purgeExpiredTasks(PURGED_AT_ONCE);
  }

  /** Deletes rows of other tables whose retention has ended. */
  public void purgeExpiredRows() {
    gateway.purgeExpiredRows();
  }

  /** Drops or rewrites one month of history, if one qualifies. */
  public Optional<DroppedMonth> dropHistoryMonth() {
    return gateway.dropHistoryMonth();
  }

  /** Deletes the records of purged tasks whose history has been dropped. */
  public void forgetPurgedTasks() {
    gateway.forgetPurgedTasks();
  }

  private long leaseSeconds() {
    return settings.worker().lease().toSeconds();
  }
}

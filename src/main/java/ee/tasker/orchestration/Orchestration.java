package ee.tasker.orchestration;

import ee.tasker.engine.reply.RoundReply;
import ee.tasker.platform.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;

/** The component's door: each method is one round of one duty, in a transaction of its own. */
@ApplicationScoped
@Transactional(Transactional.TxType.REQUIRES_NEW)
public class Orchestration {

  @Inject
  private OrchestrationGateway gateway;

  @Inject
  private Settings settings;

  /** Looks at up to {@code limit} tasks whose time has come. */
  public RoundReply advanceDueTasks(int limit, int claimLimit) {
    return gateway.advanceDueTasks(limit, claimLimit, leaseSeconds(), settings.recovery());
  }

  /** Settles up to {@code limit} results of worker-only servers. */
  public RoundReply processStepResults(int limit, int claimLimit) {
    return gateway.processStepResults(limit, claimLimit, leaseSeconds(), settings.recovery().deliveries());
  }

  /** Closes the dead letters of tasks that were late and have ended well. @return how many */
  public int closeSettledDlqEntries() {
    return gateway.closeSettledDlqEntries();
  }

  /** Restores dead letters and wake-ups, should they have been lost, for a part of all tasks. @return as {@code tasker.reconcile_tasks} */
  public JsonObject reconcileTasks() {
    return gateway.reconcileTasks();
  }

  /** Makes the history partitions of the coming months where they are missing. @return one entry for each that was */
  public JsonArray makeHistoryPartitions() {
    return gateway.makeHistoryPartitions();
  }

  /** Renews the statistics of tables that have grown much, before plans made for small tables cost much. */
  public void analyzeGrownTables() {
    gateway.analyzeGrownTables();
  }

  /** Counts for the analytics what has happened since the last time, unless another server is at it. */
  public void rollUpAnalytics() {
    gateway.rollUpAnalytics();
  }

  /** Purges a batch of tasks that are no longer kept. @return as {@code tasker.purge_expired_tasks} */
  public JsonObject purgeExpiredTasks() {
    return gateway.purgeExpiredTasks(settings.housekeeping().batchSize());
  }

  /** Deletes rows of other tables that are no longer kept. */
  public void purgeExpiredRows() {
    gateway.purgeExpiredRows();
  }

  /** Drops or rewrites one month of history, if there is one to gain from. @return as {@code tasker.drop_history_month}; null when there is none */
  public JsonObject dropHistoryMonth() {
    return gateway.dropHistoryMonth() instanceof JsonObject dropped ? dropped : null;
  }

  /** Forgets purged tasks whose history is gone. */
  public void forgetPurgedTasks() {
    gateway.forgetPurgedTasks();
  }

  private long leaseSeconds() {
    return settings.worker().lease().toSeconds();
  }
}

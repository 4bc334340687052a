package ee.tasker.orchestration;

import ee.tasker.engine.reply.DroppedMonth;
import ee.tasker.engine.reply.PurgeReply;
import ee.tasker.engine.reply.ReconcileReply;
import ee.tasker.engine.reply.RoundReply;
import ee.tasker.platform.Json;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.Optional;

/** Calls the orchestrator's functions of the database. */
@Dependent
class OrchestrationGateway {
  /** How long an offer may stay unclaimed while a live server has a permit for it. */
  private static final Duration OFFER_TIMEOUT = Duration.ofMinutes(5);

  @Inject
  private SqlFunctions sql;

  @Inject
  private ServerIdentity server;

  RoundReply advanceDueTasks(int limit, int claimLimit, long leaseSeconds,
      Settings.RecoverySettings recovery) {
    return RoundReply
        .ofTasks(sql.object(
            "advance_due_tasks(cast(? as uuid), ?, ?, cast(? as int), null, cast(? as int), cast(? as int), ?)",
            server.uuid(), limit, claimLimit, leaseSeconds, OFFER_TIMEOUT.toSeconds(),
            recovery.unservedLimit().toSeconds(), recovery.deliveries()));
  }

  RoundReply processStepResults(int limit, int claimLimit, long leaseSeconds, int deliveries) {
    return RoundReply.ofMessages(
        sql.object("process_step_results(cast(? as uuid), ?, ?, cast(? as int), null, ?)",
            server.uuid(), limit, claimLimit, leaseSeconds, deliveries));
  }

  Optional<String> setAsideDueTask(String sqlState, String cause, int deliveries) {
    JsonObject reply = sql.object("set_aside_due_task(cast(? as uuid), ?, ?, ?)", server.uuid(),
        sqlState, cause, deliveries);
    return Json.text(reply, "task_uuid").map(task -> "task " + task)
        .or(() -> Optional.of(reply.getInt("made_due")).filter(count -> count > 0)
            .map(count -> "made due: " + count));
  }

  Optional<String> setAsideStepResult(String sqlState, String cause, int deliveries) {
    return Optional.ofNullable(sql.text("set_aside_step_result(cast(? as uuid), ?, ?, ?)",
        server.uuid(), sqlState, cause, deliveries));
  }

  RoundReply advanceBulkActions() {
    return RoundReply.ofTasks(sql.object("advance_bulk_actions(cast(? as uuid))", server.uuid()));
  }

  int closeSettledDlqEntries() {
    return Integer.parseInt(sql.text("close_settled_dlq_entries()"));
  }

  ReconcileReply reconcileTasks() {
    return ReconcileReply.of(sql.object("reconcile_tasks()"));
  }

  void makeHistoryPartitions() {
    sql.run("make_history_partitions()");
  }

  void analyzeGrownTables() {
    sql.run("analyze_grown_tables()");
  }

  PurgeReply purgeExpiredTasks(int limit) {
    return PurgeReply.of(sql.object("purge_expired_tasks(?)", limit));
  }

  void purgeExpiredRows() {
    sql.run("purge_expired_rows()");
  }

  Optional<DroppedMonth> dropHistoryMonth() {
    return DroppedMonth.of(sql.json("drop_history_month()"));
  }

  void forgetPurgedTasks() {
    sql.run("forget_purged_tasks()");
  }

  void summarizeHistory() {
    sql.run("summarize_history()");
  }

  void rollUpAnalytics() {
    sql.run("roll_up_analytics()");
  }
}

package ee.tasker.insight;

import ee.tasker.engine.reply.InstallationStatus;
import ee.tasker.platform.sql.ReadFunctions;
import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;

/** Calls the SQL functions that report the installation's status. */
@Dependent
class InsightGateway {
  @Inject
  private SqlFunctions sql;

  @Inject
  private ReadFunctions reads;

  InstallationStatus getInstallationStatus() {
    return InstallationStatus.of(sql.object("get_installation_status()"));
  }

  void checkStorage() {
    sql.run("check_storage()");
  }

  JsonObject getServerDocuments() {
    return sql.answer("get_server_documents()").asJsonObject();
  }

  JsonObject getQueueDocuments() {
    return sql.object("get_queue_documents()");
  }

  JsonObject getPerformanceDocument(int hours) {
    return reads.object("get_performance_document(?)", hours);
  }

  JsonObject getHealthDocument() {
    return sql.object("get_health_document()");
  }

  JsonObject getBottleneckDocument(int hours, int limit, int minExecutions, String namespace,
      String name, String version) {
    return reads.object("get_bottleneck_document(?, ?, ?, ?, ?, ?)", hours, limit, minExecutions,
        namespace, name, version);
  }

  JsonObject getTimelineDocument(int minutes, String namespace) {
    return reads.object("get_timeline_document(?, ?)", minutes, namespace);
  }

  JsonObject groupFailures(JsonObject filter, int hours, int limit) {
    return reads.object("group_failures(cast(? as jsonb), ?, ?)", filter, hours, limit);
  }

  JsonObject getMetricTotals(int templates) {
    return sql.object("get_metric_totals(?)", templates);
  }

  JsonObject getMetricsDocument() {
    return sql.object("get_metrics_document()");
  }
}

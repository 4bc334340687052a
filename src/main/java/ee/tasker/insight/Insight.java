package ee.tasker.insight;

import ee.tasker.engine.reply.InstallationStatus;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;
import java.util.Map;

/** The component's facade. Read-only, except for what {@link #checkStorage} writes and deletes. */
@ApplicationScoped
@Transactional(Transactional.TxType.REQUIRES_NEW)
public class Insight {
  @Inject
  private InsightGateway gateway;

  public InstallationStatus installationStatus() {
    return gateway.getInstallationStatus();
  }

  /**
   * Tries a write that needs room on the database's disk; fails with the write's error when there
   * is none.
   */
  public void checkStorage() {
    gateway.checkStorage();
  }

  /**
   * @return as {@code tasker.get_server_documents}: the registered servers, their health, and how
   * long offers wait
   */
  public JsonObject servers() {
    return gateway.getServerDocuments();
  }

  /**
   * @return as {@code tasker.get_queue_documents}: each queue's length and age, and its parked
   * messages
   */
  public JsonObject queues() {
    return gateway.getQueueDocuments();
  }

  /**
   * @return as {@code tasker.get_performance_document}: throughput, rates and durations of the last
   * {@code hours}
   */
  public JsonObject performance(int hours) {
    return gateway.getPerformanceDocument(hours);
  }

  /**
   * @return as {@code tasker.get_health_document}: tasks and steps by state, connections, score and
   * load
   */
  public JsonObject health() {
    return gateway.getHealthDocument();
  }

  /** @return as {@code tasker.get_bottleneck_document}; a null filter matches everything */
  public JsonObject bottlenecks(int hours, int limit, int minExecutions, String namespace,
      String name, String version) {
    return gateway.getBottleneckDocument(hours, limit, minExecutions, namespace, name, version);
  }

  /**
   * @return as {@code tasker.get_timeline_document}: what happened minute by minute; a null
   * namespace means all
   */
  public JsonObject timeline(int minutes, String namespace) {
    return gateway.getTimelineDocument(minutes, namespace);
  }

  /**
   * @return as {@code tasker.group_failures}: what stands in error, grouped by template, step and
   * error
   */
  public JsonObject failures(JsonObject filter, int hours, int limit) {
    return gateway.groupFailures(filter, hours, limit);
  }

  /**
   * @return as {@code tasker.get_metrics_document}: the installation-wide metrics for a monitoring
   * system
   */
  public JsonObject metrics() {
    return gateway.getMetricsDocument();
  }

  /** @return as {@code tasker.get_metric_totals} */
  public JsonObject metricTotals(int templates) {
    return gateway.getMetricTotals(templates);
  }

  /** How many messages each queue has. */
  public Map<String, Long> queueDepths() {
    return SystemMeters.queueDepths(gateway.getMetricsDocument());
  }
}

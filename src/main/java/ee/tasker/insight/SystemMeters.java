package ee.tasker.insight;

import ee.tasker.platform.Json;
import ee.tasker.platform.config.Settings;
import ee.tasker.worker.Worker;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.ToDoubleFunction;

/**
 * Installation-wide metrics, read from the database at collection time and at most every five
 * seconds, plus the load of
 * this server's worker. Every server reports the same installation-wide values.
 */
@ApplicationScoped
public class SystemMeters implements MultiCollector {
  private static final long FRESH_NANOS = 5_000_000_000L;
  private static final String TEMPLATES = "templates";

  @Inject
  private Insight insight;

  @Inject
  private Worker worker;

  @Inject
  private Settings settings;

  private JsonObject figures;
  private long askedAt;

  /**
   * @throws RuntimeException when the database does not answer: no values are better than stale
   * ones
   */
  @Override
  public MetricSnapshots collect() {
    JsonObject now = figures();
    JsonObject health = now.getJsonObject("health");
    JsonObject database = now.getJsonObject("database");
    List<MetricSnapshot> all = new ArrayList<>();
    all.add(byState("tasker_tasks",
        "Number of tasks in each state, exact", health.getJsonObject("tasks")));
    all.add(byState("tasker_steps",
        "Number of steps in each state, exact", health.getJsonObject("steps")));
    all.add(gauge("tasker_health_score",
        "Health score from 0 to 1, from completed tasks, failures and free connections, as in the analytics",
        number(health, "health_score")));
    all.add(gauge("tasker_database_connections",
        "Client connections to the whole database server",
        number(health, "active_connections")));
    all.add(gauge("tasker_database_connections_max",
        "The connection limit of the database server",
        number(health, "max_connections")));
    all.add(byQueue("tasker_queue_depth",
        "Messages on each queue. With roles split over servers, orchestration_step_results carries results from workers to orchestrators",
        now, SystemMeters::depth));
    all.add(byQueue("tasker_queue_oldest_seconds",
        "Age of the oldest message on each queue", now,
        queue -> number(queue, "oldest_seconds")));
    all.add(gauge("tasker_steps_oldest_offer_seconds",
        "How long the oldest offer has waited for a worker: shows steps that are stuck in enqueued",
        number(now, "oldest_offer_seconds")));
    all.add(gauge("tasker_steps_unserved",
        "Offered steps whose handler no live worker serves. They wait, and fail after tasker.recovery.unserved-seconds",
        number(now, "unserved_steps")));
    all.add(gauge("tasker_tasks_overdue",
        "Tasks that have been due for more than a minute and that no server has processed: a server has stopped working, or none has the role orchestrator. Alert above 0",
        number(now, "overdue_tasks")));
    all.add(gauge("tasker_tasks_overdue_seconds",
        "How long the oldest overdue task has waited",
        number(now, "overdue_seconds")));
    all.add(
        gauge("tasker_tasks_past_sla",
            "Unfinished tasks, blocked ones included, that are older than the sla_minutes of their template",
            number(now, "tasks_past_sla")));
    all.add(gauge("tasker_dlq_pending_investigations",
        "Open dead letters",
        number(now, "dead_letters_pending")));
    all.add(gauge("tasker_servers",
        "Servers that are alive by their heartbeat",
        number(now, "servers")));
    JsonObject schedules = now.getJsonObject("schedules");
    all.add(gauge("tasker_schedules_active",
        "Schedules that are not paused",
        number(schedules, "active")));
    all.add(gauge("tasker_schedules_paused",
        "Paused schedules", number(schedules, "paused")));
    all.add(gauge("tasker_schedules_failing",
        "Schedules whose latest fire times failed, including those that were paused because of that",
        number(schedules, "failing")));
    all.add(gauge("tasker_schedules_overdue_seconds",
        "How long the most overdue schedule has waited for a server",
        number(schedules, "overdue_seconds")));
    all.add(counter("tasker_schedule_fires_started", "Fire times of schedules that started a task",
        number(schedules, "started")));
    all.add(counter("tasker_schedule_fires_skipped",
        "Fire times of schedules that were skipped because an earlier task had not ended",
        number(schedules, "skipped")));
    all.add(counter("tasker_schedule_fires_missed",
        "Fire times of schedules that passed while no server was up, and were not caught up",
        number(schedules, "missed")));
    all.add(counter("tasker_schedule_fires_failed",
        "Fire times of schedules whose task was refused",
        number(schedules, "failed")));
    all.add(byConsumer("tasker_event_consumer_waiting_seconds",
        "How long a consumer of domain events, such as the topic, has made no progress although there are events. Alert above some minutes: after seven days the purge stops waiting for it",
        now,
        "waiting_seconds"));
    all.add(byConsumer("tasker_event_consumer_failures",
        "Consecutive failed attempts to send to a consumer of domain events", now,
        "failures"));
    JsonObject webhooks = now.getJsonObject("webhooks");
    all.add(gauge("tasker_webhooks_active",
        "Webhooks that are not paused",
        number(webhooks, "active")));
    all.add(gauge("tasker_webhooks_paused",
        "Paused webhooks", number(webhooks, "paused")));
    all.add(gauge("tasker_webhooks_failing",
        "Webhooks whose latest attempt failed, including those that were paused because of that. Alert when it stays above 0",
        number(webhooks, "failing")));
    all.add(gauge("tasker_webhooks_behind",
        "How many positions of the feed the slowest active webhook has yet to read",
        number(webhooks, "behind")));
    all.add(gauge("tasker_webhook_open_deliveries",
        "Deliveries that wait or are in flight",
        number(webhooks, "open")));
    all.add(gauge("tasker_webhook_dead_letters",
        "Deliveries whose last attempt failed and that are kept. Alert above 0",
        number(webhooks, "dead_letters")));
    all.add(gauge("tasker_webhook_oldest_open_seconds",
        "Age of the oldest event that waits for an active webhook",
        number(webhooks, "oldest_open_seconds")));
    all.add(counter("tasker_webhook_deliveries_delivered",
        "Deliveries that a receiver accepted",
        number(webhooks, "delivered")));
    all.add(counter("tasker_webhook_deliveries_failed",
        "Attempts to deliver that failed",
        number(webhooks, "failed")));
    all.add(counter("tasker_webhook_deliveries_dead",
        "Deliveries whose last attempt failed",
        number(webhooks, "dead")));
    JsonObject retention = now.getJsonObject("retention");
    all.add(counter("tasker_retention_purged_tasks",
        "Tasks purged after their retention period",
        number(retention, "purged_tasks")));
    all.add(
        gauge("tasker_retention_oldest_task_seconds",
            "Age of the oldest stored task",
            number(retention, "oldest_task_seconds")));
    all.add(gauge("tasker_history_oldest_seconds",
        "Age of the oldest month of history, from its beginning",
        number(retention, "oldest_history_seconds")));
    all.add(gauge("tasker_history_months_ahead",
        "Future months that have a history partition: 2. Alert below 1",
        number(retention, "months_ahead")));
    all.add(gauge("tasker_history_default_in_use",
        "1 while the default partition, which is never dropped, contains history. Alert above 0",
        number(retention, "default_in_use")));
    all.add(counter("tasker_database_commits",
        "Commits in the database, reads included. Divided by the rate of tasker_steps_executions_total over all servers: commits per step",
        number(database, "commits")));
    all.add(counter("tasker_database_rollbacks",
        "Rollbacks in the database",
        number(database, "rollbacks")));
    all.add(counter("tasker_database_deadlocks",
        "Deadlocks in the database",
        number(database, "deadlocks")));
    all.add(counter("tasker_database_wal_bytes",
        "Bytes of write-ahead log that the database server has written",
        number(database, "wal_bytes")));
    all.addAll(new TemplateMeters(now.getJsonObject(TEMPLATES)).collect());
    return new MetricSnapshots(all);
  }

  /** The load of this server's worker. */
  public MetricSnapshots collectOwn() {
    List<MetricSnapshot> all = new ArrayList<>();
    all.add(gauge("tasker_worker_running_steps",
        "Steps that run on this server",
        worker.runningSteps()));
    all.add(gauge("tasker_worker_available_capacity",
        "Permits that are free: steps that this server could claim now",
        worker.availableCapacity()));
    all.add(gauge("tasker_worker_stuck_threads",
        "Threads that handlers still occupy although their step was abandoned. Alert when it stays above 0",
        worker.stuckThreads()));
    return new MetricSnapshots(all);
  }

  private synchronized JsonObject figures() {
    if (figures == null || System.nanoTime() - askedAt > FRESH_NANOS) {
      figures = null;
      figures = Json.build().createObjectBuilder(insight.metrics())
          .add(TEMPLATES, insight.metricTotals(settings.metricTemplates())).build();
      askedAt = System.nanoTime();
    }
    return figures;
  }

  private static double number(JsonObject document, String member) {
    return document.getJsonNumber(member).doubleValue();
  }

  private static GaugeSnapshot gauge(String name, String help, double value) {
    return GaugeSnapshot.builder().name(name).help(help).dataPoint(point(Labels.EMPTY, value))
        .build();
  }

  private static CounterSnapshot counter(String name, String help, double value) {
    return CounterSnapshot.builder().name(name).help(help)
        .dataPoint(CounterSnapshot.CounterDataPointSnapshot.builder().value(value).build()).build();
  }

  private static GaugeSnapshot byState(String name, String help, JsonObject counts) {
    GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
    counts.forEach((state, count) -> gauge
        .dataPoint(point(Labels.of("state", state), ((JsonNumber) count).doubleValue())));
    return gauge.build();
  }

  private static GaugeSnapshot byQueue(String name, String help, JsonObject document,
      ToDoubleFunction<JsonObject> figure) {
    GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
    forEachQueue(document, (queue, figures) -> gauge
        .dataPoint(point(Labels.of("queue", queue), figure.applyAsDouble(figures))));
    return gauge.build();
  }

  private static GaugeSnapshot byConsumer(String name, String help, JsonObject document,
      String figure) {
    GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
    document.getJsonArray("event_consumers").getValuesAs(JsonObject.class)
        .forEach(
            consumer -> gauge.dataPoint(point(Labels.of("consumer", consumer.getString("consumer")),
                number(consumer, figure))));
    return gauge.build();
  }

  /** @param document as {@link Insight#metrics} */
  static Map<String, Long> queueDepths(JsonObject document) {
    Map<String, Long> depths = new TreeMap<>();
    forEachQueue(document, (queue, figures) -> depths.put(queue, (long) depth(figures)));
    return depths;
  }

  private static void forEachQueue(JsonObject document, BiConsumer<String, JsonObject> action) {
    document.getJsonArray("queues").getValuesAs(JsonObject.class)
        .forEach(queue -> action.accept(queue.getString("queue"), queue));
  }

  private static double depth(JsonObject queue) {
    return number(queue, "length");
  }

  private static GaugeSnapshot.GaugeDataPointSnapshot point(Labels labels, double value) {
    return GaugeSnapshot.GaugeDataPointSnapshot.builder().labels(labels).value(value).build();
  }
}

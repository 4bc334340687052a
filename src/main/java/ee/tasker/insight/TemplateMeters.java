package ee.tasker.insight;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What each template has done since the installation, of all servers and workers together: the
 * database counts it every 30 seconds at the latest.
 */
final class TemplateMeters {
  private static final String NAMESPACE = "namespace";
  private static final String TEMPLATE = "template";

  private final double[] bounds;
  private final List<JsonObject> totals;

  /** @param document as {@code tasker.get_metric_totals} */
  TemplateMeters(JsonObject document) {
    this.bounds = document.getJsonArray("bounds").getValuesAs(JsonNumber.class).stream()
        .mapToDouble(JsonNumber::doubleValue).toArray();
    this.totals = document.getJsonArray("totals").getValuesAs(JsonObject.class);
  }

  List<MetricSnapshot> collect() {
    return List.of(
        byTemplate("tasker_task_duration_seconds",
            "From the creation of a task to its end, waits and time with operators included",
            "task"),
        byTemplate("tasker_step_duration_seconds",
            "How long attempts of steps took, those of workers outside the servers included",
            "step"),
        byTemplate("tasker_step_queue_wait_seconds",
            "How long an offered step waited until a worker claimed it; 0 when the server that finished the step before it ran it, too",
            "wait"),
        byTemplateAndState("tasker_tasks_ended_total", "Tasks that ended, by their state",
            "task"),
        byTemplateAndOutcome("tasker_step_results_total", "Results of steps, by outcome",
            "step"),
        counterByTemplate("tasker_step_retries_total",
            "Results of attempts that were not the first of their step", "retry"));
  }

  private HistogramSnapshot byTemplate(String name, String help, String metric) {
    Map<Labels, double[]> seconds = new TreeMap<>();
    Map<Labels, long[]> counts = new TreeMap<>();
    for (JsonObject total : totals) {
      if (metric.equals(total.getString("metric"))) {
        Labels labels = labels(total);
        counts.computeIfAbsent(labels, fresh -> new long[bounds.length + 1])[total
            .getInt("bucket") - 1] += events(total);
        seconds.computeIfAbsent(labels, fresh -> new double[1])[0] += total.getJsonNumber("seconds")
            .doubleValue();
      }
    }
    double[] upper = Arrays.copyOf(bounds, bounds.length + 1);
    upper[bounds.length] = Double.POSITIVE_INFINITY;
    HistogramSnapshot.Builder histogram = HistogramSnapshot.builder().name(name).help(help);
    counts.forEach((labels, events) -> {
      ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
      for (int i = 0; i < upper.length; i++) {
        buckets.bucket(upper[i], events[i]);
      }
      histogram.dataPoint(HistogramDataPointSnapshot.builder().labels(labels)
          .classicHistogramBuckets(buckets.build()).sum(seconds.get(labels)[0]).build());
    });
    return histogram.build();
  }

  private CounterSnapshot byTemplateAndState(String name, String help, String metric) {
    return byLabel(name, help, metric, "state");
  }

  private CounterSnapshot byTemplateAndOutcome(String name, String help, String metric) {
    return byLabel(name, help, metric, "outcome");
  }

  private CounterSnapshot byLabel(String name, String help, String metric, String label) {
    Map<Labels, Long> counts = new TreeMap<>();
    for (JsonObject total : totals) {
      if (metric.equals(total.getString("metric"))) {
        counts.merge(labels(total).add(label, total.getString("label")), events(total), Long::sum);
      }
    }
    return counter(name, help, counts);
  }

  /** Zero where a template has results and none of these. */
  private CounterSnapshot counterByTemplate(String name, String help, String metric) {
    Map<Labels, Long> counts = new TreeMap<>();
    for (JsonObject total : totals) {
      counts.merge(labels(total), metric.equals(total.getString("metric")) ? events(total) : 0,
          Long::sum);
    }
    return counter(name, help, counts);
  }

  private static CounterSnapshot counter(String name, String help, Map<Labels, Long> counts) {
    CounterSnapshot.Builder counter = CounterSnapshot.builder().name(name.replaceFirst("_total$",
        "")).help(help);
    counts.forEach((labels, events) -> counter
        .dataPoint(CounterDataPointSnapshot.builder().labels(labels).value(events).build()));
    return counter.build();
  }

  private static Labels labels(JsonObject total) {
    return Labels.of(NAMESPACE, total.getString(NAMESPACE), TEMPLATE, total.getString(TEMPLATE));
  }

  private static long events(JsonObject total) {
    return total.getJsonNumber("events").longValue();
  }
}

package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

@AgainstServer
class MetricsIT {
  private final TaskerClient tasker;

  MetricsIT(TaskerClient tasker) {
    this.tasker = tasker;
  }

  @Test
  void what_a_task_makes_this_server_do_is_counted() {
    tasker.register("/testing/templates.yaml");
    Answer before = tasker.get("/metrics");

    tasker.post("/v1/tasks?wait=30", TaskerClient.quoted(
        "{'namespace': 'testing', 'name': 'hello', 'version': '1.0.0', 'context': {'who': 'metrics'}}"));

    Answer after = tasker.get("/metrics");
    assertThat(after.status()).isEqualTo(200);
    assertThat(after.header("Content-Type")).startsWith("text/plain");
    assertThat(value(after, "tasker_steps_executions_total{outcome=\"success\"}"))
        .isGreaterThan(value(before, "tasker_steps_executions_total{outcome=\"success\"}"));
    assertThat(value(after, "tasker_database_calls_total"))
        .isGreaterThan(value(before, "tasker_database_calls_total"));
    assertThat(value(after, "tasker_database_connection_wait_seconds_count"))
        .isGreaterThan(value(before, "tasker_database_connection_wait_seconds_count"));
    assertThat(value(after, "tasker_database_up")).isEqualTo(1);
    for (String counter : List.of("tasker_tasks_requests_total", "tasker_tasks_completions_total",
        "tasker_steps_claimed_total",
        "tasker_task_initialization_duration_seconds_count",
        "tasker_step_result_submission_duration_seconds_count",
        "tasker_step_start_delay_seconds_count")) {
      assertThat(value(after, counter)).as(counter).isGreaterThan(value(before, counter));
    }
  }

  @Test
  void every_metric_of_the_documentation_is_there_and_no_label_is_a_uuid() throws Exception {
    // Figures of consumers are there with the first one.
    tasker.sql(
        "insert into tasker.event_consumers (name, position, progressed_at) values ('of_metrics', 0, now())");
    String body;
    try {
      tasker.register("/testing/templates.yaml");
      tasker.awaitTerminalOrBlocked(tasker.submit("hello", "{}"));
      TaskerClient.until("the consumer and the template are in the metrics",
          Duration.ofSeconds(30), () -> {
            tasker.sql("select tasker.roll_up_analytics()");
            String found = tasker.get("/metrics").body();
            return found.contains("\ntasker_event_consumer_failures")
                && found.contains("\ntasker_tasks_ended_total{");
          });
      body = tasker.get("/metrics").body();
    } finally {
      tasker.sql("delete from tasker.event_consumers where name = 'of_metrics'");
    }
    String metrics = Files.readString(Path.of("docs/reference/metrics.md"));
    List<String> documented = Pattern.compile("`(tasker_[a-z_]+)").matcher(metrics).results()
        .map(found -> found.group(1)).toList();
    assertThat(documented).isNotEmpty().allSatisfy(name -> assertThat(body).contains("\n" + name));
    assertThat(body).doesNotContainPattern("[0-9a-f]{8}-[0-9a-f]{4}-");
  }

  @Test
  void figures_of_a_server_and_of_the_system_can_be_asked_for_apart() {
    tasker.get("/metrics");
    String server = tasker.get("/metrics?of=server").body();
    String system = tasker.get("/metrics?of=system").body();

    assertThat(server).contains("\ntasker_steps_executions_total{", "\ntasker_build_info{version=",
        "\ntasker_worker_available_capacity ", "\njvm_memory_used_bytes{area=\"heap\"} ",
        "\ntasker_database_call_duration_seconds_bucket{",
        "\ntasker_database_function_seconds_count{function=\"get_metrics_document\"} ")
        .doesNotContain("\ntasker_tasks{", "\ntasker_database_up", "version=\"unknown\"", "${");
    assertThat(system).contains("\ntasker_tasks{", "\ntasker_database_up 1", "\ntasker_servers ")
        .doesNotContain("\ntasker_steps_executions_total", "\njvm_", "\ntasker_worker_");
    Answer refused = tasker.get("/metrics?of=both");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body()).contains("must be one of server, system");
  }

  @Test
  void requests_are_counted_by_method_and_status_also_those_that_another_thread_answers() {
    tasker.register("/testing/templates.yaml");
    String waiting = "tasker_http_request_duration_seconds_count{method=\"POST\",status=\"2xx\"}";
    String unknown = "tasker_http_request_duration_seconds_count{method=\"GET\",status=\"4xx\"}";
    Answer before = tasker.get("/metrics");

    assertThat(tasker.post("/v1/tasks?wait=30", TaskerClient.quoted("{'namespace': 'testing',"
        + " 'name': 'hello', 'version': '1.0.0', 'context': {'who': 'requests'}}")).status())
        .isBetween(200, 201);
    assertThat(tasker.get("/v1/tasks/" + UUID.randomUUID()).status()).isEqualTo(404);

    TaskerClient.until("both are counted", Duration.ofSeconds(10), () -> {
      Answer after = tasker.get("/metrics");
      return value(after, waiting) > value(before, waiting)
          && value(after, unknown) > value(before, unknown);
    });
  }

  private static double value(Answer metrics, String name) {
    return metrics.body().lines().filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1))).findFirst()
        .orElse(0);
  }
}

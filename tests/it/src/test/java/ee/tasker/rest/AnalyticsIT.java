package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import org.junit.jupiter.api.Test;

@AgainstServer
class AnalyticsIT {
  private final TaskerClient tasker;

  AnalyticsIT(TaskerClient tasker) {
    this.tasker = tasker;
  }

  @Test
  void a_task_that_completes_is_counted_at_once() {
    tasker.register("/testing/templates.yaml");
    int before = tasker.get("/v1/analytics/health").object().getJsonObject("tasks")
        .getInt("complete");
    int completed = tasker.get("/v1/analytics/performance?hours=2").object()
        .getInt("completed_tasks");

    tasker.post("/v1/tasks?wait=30", TaskerClient.quoted(
        "{'namespace': 'testing', 'name': 'hello', 'version': '1.0.0', 'context': {'who': 'analytics'}}"));

    JsonObject health = tasker.get("/v1/analytics/health").object();
    assertThat(health.getJsonObject("tasks").getInt("complete")).isEqualTo(before + 1);
    assertThat(health.getInt("total_tasks"))
        .isEqualTo(health.getJsonObject("tasks").values().stream()
            .mapToInt(count -> ((jakarta.json.JsonNumber) count).intValue()).sum());
    assertThat(tasker.get("/v1/analytics/performance?hours=2").object().getInt("completed_tasks"))
        .isEqualTo(completed + 1);
    assertThat(tasker.get("/v1/analytics/bottlenecks?min_executions=1&name=hello").object()
        .getJsonArray("slow_tasks")).isNotEmpty();
  }

  @Test
  void a_wrong_parameter_is_named() {
    assertThat(tasker.get("/v1/analytics/performance?hours=0").object().toString())
        .contains("hours", "from 1 to 840");
    assertThat(tasker.get("/v1/analytics/bottlenecks?limit=1000").object().toString())
        .contains("limit");
    assertThat(tasker.get("/v1/analytics/health?hours=1").object().toString())
        .contains("unknown parameter");
  }
}

package ee.tasker.insight;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Servers add checks of their own, and one of them writes every value as text. */
@AgainstServer
class HealthIT {
  private final TaskerClient tasker;

  HealthIT(TaskerClient tasker) {
    this.tasker = tasker;
  }

  @Test
  void every_check_says_what_it_saw() {
    Answer live = tasker.get("/health/live");
    Answer ready = tasker.get("/health/ready");
    Answer started = tasker.get("/health/started");

    assertThat(live.status()).isEqualTo(200);
    assertThat(checks(live)).containsKeys("poller", "heartbeat");
    assertThat(data(live, "poller")).containsKeys("last_poll", "silent_seconds",
        "interval_seconds");
    assertThat(data(live, "heartbeat")).containsKeys("silent_seconds", "interval_seconds");
    assertThat(ready.status()).isEqualTo(200);
    assertThat(checks(ready)).containsKeys("database", "listener", "worker");
    assertThat(data(ready, "database")).containsKeys("schema", "schema_expected", "servers",
        "answered_in_ms");
    assertThat(text(ready, "database", "schema"))
        .isEqualTo(text(ready, "database", "schema_expected"));
    assertThat(text(ready, "worker", "roles")).isEqualTo("api,orchestrator,worker");
    assertThat(data(ready, "worker")).containsKeys("server", "name", "capacity",
        "available_capacity", "running");
    assertThat(started.status()).isEqualTo(200);
    assertThat(text(started, "started", "templates_found")).isNotEqualTo("0");
    assertThat(text(started, "started", "templates_refused")).isEqualTo("0");
  }

  @Test
  void server_is_not_ready_for_an_older_schema_and_ready_for_a_newer_one() {
    pretendSchemaVersion("0001");
    try {
      Answer older = tasker.get("/health/ready");
      assertThat(older.status()).isEqualTo(503);
      assertThat(checks(older).get("database").getString("status")).isEqualTo("DOWN");
      assertThat(text(older, "database", "schema")).isEqualTo("0001");
    } finally {
      forgetPretence();
    }
    pretendSchemaVersion("9999");
    try {
      assertThat(tasker.get("/health/ready").status()).isEqualTo(200);
    } finally {
      forgetPretence();
    }
  }

  @Test
  void server_that_lost_its_listening_connection_stays_ready_and_gets_it_back() {
    TaskerClient.until("listening", Duration.ofSeconds(20), this::isListening);

    tasker.sql(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tasker-listener'");

    assertThat(tasker.get("/health/ready").status()).isEqualTo(200);
    TaskerClient.until("listening again", Duration.ofSeconds(20), this::isListening);
  }

  private boolean isListening() {
    return text(tasker.get("/health/ready"), "listener", "connected").equals("true");
  }

  private void pretendSchemaVersion(String version) {
    tasker.sql("""
        insert into tasker.flyway_schema_history (installed_rank, version, description, type, script, installed_by, execution_time, success)
        values (100000, ?, 'pretended', 'SQL', 'none', 'test', 0, true)""", version);
  }

  private void forgetPretence() {
    tasker.sql("delete from tasker.flyway_schema_history where installed_rank = 100000");
  }

  private static Map<String, JsonObject> checks(Answer answer) {
    return answer.object().getJsonArray("checks").getValuesAs(JsonObject.class).stream()
        .collect(Collectors.toMap(check -> check.getString("name"), Function.identity()));
  }

  private static JsonObject data(Answer answer, String check) {
    return checks(answer).get(check).getJsonObject("data");
  }

  private static String text(Answer answer, String check, String member) {
    JsonValue value = data(answer, check).get(member);
    return value instanceof JsonString string ? string.getString() : String.valueOf(value);
  }
}

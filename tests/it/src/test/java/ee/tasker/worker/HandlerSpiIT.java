package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a handler is promised, by handlers that look. */
@AgainstServer
class HandlerSpiIT {
  private final TaskerClient tasker;

  HandlerSpiIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
  }

  @Test
  void handler_sees_results_of_all_ancestors_and_of_no_other_step() {
    UUID task = tasker.submit("family", "{'year': 2000}");
    tasker.awaitTerminalOrBlocked(task);

    JsonObject child = tasker.steps(task).get("child").getJsonObject("result");
    assertThat(child.getJsonArray("ancestors").getValuesAs(JsonString::getString))
        .containsExactly("grandfather", "grandmother", "mother");
    assertThat(child.getJsonObject("results").keySet()).containsExactlyInAnyOrder("grandfather",
        "grandmother", "mother");
    assertThat(child.getJsonObject("results").getJsonObject("grandmother").getJsonObject("config")
        .getInt("born")).isEqualTo(1920);
    assertThat(child.getBoolean("sees_a_stranger")).isFalse();
  }

  @Test
  void handler_sees_its_configuration_the_context_and_who_it_is() {
    UUID task = tasker.submit("family", "{'year': 2000}");
    JsonObject described = tasker.awaitTerminalOrBlocked(task);

    JsonObject step = tasker.steps(task).get("child");
    JsonObject child = step.getJsonObject("result");
    assertThat(child.getJsonObject("config"))
        .hasToString("{\"born\":1980,\"names\":[\"a\",\"b\"],\"nested\":{\"deep\":true}}");
    assertThat(child.getJsonObject("input").getInt("year")).isEqualTo(2000);
    assertThat(child.getString("step")).isEqualTo("child");
    assertThat(child.getString("template")).isEqualTo("testing/family:1.0.0");
    assertThat(child.getInt("attempt")).isEqualTo(1);
    assertThat(child.getInt("max_attempts")).isEqualTo(3);
    assertThat(child.getString("token")).isEqualTo(step.getString("step_uuid"));
    assertThat(child.getString("correlation_id")).isEqualTo(described.getString("correlation_id"));
  }

  @Test
  void handler_of_an_added_step_sees_its_own_name_and_the_results_of_its_parents()
      throws SQLException {
    UUID task;
    try (Connection connection = tasker.connect()) {
      connection.setAutoCommit(false);
      task = (UUID) TaskerClient
          .sql(connection,
              "select tasker.submit_task('testing', 'family', '1.0.0', '{\"year\": 2000}') as task")
          .get(0).get("task");
      TaskerClient.sql(connection,
          "select tasker.add_steps(?, '[{\"name\": \"grandchild\", \"step\": \"child\"}]', "
              + "'[{\"from\": \"child\", \"to\": \"grandchild\"}]')::text",
          task);
      connection.commit();
    }

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    JsonObject added = tasker.steps(task).get("grandchild").getJsonObject("result");
    assertThat(added.getString("step")).isEqualTo("grandchild");
    assertThat(added.getJsonArray("ancestors").getValuesAs(JsonString::getString))
        .containsExactly("child", "grandfather", "grandmother", "mother");
    assertThat(added.getJsonObject("results").keySet()).containsExactlyInAnyOrder("child",
        "grandfather", "grandmother", "mother");
    assertThat(added.getJsonObject("results").getJsonObject("child").getString("step"))
        .isEqualTo("child");
  }

  @Test
  void checkpoint_of_one_attempt_is_there_for_the_next() {
    UUID task = tasker.submit("progress", "{}");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    JsonObject result = tasker.steps(task).get("count").getJsonObject("result");
    assertThat(result.getInt("counted")).isEqualTo(3);
    assertThat(result.getInt("attempt")).isEqualTo(3);
  }

  @Test
  void handler_that_takes_too_long_is_interrupted_and_what_it_then_returns_is_dropped() {
    UUID task = tasker.submit("hang", "{}");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("blocked_by_failures");
    JsonObject step = tasker.steps(task).get("hang");
    assertThat(step.getString("state")).isEqualTo("error");
    assertThat(step.getInt("attempts")).isEqualTo(2);
    assertThat(step.getJsonObject("error").getString("type")).isEqualTo("handler_timeout");
    TaskerClient.until("both attempts were interrupted", Duration.ofSeconds(10),
        () -> tasker.count(
            "select count(*) from testing.effects where task_uuid = ? and effect = 'interrupted'",
            task) == 2);
    assertThat(results(task)).containsExactly("retryable_failure", "retryable_failure");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      null                  | complete            | complete | 1 |                      |
      permanent             | blocked_by_failures | error    | 1 | Refused              | no and never
      retryable             | blocked_by_failures | error    | 2 | Busy                 | not now
      illegal argument      | blocked_by_failures | error    | 1 | ValidationError      | that is no number
      timeout               | blocked_by_failures | error    | 2 | TimeoutError         | took too long
      checked               | blocked_by_failures | error    | 2 | UnexpectedError      | java.io.IOException: the line is dead
      stack overflow        | blocked_by_failures | error    | 1 | handler_panic        | java.lang.StackOverflowError
      error                 | blocked_by_failures | error    | 1 | handler_panic        | java.lang.NoClassDefFoundError: com/example/Missing
      u+0000 in the result  | blocked_by_failures | error    | 1 | result_not_storable  |
      lone surrogate        | blocked_by_failures | error    | 1 | result_not_storable  |
      huge number           | blocked_by_failures | error    | 1 | result_not_storable  |
      u+0000 in the message | blocked_by_failures | error    | 1 | 'Bad '               | a b
      """)
  void every_handler_behaviour_has_its_documented_outcome(String way, String state,
      String stepState, int attempts, String type, String message) {
    UUID task = tasker.submit("fail", "{'way': '" + way + "'}");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo(state);
    JsonObject step = tasker.steps(task).get("fail");
    assertThat(step.getString("state")).isEqualTo(stepState);
    assertThat(step.getInt("attempts")).isEqualTo(attempts);
    if (type != null) {
      assertThat(step.getJsonObject("error").getString("type")).isEqualTo(type);
    }
    if (message != null) {
      assertThat(step.getJsonObject("error").getString("message")).isEqualTo(message);
    }
  }

  @Test
  void message_without_end_is_cut() {
    UUID task = tasker.submit("fail", "{'way': 'endless message'}");
    tasker.awaitTerminalOrBlocked(task);

    assertThat(tasker.steps(task).get("fail").getJsonObject("error").getString("message"))
        .startsWith("xxx").hasSizeLessThan(5_000);
  }

  @Test
  void result_that_cannot_be_stored_does_not_keep_the_others_of_its_batch_back() {
    List<String> requests = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      requests.add(
          TaskerClient.taskRequest("testing", "fail",
              "{'way': '" + (i % 6 == 0 ? "u+0000 in the result" : "") + "', 'i': " + i + "}"));
    }
    Answer created = tasker.post("/v1/tasks:batch", TaskerClient.quoted(requests.toString()));
    assertThat(created.status()).as(created.body()).isEqualTo(207);

    int index = 0;
    for (JsonObject verdict : created.list("verdicts")) {
      UUID task = UUID.fromString(verdict.getString("task_uuid"));
      assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
          .isEqualTo(index++ % 6 == 0 ? "blocked_by_failures" : "complete");
      assertThat(tasker.steps(task).get("fail").getInt("attempts")).isEqualTo(1);
    }
  }

  @Test
  void result_that_keeps_its_promise_is_accepted() {
    assertThat(tasker.awaitTerminalOrBlocked(tasker.submit("promise", "{'who': 'you'}"))
        .getString("state")).isEqualTo("complete");
  }

  @Test
  void result_that_breaks_its_schema_fails_the_step_permanently_and_is_kept() {
    UUID task = tasker.submit("promise", "{'who': 7}");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("blocked_by_failures");
    JsonObject step = tasker.steps(task).get("echo");
    assertThat(step.getInt("attempts")).isEqualTo(1);
    assertThat(step.getJsonObject("error").getString("type")).isEqualTo("result_schema_violation");
    assertThat(step.getJsonObject("error").getString("message")).startsWith("result/who: ");
    assertThat(step.getJsonObject("error").getJsonObject("result").getInt("who")).isEqualTo(7);
  }

  @Test
  void handler_is_found_by_its_names_its_class_a_method_and_a_resolver() {
    UUID task = tasker.submit("methods", "{'who': 'you'}");
    TaskerClient.until("what has a handler has run, and what is declined is offered again",
        Duration.ofSeconds(30), () -> {
          Map<String, JsonObject> now = tasker.steps(task);
          return List.of("shouted", "by_class_name", "resolved").stream()
              .allMatch(name -> "complete".equals(now.get(name).getString("state")))
              && tasker.count("""
              select count(*) from tasker.workflow_steps s
              join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
              where s.task_uuid = ? and n.name in ('no_such_method', 'no_outcome', 'unresolved')
                -- Twice where a claim was on its way while the worker declined.
                and s.state = 'enqueued' and s.handoffs in (2, 3) and s.attempts = 1""", task) == 3;
        });

    Map<String, JsonObject> steps = tasker.steps(task);
    assertThat(((JsonString) steps.get("shouted").get("result")).getString().replace(" ", ""))
        .isEqualTo("{\"WHO\":\"YOU\"}");
    assertThat(steps.get("by_class_name").getJsonObject("result").getString("who"))
        .isEqualTo("you");
    assertThat(((JsonString) steps.get("resolved").get("result")).getString()).isEqualTo("hello");
    for (String missing : List.of("no_such_method", "no_outcome", "unresolved",
        "no_such_resolver")) {
      assertThat(steps.get(missing).getString("state"))
          .as(missing + " waits for a worker that can run it").isEqualTo("enqueued");
    }
    assertThat(tasker.count("""
        select count(*) from tasker.workers where unable @> '{testing.Echo#sing}'"""))
        .as("it was seen that the bean lacks the method")
        .isEqualTo(1);
  }

  private List<String> results(UUID task) {
    return tasker.sql(
        "select outcome::text as outcome from tasker.workflow_step_result_audit where task_uuid = ? order by sort_key",
        task)
        .stream().map(row -> (String) row.get("outcome")).toList();
  }
}

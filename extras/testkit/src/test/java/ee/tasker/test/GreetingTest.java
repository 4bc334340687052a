package ee.tasker.test;

import static ee.tasker.test.TaskAssert.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepOutcome;
import jakarta.json.Json;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The example of docs/testing-workflows.md. */
@TaskerTest
class GreetingTest {
  private Workflow greeting;
  private int sent;

  @BeforeEach
  void workflow(Tasker tasker) {
    greeting = tasker.workflowResource("demo/greeting.yaml")
        .with("demo.Greet", GreetingTest::greet)
        .with("demo.Send", step -> {
          sent++;
          return StepOutcome.success();
        });
  }

  private static StepOutcome greet(StepContext step) {
    String text = step.config().getString("word") + ", " + step.input().getString("name") + "!";
    return StepOutcome.success(Json.createObjectBuilder().add("greeting", text).build());
  }

  @Test
  void greets_and_sends() {
    TaskRun task = greeting.submit("{\"name\": \"Ann\"}").run();

    assertThat(task).isComplete()
        .step("greet").hasAttempts(1).hasResult("{\"greeting\": \"Good morning, Ann!\"}")
        .step("send").isComplete();
  }

  @Test
  void tries_again_when_the_network_fails() {
    greeting.failing("send", 1,
        StepOutcome.retryableAfter(Duration.ofHours(6), "ServiceUnavailable", "come back later"));

    TaskRun task = greeting.submit("{\"name\": \"Ann\"}").run();

    assertThat(task).isComplete().step("send").hasAttempts(2);
  }

  @Test
  void sends_once_more_when_the_server_dies_at_the_wrong_moment() {
    greeting.crashingAfter("send", 1);

    assertThat(greeting.submit("{\"name\": \"Ann\"}").run()).isComplete();
    assertEquals(2, sent);
  }
}

package ee.tasker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.client.Operation;
import jakarta.json.JsonObject;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the command counts and refuses; its figures come from a real server in {@code CliIT}. */
class BenchTest {
  @TempDir
  private Path folder;
  private Program tasker;

  @BeforeEach
  void start() {
    tasker = new Program(folder.resolve("tasker"));
    submitted(201, "complete");
  }

  @AfterEach
  void close() {
    tasker.close();
  }

  private void submitted(int status, String state) {
    tasker.answer(Operation.SUBMIT_TASK, status, status < 400
        ? "{\"task_uuid\":\"01a1fc6e-c2c5-70dd-8baf-9fc43ba29188\",\"state\":\"" + state
            + "\",\"version\":\"1.0.0\",\"duplicate\":false}"
        : "{\"title\":\"Refused\",\"status\":" + status + ",\"code\":\"" + state + "\"}");
  }

  @Test
  void every_task_is_submitted_once_with_a_key_of_its_own() {
    assertThat(tasker.run("-o", "json", "bench", "a/b", "--set", "n=7", "--tasks", "20",
        "--connections", "3")).isEqualTo(Exit.DONE);

    assertThat(tasker.requests).hasSize(20).allSatisfy(request -> {
      assertThat(request.operation()).isEqualTo(Operation.SUBMIT_TASK);
      assertThat(request.query()).containsKey("wait");
      assertThat(
          Text.parse(request.body(), "body").asJsonObject().getJsonObject("context").getInt("n"))
          .isEqualTo(7);
    });
    assertThat(tasker.requests).extracting(
        request -> Text.parse(request.body(), "body").asJsonObject().getString("idempotency_key"))
        .doesNotHaveDuplicates();
    JsonObject answer = Text.parse(tasker.out, "answer").asJsonObject();
    assertThat(answer.getInt("tasks")).isEqualTo(20);
    assertThat(answer.getInt("accepted")).isEqualTo(20);
    assertThat(answer.getJsonObject("ends").getInt("complete")).isEqualTo(20);
    assertThat(answer.getJsonObject("milliseconds").getJsonNumber("p50").doubleValue())
        .isLessThanOrEqualTo(
            answer.getJsonObject("milliseconds").getJsonNumber("most").doubleValue());
  }

  @Test
  void a_key_that_is_given_makes_the_keys_of_its_tasks() {
    assertThat(tasker.run("bench", "a/b", "--tasks", "2", "--idempotency-key", "k"))
        .isEqualTo(Exit.DONE);

    assertThat(tasker.requests).extracting(
        request -> Text.parse(request.body(), "body").asJsonObject().getString("idempotency_key"))
        .containsExactlyInAnyOrder("k-0", "k-1");
  }

  @Test
  void due_tasks_are_submitted_at_their_rate() {
    assertThat(
        tasker.run("-o", "json", "bench", "a/b", "--tasks", "11", "--rate", "50", "--no-wait"))
        .isEqualTo(Exit.DONE);

    assertThat(tasker.requests).hasSize(11)
        .allSatisfy(request -> assertThat(request.query()).doesNotContainKey("wait"));
    // The last is due 10 / 50 s after the first.
    assertThat(
        Text.parse(tasker.out, "answer").asJsonObject().getJsonNumber("seconds").doubleValue())
        .isGreaterThanOrEqualTo(0.2);
  }

  @Test
  void task_that_does_not_complete_makes_a_difference() {
    submitted(201, "error");

    assertThat(tasker.run("bench", "a/b", "--tasks", "3")).isEqualTo(Exit.DIFFERS);
    assertThat(tasker.out).contains("error: 3");
  }

  @Test
  void task_that_was_only_accepted_is_enough_without_waiting() {
    submitted(201, "pending");

    assertThat(tasker.run("bench", "a/b", "--tasks", "3", "--no-wait")).isEqualTo(Exit.DONE);
    assertThat(tasker.run("bench", "a/b", "--tasks", "3")).isEqualTo(Exit.DIFFERS);
  }

  @Test
  void busy_server_is_counted() {
    submitted(409, "request-in-progress");

    assertThat(tasker.run("-o", "json", "bench", "a/b", "--tasks", "5")).isEqualTo(Exit.DIFFERS);
    JsonObject answer = Text.parse(tasker.out, "answer").asJsonObject();
    assertThat(answer.getInt("accepted")).isZero();
    assertThat(answer.getJsonObject("ends").getInt("request-in-progress")).isEqualTo(5);
    assertThat(answer).doesNotContainKey("milliseconds");
  }

  @ParameterizedTest
  @CsvSource({"404,unknown-template,3", "400,invalid-context,5", "403,not-permitted,7"})
  void refusal_that_would_come_again_ends_it(int status, String code, int exit) {
    submitted(status, code);

    assertThat(tasker.run("bench", "a/b", "--connections", "1")).isEqualTo(exit);
    assertThat(tasker.err).contains(code);
    assertThat(tasker.requests).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bench", "bench a/b --tasks 0", "bench a/b --connections 257",
    "bench a/b --rate 0", "bench a/b --tasks 1000001"})
  void wrong_command_line_is_told_and_nothing_is_sent(String line) {
    assertThat(tasker.run(line.split(" "))).isEqualTo(Exit.USAGE);
    assertThat(tasker.requests).isEmpty();
  }

  @Test
  void percentile_is_one_of_the_times() {
    long[] times = new long[200];
    for (int i = 0; i < times.length; i++) {
      times[i] = (i + 1) * 1_000_000L;
    }
    assertThat(Bench.percentile(times, 50)).isEqualTo(100);
    assertThat(Bench.percentile(times, 99)).isEqualTo(198);
    assertThat(Bench.percentile(new long[]{5_000_000}, 99)).isEqualTo(5);
  }
}

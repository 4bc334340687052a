package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import ee.tasker.dispatch.ClaimedSteps;
import ee.tasker.engine.model.Outcome;
import ee.tasker.handler.HttpFailures;
import ee.tasker.handler.PermanentStepException;
import ee.tasker.handler.RetryableStepException;
import ee.tasker.handler.StepOutcome;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepResult;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class OutcomesTest {
  private static final Duration TIME = Duration.ofMillis(7);

  static Stream<Arguments> exceptions() {
    return Stream.of(
        arguments(new PermanentStepException("Refused", "no"), false,
            StepOutcome.permanent("Refused", "no")),
        arguments(new PermanentStepException("Refused", null), false,
            StepOutcome.permanent("Refused", "PermanentStepException")),
        arguments(new RetryableStepException("Busy", "later"), false,
            StepOutcome.retryable("Busy", "later")),
        arguments(new RetryableStepException("Busy", "later", Duration.ofSeconds(3), null), false,
            StepOutcome.retryableAfter(Duration.ofSeconds(3), "Busy", "later")),
        arguments(new TimeoutException("slow"), false,
            StepOutcome.retryable("TimeoutError", "slow")),
        arguments(new IllegalArgumentException("bad"), false,
            StepOutcome.permanent("ValidationError", "bad")),
        arguments(new NumberFormatException("x"), false,
            StepOutcome.permanent("ValidationError", "x")),
        arguments(new IllegalStateException("odd"), false,
            StepOutcome.retryable("UnexpectedError", "java.lang.IllegalStateException: odd")),
        arguments(new IOException("line"), false,
            StepOutcome.retryable("UnexpectedError", "java.io.IOException: line")),
        arguments(new NullPointerException(), false,
            StepOutcome.retryable("UnexpectedError",
                "java.lang.NullPointerException: NullPointerException")),
        arguments(new CancellationException("stopped"), true, StepOutcome.cancelled("stopped")),
        arguments(new InterruptedException("stopped"), true, StepOutcome.cancelled("stopped")),
        arguments(new CancellationException("stopped"), false,
            StepOutcome.retryable("UnexpectedError",
                "java.util.concurrent.CancellationException: stopped")),
        arguments(new InterruptedException(), false,
            StepOutcome.retryable("UnexpectedError",
                "java.lang.InterruptedException: InterruptedException")),
        arguments(new PermanentStepException("Refused", "no"), true,
            StepOutcome.permanent("Refused", "no")),
        arguments(new TimeoutException("slow"), true,
            StepOutcome.retryable("TimeoutError", "slow")));
  }

  @ParameterizedTest
  @MethodSource("exceptions")
  void exception_means_what_the_handlers_contract_says(Exception thrown, boolean isCancelRequested,
      StepOutcome expected) {
    assertThat(Outcomes.ofException(thrown, isCancelRequested)).isEqualTo(expected);
  }

  @Test
  void success_carries_its_result() {
    StepResult result = result(ClaimedSteps.any(), StepOutcome.success(Json.createValue("done")));

    assertThat(result.outcome()).isEqualTo(Outcome.SUCCESS);
    assertThat(result.result()).isEqualTo(Json.createValue("done"));
    assertThat(result.error()).isEqualTo(JsonValue.NULL);
    assertThat(result.executionTime()).isEqualTo(TIME);
  }

  @Test
  void delay_is_given_in_milliseconds_and_may_be_years() {
    assertThat(result(ClaimedSteps.any(),
        StepOutcome.retryableAfter(Duration.ofMillis(1_500), "Busy", "m")).error().asJsonObject()
        .getInt("delay_ms")).isEqualTo(1_500);
    Duration tenYears = Duration.ofDays(3_650);
    assertThat(result(ClaimedSteps.any(), StepOutcome.retryableAfter(tenYears, "Busy", "m")).error()
        .asJsonObject()
        .getJsonNumber("delay_ms").longValueExact()).isEqualTo(315_360_000_000L);
    assertThat(
        result(ClaimedSteps.any(), StepOutcome.yield(tenYears)).yield().orElseThrow().after())
        .isEqualTo(tenYears);
    assertThat(
        result(ClaimedSteps.any(), StepOutcome.retryable("Busy", "m")).error().asJsonObject())
        .doesNotContainKey("delay_ms");
  }

  @Test
  void delay_that_cannot_be_is_refused_where_the_handler_builds_it() {
    for (Duration wrong : List.of(Duration.ofMillis(-1), Duration.ofDays(3_650).plusNanos(1),
        Duration.ofSeconds(Long.MAX_VALUE))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> StepOutcome.retryableAfter(wrong, "Busy", "m"))
          .withMessageContaining("delay must be from 0 to ten years");
      assertThatIllegalArgumentException().isThrownBy(() -> StepOutcome.yield(wrong))
          .withMessageContaining("after must be from 0");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new RetryableStepException("Busy", "m", wrong, null))
          .withMessageContaining("delay must be from 0");
    }
    assertThat(HttpFailures.of(503, "315360001", "m"))
        .contains(StepOutcome.retryable("Http503", "m"));
    assertThat(HttpFailures.of(503, "315360000", "m"))
        .contains(StepOutcome.retryableAfter(Duration.ofDays(3_650), "Http503", "m"));
  }

  @Test
  void result_must_fit_the_schema() {
    ClaimedStep step = ClaimedSteps.promising("{\"type\": \"object\", \"required\": [\"n\"]}");
    JsonObject good = Json.createObjectBuilder().add("n", 1).build();

    assertThat(result(step, StepOutcome.success(good)).outcome()).isEqualTo(Outcome.SUCCESS);
    StepResult refused = result(step, StepOutcome.success());
    assertThat(refused.outcome()).isEqualTo(Outcome.PERMANENT_FAILURE);
    assertThat(refused.error().asJsonObject().getString("type"))
        .isEqualTo("result_schema_violation");
    assertThat(refused.error().asJsonObject().get("result")).isEqualTo(JsonValue.EMPTY_JSON_OBJECT);
  }

  @Test
  void result_that_would_not_come_back_as_it_is_fails_the_step_before_the_database_sees_it() {
    for (String text : new String[]{"a\u0000", "\ud800"}) {
      StepResult result = result(ClaimedSteps.any(),
          StepOutcome.success(Json.createObjectBuilder().add("text", text).build()));
      assertThat(result.outcome()).isEqualTo(Outcome.PERMANENT_FAILURE);
      assertThat(result.error().asJsonObject().getString("type")).isEqualTo("result_not_storable");
    }
  }

  @Test
  void yield_carries_its_checkpoint_and_one_that_cannot_be_stored_fails_the_step() {
    StepResult result = result(ClaimedSteps.any(),
        StepOutcome.yield(Json.createValue("half way"), Duration.ofSeconds(2)));
    assertThat(result.toJson().getString("outcome") + " " + result.toJson().get("checkpoint") + " "
        + result.toJson().get("after_ms"))
        .isEqualTo("yielded \"half way\" 2000");
    assertThat(result(ClaimedSteps.any(), StepOutcome.yield(Duration.ZERO)).toJson()
        .containsKey("checkpoint")).isFalse();
    for (String text : new String[]{"a\u0000", "x".repeat(65_535)}) {
      StepResult refused = result(ClaimedSteps.any(), StepOutcome.yield(Json.createValue(text)));
      assertThat(refused.outcome()).isEqualTo(Outcome.PERMANENT_FAILURE);
      assertThat(refused.error().asJsonObject().getString("type"))
          .isEqualTo("checkpoint_not_storable");
    }
  }

  @Test
  void every_failure_text_can_be_stored() {
    StepResult result = result(ClaimedSteps.any(), new StepOutcome.PermanentFailure("Bad\u0000",
        "\ud800" + "x".repeat(10_000), Json.createObjectBuilder().add("a", "\u0000").build()));

    JsonObject error = result.error().asJsonObject();
    assertThat(error.getString("type")).isEqualTo("Bad ");
    assertThat(error.getString("message")).startsWith("?xxx").hasSizeLessThan(4_100);
    assertThat(error.toString()).doesNotContain("\\u0000");
  }

  @Test
  void message_is_not_cut_in_the_middle_of_a_character() {
    StepResult result = result(ClaimedSteps.any(),
        StepOutcome.permanent("T", "x" + "\ud83d\ude00".repeat(5_000)));

    assertThat(ee.tasker.platform.JsonbCheck.complaint(result.error())).isEmpty();
    assertThat(result.error().asJsonObject().getString("message"))
        .isEqualTo("x" + "\ud83d\ude00".repeat(1_999) + "…");
  }

  @Test
  void result_that_becomes_too_long_with_all_digits_is_not_storable() {
    var numbers = Json.createArrayBuilder();
    IntStream.range(0, 34_000).forEach(i -> numbers.add(new BigDecimal("1e999")));

    StepResult result = result(ClaimedSteps.any(), StepOutcome.success(numbers.build()));

    assertThat(result.error().asJsonObject().getString("type")).isEqualTo("result_not_storable");
    assertThat(result.error().asJsonObject().getString("message"))
        .startsWith("result must have at most 33554432 bytes");
  }

  private static StepResult result(ClaimedStep step, StepOutcome outcome) {
    return Outcomes.toResult(step, outcome, TIME);
  }
}

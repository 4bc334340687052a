package ee.tasker.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OutcomesOfHandlersTest {

  @ParameterizedTest
  @ValueSource(ints = {408, 425, 429, 500, 502, 503, 504, 599})
  void http_status_that_may_pass_is_retryable(int status) {
    assertThat(HttpFailures.of(status, null, "busy"))
        .contains(StepOutcome.retryable("Http" + status, "busy"));
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403, 404, 409, 410, 422, 501})
  void http_status_that_will_not_pass_is_permanent(int status) {
    assertThat(HttpFailures.of(status, "5", "no"))
        .contains(StepOutcome.permanent("Http" + status, "no"));
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 200, 204, 301, 399})
  void http_status_below_400_is_no_failure(int status) {
    assertThat(HttpFailures.of(status, null, "")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"7, 7", "' 7 ', 7", "0, 0", "315360000, 315360000"})
  void retry_after_in_seconds_is_honoured(String header, long seconds) {
    assertThat(HttpFailures.of(503, header, "busy"))
        .contains(StepOutcome.retryableAfter(Duration.ofSeconds(seconds), "Http503", "busy"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "1.5", "315360001", "9999999999", "soon",
    "Wed, 21 Oct 2026 07:28:00 GMT"})
  void retry_after_in_any_other_form_is_left_to_the_template(String header) {
    assertThat(HttpFailures.of(503, header, "busy"))
        .contains(StepOutcome.retryable("Http503", "busy"));
  }

  @Test
  void outcomes_refuse_what_they_cannot_mean() {
    assertThatThrownBy(() -> StepOutcome.success(null)).hasMessageContaining("result");
    assertThatThrownBy(() -> StepOutcome.retryable(" ", "m")).hasMessageContaining("errorType");
    assertThatThrownBy(() -> StepOutcome.permanent(null, "m")).hasMessageContaining("errorType");
    assertThatThrownBy(() -> StepOutcome.permanent("T", null)).hasMessageContaining("message");
    assertThatThrownBy(() -> StepOutcome.retryableAfter(Duration.ofSeconds(-1), "T", "m"))
        .hasMessageContaining("delay");
    assertThatThrownBy(() -> StepOutcome.cancelled(null)).hasMessageContaining("reason");
  }

  @Test
  void outcomes_are_values() {
    assertThat(StepOutcome.success())
        .isEqualTo(new StepOutcome.Success(JsonValue.EMPTY_JSON_OBJECT));
    assertThat(new StepOutcome.RetryableFailure("T", "m", Optional.empty()))
        .isEqualTo(StepOutcome.retryable("T", "m"));
  }
}

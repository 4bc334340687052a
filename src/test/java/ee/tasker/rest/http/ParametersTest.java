package ee.tasker.rest.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ee.tasker.platform.Problem;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParametersTest {

  @Test
  void number_is_read_within_its_bounds_or_defaulted() {
    assertThat(Parameters.number("limit", null, 25, 1, 100)).isEqualTo(25);
    assertThat(Parameters.number("limit", "1", 25, 1, 100)).isEqualTo(1);
    assertThat(Parameters.number("limit", "100", 25, 1, 100)).isEqualTo(100);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " 1", "0", "101", "-1", "1.0", "1e1", "ten", "99999999999", "１２x"})
  void number_that_is_none_or_out_of_bounds_is_named(String value) {
    Problem problem = catchThrowableOfType(Problem.class,
        () -> Parameters.number("limit", value, 25, 1, 100));

    assertThat(problem.violations())
        .containsExactly(new Problem.Violation("limit", "must be a whole number from 1 to 100"));
  }

  @ParameterizedTest
  @CsvSource({"9999-12-31T23:59:59.999999Z, true", "9999-12-31T23:59:59.9999991Z, false",
    "9999-12-31T23:59:59.9999999Z, false",
    "9999-12-31T23:59:59-01:00, false", "+10000-01-01T00:00:00Z, false",
    "0001-01-01T00:00:00Z, true", "0001-01-01T00:00:00+01:00, false",
    "2026-02-30T00:00:00Z, false", "2026-01-31T12:00:00, false", "infinity, false"})
  void time_is_one_that_can_be_read_again_when_the_database_has_rounded_it(String text,
      boolean isTime) {
    assertThat(Parameters.time(text).isPresent()).isEqualTo(isTime);
  }

  @Test
  void uuid_is_read_in_either_case() {
    UUID uuid = UUID.fromString("0190abcd-0000-7000-8000-00000000000f");

    assertThat(Parameters.uuid("task_uuid", uuid.toString().toUpperCase(java.util.Locale.ROOT)))
        .isEqualTo(uuid);
    assertThat(Parameters.optionalUuid("cursor", null)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "1-1-1-1-1", "0190abcd00007000800000000000000f",
    "0190abcd-0000-7000-8000-00000000000g",
    " 0190abcd-0000-7000-8000-00000000000f"})
  void uuid_in_any_other_form_is_named(String value) {
    assertThat(catchThrowableOfType(Problem.class, () -> Parameters.uuid("task_uuid", value))
        .violations().get(0).field())
        .isEqualTo("task_uuid");
  }
}

package ee.tasker.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Local times by a cron expression. */
class CronExpressionTest {
  private static List<String> first(int count, String expression, String after) {
    List<String> times = new ArrayList<>();
    CronExpression cron = CronExpression.parse(expression);
    for (Optional<LocalDateTime> time = cron.next(LocalDateTime.parse(after)); time.isPresent()
        && times.size() < count; time = cron.next(time.get())) {
      times.add(time.get().toString());
    }
    return times;
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "*/15 9-10 * * 1-5 | 2026-01-02T10:45 | 2026-01-05T09:00",
    "0 0 29 2 * | 2026-01-01T00:00 | 2028-02-29T00:00",
    "30 6 31 * * | 2026-01-31T06:30 | 2026-03-31T06:30",
    "0 12 * * 0 | 2026-01-01T00:00 | 2026-01-04T12:00",
    "0 12 * * 7 | 2026-01-01T00:00 | 2026-01-04T12:00",
    "0 12 1 jan,jul * | 2026-01-02T00:00 | 2026-07-01T12:00",
    "59 23 31 12 * | 2026-12-31T23:59 | 2027-12-31T23:59",
    "@daily | 2026-01-01T00:00 | 2026-01-02T00:00",
    "@Hourly | 2026-01-01T00:00 | 2026-01-01T01:00",
    "@weekly | 2026-01-01T00:00 | 2026-01-04T00:00",
    "@monthly | 2026-01-01T00:00 | 2026-02-01T00:00",
    "@yearly | 2026-01-01T00:00 | 2027-01-01T00:00",
    "0 0 * * * | 2025-12-31T23:59:59.999999999 | 2026-01-01T00:00"})
  void the_next_local_time_is_strictly_later(String expression, String after, String next) {
    assertThat(first(1, expression, after)).containsExactly(next);
  }

  @Test
  void when_both_days_are_restricted_either_suffices() {
    assertThat(first(5, "0 0 13 * 5", "2026-02-05T12:00")).containsExactly("2026-02-06T00:00",
        "2026-02-13T00:00", "2026-02-20T00:00",
        "2026-02-27T00:00", "2026-03-06T00:00");
    assertThat(first(3, "0 0 15 * 1", "2026-04-10T00:00")).as("the 15th is a Wednesday")
        .containsExactly("2026-04-13T00:00",
            "2026-04-15T00:00", "2026-04-20T00:00");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|',
      value = {"SUN-THU | 0 1 2 3 4", "SUN-7 | 0 1 2 3 4 5 6", "0-SUN | 0", "0-7 | 0 1 2 3 4 5 6",
        "FRI-SUN | 0 5 6",
        "fri-7 | 0 5 6", "5-0 | 0 5 6", "5-7 | 0 5 6", "7-2 | 0 1 2", "Sun-Sun | 0", "7-7 | 0",
        "7 | 0", "SUN-SAT/2 | 0 2 4 6",
        "MON-SUN/3 | 0 1 4", "SUN-MON,FRI-SUN | 0 1 5 6", "sat,SUN-1 | 0 1 6",
        "mon-fri | 1 2 3 4 5"})
  void a_range_of_days_may_begin_and_end_with_sunday(String days, String expected) {
    assertThat(first(expected.split(" ").length, "0 0 * * " + days, "2026-01-03T12:00").stream()
        .map(time -> Integer.toString(LocalDateTime.parse(time).getDayOfWeek().getValue() % 7))
        .collect(Collectors.joining(" ")))
        .isEqualTo(expected);
  }

  @Test
  void names_mean_the_same_in_every_locale() {
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.forLanguageTag("tr-TR"));
      assertThat(first(2, "17 3 * apr-jun,dec fri", "2026-01-01T00:00"))
          .containsExactly("2026-04-03T03:17", "2026-04-10T03:17");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void a_time_that_never_comes_is_empty() {
    assertThat(first(1, "0 0 31 2 *", "2026-01-01T00:00")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "* * * *", "* * * * * *", "61 * * * *", "* 24 * * *", "* * 0 * *",
    "* * * 13 *", "* * * * 8", "@reboot",
    "@every 5m", "a b c d e", "*/0 * * * *", "0 0 */2 * 1", "5-1 * * * *", "0 0 * * FRI-MON",
    "0 0 * * SUNDAY", "0 0 * * JAN",
    "0 0 * SUN *", "0 0 L * *"})
  void what_is_no_expression_is_refused_with_a_message(String expression) {
    assertThatThrownBy(() -> CronExpression.parse(expression))
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(problem -> assertThat(problem.getMessage()).isNotBlank());
  }

  @Test
  void only_a_wildcard_or_a_step_over_all_hours_is_every_hour() {
    assertThat(CronExpression.parse("0 * * * *").isEveryHour()).isTrue();
    assertThat(CronExpression.parse("0 */2 * * *").isEveryHour()).isTrue();
    assertThat(CronExpression.parse("0 0-23 * * *").isEveryHour()).isFalse();
    assertThat(CronExpression.parse("0 2 * * *").isEveryHour()).isFalse();
  }
}

package ee.tasker.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Cron expressions against a calendar that tries every day. The expression is built together with
 * the values that it stands for, so that no
 * second parser can be wrong in the same way. A failure prints its seed.
 */
class CronExpressionPropertiesTest {
  private static final List<String> MONTHS = List.of("jan", "feb", "mar", "apr", "may", "jun",
      "jul", "aug", "sep", "oct", "nov", "dec");
  private static final List<String> DAYS = List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");
  /** A leap day comes again within eight years, but for the end of a century. */
  private static final int MOST_DAYS = 366 * 9;

  private record Field(String text, TreeSet<Integer> values) {
    boolean isRestricted() {
      return !"*".equals(text);
    }
  }

  private record Expression(Field minute, Field hour, Field day, Field month, Field weekday) {
    String text() {
      return String.join(" ", minute.text, hour.text, day.text, month.text, weekday.text);
    }

    /** What crontab says itself is confusing: it is refused. */
    boolean isRefused() {
      return day.isRestricted() && weekday.isRestricted()
          && (day.text.startsWith("*") || weekday.text.startsWith("*"));
    }

    private boolean isOn(LocalDate date) {
      boolean onDay = day.values.contains(date.getDayOfMonth());
      boolean onWeekday = weekday.values.contains(date.getDayOfWeek().getValue() % 7);
      return month.values.contains(date.getMonthValue())
          && (day.isRestricted() && weekday.isRestricted() ? onDay || onWeekday
              : onDay && onWeekday);
    }

    Optional<LocalDateTime> next(LocalDateTime after) {
      for (int ahead = 0; ahead < MOST_DAYS; ahead++) {
        LocalDate date = after.toLocalDate().plusDays(ahead);
        if (isOn(date)) {
          for (int hour : hour.values) {
            for (int minute : minute.values) {
              LocalDateTime time = date.atTime(LocalTime.of(hour, minute));
              if (time.isAfter(after)) {
                return Optional.of(time);
              }
            }
          }
        }
      }
      return Optional.empty();
    }
  }

  /** Writes one field and collects its values; Sunday is 0 in them, however it is written. */
  private record Writer(Random random, int least, int most, List<String> names) {
    Field field() {
      TreeSet<Integer> values = new TreeSet<>();
      if (random.nextInt(4) == 0) {
        int step = random.nextInt(3) == 0 ? 1 + random.nextInt(most) : 1;
        add(values, least, most, step);
        return new Field(step == 1 ? "*" : "*/" + step, values);
      }
      List<String> parts = new ArrayList<>();
      for (int n = random.nextInt(3); n >= 0; n--) {
        parts.add(part(values));
      }
      return new Field(String.join(",", parts), values);
    }

    private String part(TreeSet<Integer> values) {
      int first = least + random.nextInt(most - least + 1);
      if (random.nextInt(3) == 0) {
        values.add(first);
        return written(first, true);
      }
      int last = first + random.nextInt(most - first + (isWeek() ? 2 : 1));
      int step = random.nextInt(3) == 0 ? 1 + random.nextInt(most) : 1;
      add(values, first, last, step);
      // From Sunday to Sunday is Sunday for names, which are one number, and the whole week from 0
      // to 7.
      boolean isWhole = isWeek() && first == 0 && last == 7;
      return written(first, last < 7) + "-" + (isWhole ? "7" : written(last, first > 0))
          + (step == 1 ? "" : "/" + step);
    }

    private boolean isWeek() {
      return names == DAYS;
    }

    private void add(TreeSet<Integer> values, int first, int last, int step) {
      for (int value = first; value <= last; value += step) {
        values.add(isWeek() ? value % 7 : value);
      }
    }

    /** @param isFree whether Sunday may be written as either of its numbers here */
    private String written(int value, boolean isFree) {
      if (names.isEmpty() || random.nextBoolean()) {
        return Integer
            .toString(isWeek() && isFree && value % 7 == 0 ? random.nextInt(2) * 7 : value);
      }
      String name = names.get(isWeek() ? value % 7 : value - least);
      return random.nextBoolean() ? name : name.toUpperCase(Locale.ROOT);
    }
  }

  private static Expression expression(Random random) {
    return new Expression(new Writer(random, 0, 59, List.of()).field(),
        new Writer(random, 0, 23, List.of()).field(),
        new Writer(random, 1, 31, List.of()).field(), new Writer(random, 1, 12, MONTHS).field(),
        new Writer(random, 0, 6, DAYS).field());
  }

  @Property(tries = 2_000, shrinking = ShrinkingMode.OFF)
  void the_next_local_time_is_that_of_a_calendar_that_tries_every_day(@ForAll long seed) {
    Random random = new Random(seed);
    Expression expression = expression(random);
    LocalDateTime after = LocalDateTime.of(2024 + random.nextInt(20), 1, 1, 0, 0)
        .plusMinutes(random.nextInt(366 * 24 * 60))
        .plusNanos(random.nextInt(2) * 59_999_999_999L);

    if (expression.isRefused()) {
      assertThatThrownBy(() -> CronExpression.parse(expression.text()))
          .hasMessageContaining("use two schedules");
    } else {
      assertThat(CronExpression.parse(expression.text()).next(after))
          .as("%s after %s, seed %s", expression.text(), after, seed)
          .isEqualTo(expression.next(after));
    }
  }
}

package ee.tasker.cli.convert;

import java.time.Duration;
import java.time.Period;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/** Durations of models. */
final class Durations {
  private Durations() {}

  static Optional<Long> milliseconds(String duration) {
    try {
      return Optional.of(Duration.parse(duration).toMillis());
    } catch (DateTimeParseException | ArithmeticException e) {
      return Optional.empty();
    }
  }

  /** A duration as templates have it: without weeks and fractions. */
  static Optional<String> iso(String text) {
    int time = text.indexOf('T');
    try {
      Period date = time == 1 ? Period.ZERO
          : Period.parse(time < 0 ? text : text.substring(0, time));
      Duration clock = time < 0 ? Duration.ZERO : Duration.parse("P" + text.substring(time));
      if (date.isNegative() || clock.isNegative() || clock.getNano() != 0
          || date.toTotalMonths() > 119 || date.getDays() > 3_600 || clock.toDays() > 3_600) {
        return Optional.empty();
      }
      return Optional.of(text.contains("W") ? "P" + date.getDays() + "D" : text);
    } catch (DateTimeParseException | ArithmeticException e) {
      return Optional.empty();
    }
  }
}

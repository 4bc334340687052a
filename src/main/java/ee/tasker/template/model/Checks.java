package ee.tasker.template.model;

import java.util.OptionalInt;

/** The messages with which the constructors of this package reject a value. */
final class Checks {
  private Checks() {}

  static void require(boolean holds, String sentence) {
    if (!holds) {
      throw new IllegalArgumentException(sentence);
    }
  }

  static void text(String value, String field, int maxLength) {
    require(value != null && !value.isBlank() && value.length() <= maxLength,
        field + " must have 1 to " + maxLength + " characters and must not be blank");
  }

  static void range(int value, String field, int min, int max) {
    require(value >= min && value <= max,
        field + " must be between " + min + " and " + max + ", but is " + value);
  }

  static void range(OptionalInt value, String field, int min, int max) {
    require(value != null, field + " must not be null: use OptionalInt.empty()");
    value.ifPresent(number -> range(number, field, min, max));
  }

  static void present(Object value, String field) {
    require(value != null, field + " must not be null");
  }
}

package ee.tasker.rest.http;

import ee.tasker.platform.Members;
import ee.tasker.platform.Problem;
import ee.tasker.platform.StorableTime;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/** Reads parameters and names the invalid one. */
public final class Parameters {
  private Parameters() {
  }

  /** @throws Problem 400 with the name, when the value is not a uuid */
  public static UUID uuid(String name, String value) {
    if (!Members.isUuid(value)) {
      throw Problem.invalid(name, "must be a uuid");
    }
    return UUID.fromString(value);
  }

  /** Null when absent; otherwise as {@link #uuid}. */
  public static UUID optionalUuid(String name, String value) {
    return value == null ? null : uuid(name, value);
  }

  /** @throws Problem 400 with the name, when the value is not a whole number in these bounds */
  public static int number(String name, String value, int fallback, int least, int most) {
    if (value == null) {
      return fallback;
    }
    try {
      int number = Integer.parseInt(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Reported below, like a number out of range.
    }
    throw Problem.invalid(name, "must be a whole number from " + least + " to " + most);
  }

  /** Empty when the text is not a time that the database can store. */
  public static Optional<Instant> time(String text) {
    return StorableTime.parse(text);
  }
}

package ee.tasker.platform;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/**
 * The times that a caller may give: in UTC, of the years 0001 to 9999, also after PostgreSQL has
 * rounded them to
 * microseconds. Other years have more digits, or an era, and could not be read again.
 */
public final class StorableTime {
  public static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
  public static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999Z");

  private StorableTime() {
  }

  public static boolean isStorable(Instant time) {
    return !time.isBefore(FIRST) && !time.isAfter(LAST);
  }

  /**
   * Empty when the text is not a time with an offset, or not such a time. The database accepts
   * fewer offsets than Java.
   */
  public static Optional<Instant> parse(String text) {
    try {
      return Optional.of(OffsetDateTime.parse(text).toInstant()).filter(StorableTime::isStorable);
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}

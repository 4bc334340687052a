package ee.tasker.event;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A position in the event log: all moves of transactions below {@code from} have been sent, and of
 * those below {@code
 * until} the ones up to {@code last}. As text it is the id of an event, or {@code from} alone.
 *
 * @param until zero, with {@code last} absent, at the bound itself
 */
record Position(long from, long until, Optional<Last> last) {
  /** The beginning of history. */
  static final Position BEGINNING = at(0);

  private static final Pattern BOUND = Pattern.compile("\\d{1,18}");
  private static final Pattern EVENT = Pattern
      .compile(
          "(\\d{1,18})-(\\d{1,18})-(\\d{1,17})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-(\\d{1,9})");

  /** The last event that was sent. */
  record Last(Instant at, UUID moverUuid, int sortKey) {
  }

  static Position at(long bound) {
    return new Position(bound, 0, Optional.empty());
  }

  /** @return empty when the text is not a position */
  static Optional<Position> parse(String id) {
    if (BOUND.matcher(id).matches()) {
      return Optional.of(at(Long.parseLong(id)));
    }
    Matcher event = EVENT.matcher(id);
    if (!event.matches() || Long.parseLong(event.group(1)) >= Long.parseLong(event.group(2))) {
      return Optional.empty();
    }
    Instant at = Instant.EPOCH.plus(Long.parseLong(event.group(3)), ChronoUnit.MICROS);
    return Optional.of(new Position(Long.parseLong(event.group(1)), Long.parseLong(event.group(2)),
        Optional
            .of(new Last(at, UUID.fromString(event.group(4)), Integer.parseInt(event.group(5))))));
  }

  boolean isWithin() {
    return last.isPresent();
  }

  /** The first bound that has not been sent. */
  long next() {
    return isWithin() ? until : from;
  }
}

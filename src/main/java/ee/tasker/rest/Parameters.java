package ee.tasker.rest;

import ee.tasker.platform.JsonbCheck;
import ee.tasker.platform.Problem;
import ee.tasker.platform.StorableTime;
import jakarta.ws.rs.core.UriInfo;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/** Reads parameters and names the invalid one. */
final class Parameters {
  private static final Pattern UUID_FORM = Pattern
      .compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private Parameters() {
  }

  static boolean isUuid(String value) {
    return value != null && UUID_FORM.matcher(value).matches();
  }

  static UUID uuid(String name, String value) {
    if (!isUuid(value)) {
      throw Problem.invalid(name, "must be a uuid");
    }
    return UUID.fromString(value);
  }

  static UUID optionalUuid(String name, String value) {
    return value == null ? null : uuid(name, value);
  }

  static int number(String name, String value, int fallback, int least, int most) {
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
  static Optional<Instant> time(String text) {
    return StorableTime.parse(text);
  }

  /** Rejects parameters that are unknown, repeated, or not storable as text in the database. */
  static void checkKnown(UriInfo uri, Set<String> known) {
    checkKnown(uri, known, Set.of());
  }

  /** @param repeatable the known parameters that may be repeated */
  static void checkKnown(UriInfo uri, Set<String> known, Set<String> repeatable) {
    uri.getQueryParameters().forEach((name, values) -> {
      if (values.size() > 1 && !repeatable.contains(name)) {
        throw Problem.invalid(name, "must be given once");
      }
      values.forEach(value -> JsonbCheck.complaint(value).ifPresent(complaint -> {
        throw Problem.invalid(name, complaint);
      }));
    });
    uri.getPathParameters().forEach((name, values) -> values
        .forEach(value -> JsonbCheck.complaint(value).ifPresent(complaint -> {
          throw Problem.invalid(name, complaint);
        })));
    uri.getQueryParameters().keySet().stream().filter(name -> !known.contains(name)).sorted()
        .findFirst().ifPresent(name -> {
          throw Problem.invalid(name, "unknown parameter");
        });
  }
}

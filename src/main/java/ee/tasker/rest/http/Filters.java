package ee.tasker.rest.http;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import jakarta.json.JsonObjectBuilder;
import java.util.Set;
import java.util.TreeSet;

/**
 * Adds parameters of a request to the filter of a list, as the functions of the database read it;
 * those that are missing are left out.
 */
public final class Filters {
  /** The values of a parameter that is a flag. */
  public static final Set<String> FLAG = Set.of("true", "false");
  /** Nothing that a list can be filtered by is longer. */
  static final int LONGEST = 1_000;

  private Filters() {
  }

  /** @throws Problem 400 with the name, when the value is longer than what it could find */
  public static void add(JsonObjectBuilder filter, String name, String value) {
    if (value != null) {
      filter.add(name, bounded(name, value));
    }
  }

  /** Of what has a name and can be paused and fail: schedules and webhooks. */
  public static JsonObjectBuilder ofPausable(String namespace, String name, String paused,
      String failing) {
    JsonObjectBuilder filter = Json.build().createObjectBuilder();
    add(filter, "namespace", namespace);
    add(filter, "name", name);
    addWord(filter, "paused", paused, FLAG);
    addWord(filter, "failing", failing, FLAG);
    return filter;
  }

  /** @throws Problem 400 with the name, when the value is longer than what it could find */
  public static String bounded(String name, String value) {
    if (value != null && value.length() > LONGEST) {
      throw Problem.invalid(name, "must have at most " + LONGEST + " characters");
    }
    return value;
  }

  /** @param words the values that it may have */
  public static void addWord(JsonObjectBuilder filter, String name, String value,
      Set<String> words) {
    if (value != null && !words.contains(value)) {
      throw Problem.invalid(name, "must be one of " + String.join(", ", new TreeSet<>(words)));
    }
    add(filter, name, value);
  }

  /** @param parameter what the request calls it, for the problem */
  public static void addUuid(JsonObjectBuilder filter, String parameter, String name,
      String value) {
    if (value != null) {
      filter.add(name, Parameters.uuid(parameter, value).toString());
    }
  }
}

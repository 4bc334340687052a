package ee.tasker.samples;

import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Compares the result of a task with an {@code expected.json}:
 * <pre>{"state": "complete", "steps": {"a_step": {"state": "complete", "attempts": 1, "result": {…}, "mentions": […]}}}
 * </pre>
 *
 * <p>Only the given members are compared. Every expected key of an object must match; arrays match
 * in length and element by
 * element; numbers by value, so that 1.0 is 1.00; the text {@code "*"} matches any value. {@code
 * mentions} lists texts that
 * the step's answer must contain somewhere, for instance in its error. A step that is null must not
 * have been created.
 */
public final class Expectation {
  private static final String ANY = "*";

  private Expectation() {
  }

  /**
   * @param steps of the task as the server returns them, with {@code name}, {@code state}, {@code
   *   attempts} and
   *     {@code result}
   * @return a sentence for each difference; empty when everything matches
   */
  public static List<String> differences(JsonObject expected, String state, JsonArray steps) {
    List<String> differences = new ArrayList<>();
    if (!expected.getString("state").equals(state)) {
      differences.add("state: expected " + expected.getString("state") + ", but was " + state);
    }
    for (Map.Entry<String, JsonValue> each : expected.getJsonObject("steps").entrySet()) {
      Optional<JsonObject> actual = step(steps, each.getKey());
      if (each.getValue() == JsonValue.NULL) {
        actual.ifPresent(step -> differences
            .add(each.getKey() + ": expected no such step, but it is " + step.getString("state")));
      } else if (actual.isEmpty()) {
        differences.add(each.getKey() + ": there is no such step");
      } else {
        compareStep(each.getKey(), each.getValue().asJsonObject(), actual.get(), differences);
      }
    }
    return List.copyOf(differences);
  }

  /** The same for the output of the task, {@code "output": {…}}. */
  static List<String> outputDifferences(JsonObject expected, JsonObject task) {
    List<String> differences = new ArrayList<>();
    compare("output", expected.get("output"), task.get("output"), differences);
    return differences;
  }

  static Optional<JsonObject> step(JsonArray steps, String name) {
    return steps.getValuesAs(JsonObject.class).stream()
        .filter(step -> step.getString("name").equals(name))
        .findFirst();
  }

  private static void compareStep(String name, JsonObject expected, JsonObject actual,
      List<String> differences) {
    compare(name + ".state", expected.get("state"), actual.get("state"), differences);
    if (expected.containsKey("attempts")) {
      compare(name + ".attempts", expected.get("attempts"), actual.get("attempts"), differences);
    }
    if (expected.containsKey("result")) {
      compare(name + ".result", expected.get("result"), actual.get("result"), differences);
    }
    if (expected.containsKey("mentions")) {
      for (JsonString text : expected.getJsonArray("mentions").getValuesAs(JsonString.class)) {
        if (!actual.toString().contains(text.getString())) {
          differences
              .add(name + ": expected a mention of \"" + text.getString() + "\" in " + actual);
        }
      }
    }
  }

  private static void compare(String path, JsonValue expected, JsonValue actual,
      List<String> differences) {
    if (expected instanceof JsonString text && text.getString().equals(ANY)) {
      if (actual == null || actual.getValueType() == JsonValue.ValueType.NULL) {
        differences.add(path + ": expected any value, but there is none");
      }
    } else if (expected instanceof JsonObject object && actual instanceof JsonObject other) {
      object.forEach((key, value) -> compare(path + "." + key, value, other.get(key), differences));
    } else if (expected instanceof JsonArray array && actual instanceof JsonArray other) {
      if (array.size() != other.size()) {
        differences
            .add(path + ": expected " + array.size() + " elements, but were " + other.size());
        return;
      }
      for (int i = 0; i < array.size(); i++) {
        compare(path + "[" + i + "]", array.get(i), other.get(i), differences);
      }
    } else if (!isSame(expected, actual)) {
      differences.add(path + ": expected " + expected + ", but was " + actual);
    }
  }

  private static boolean isSame(JsonValue expected, JsonValue actual) {
    if (expected instanceof JsonNumber number && actual instanceof JsonNumber other) {
      return number.bigDecimalValue().compareTo(other.bigDecimalValue()) == 0;
    }
    return Objects.equals(expected, actual);
  }
}

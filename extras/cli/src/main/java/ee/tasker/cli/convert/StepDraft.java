package ee.tasker.cli.convert;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A step of a template that is being made. */
final class StepDraft {
  /** The order in which the keys are written. */
  private static final List<String> KEYS = List.of("name", "description", "type", "on_none",
      "dependencies", "rules", "otherwise", "handler", "task", "wait", "signal", "approval",
      "batch_config", "retry", "timeout_seconds", "publishes_events", "compensation");

  /**
   * A way out of a decision, which is chosen under a condition; null for what is chosen when none
   * holds.
   */
  record Rule(String when, List<Integer> options) {
  }

  private final String name;
  private final Map<String, Object> keys = new LinkedHashMap<>();
  private final List<String> dependencies = new ArrayList<>();
  private final List<Rule> rules = new ArrayList<>();
  private final Map<Integer, List<String>> targets = new TreeMap<>();
  private boolean isConditional;

  StepDraft(String name) {
    this.name = name;
    keys.put("name", name);
  }

  String name() {
    return name;
  }

  StepDraft put(String key, Object value) {
    keys.put(key, value);
    return this;
  }

  Object get(String key) {
    return keys.get(key);
  }

  boolean has(String key) {
    return keys.containsKey(key);
  }

  void remove(String key) {
    keys.remove(key);
  }

  List<String> dependencies() {
    return dependencies;
  }

  void dependsOn(String parent) {
    if (!dependencies.contains(parent)) {
      dependencies.add(parent);
    }
  }

  boolean isDecision() {
    return "decision".equals(keys.get("type"));
  }

  /** A decision, a batchable step and a batch worker are of a type that joins no branches. */
  boolean canJoin() {
    return !keys.containsKey("type");
  }

  /** Whether a decision may leave it out. */
  boolean isConditional() {
    return isConditional;
  }

  void conditional() {
    isConditional = true;
  }

  void rule(String when, List<Integer> options) {
    rules.add(new Rule(when, options));
  }

  /** The step is created if the decision takes this way. */
  void leads(int option, String step) {
    targets.computeIfAbsent(option, none -> new ArrayList<>()).add(step);
  }

  List<String> targets(int option) {
    return targets.getOrDefault(option, List.of());
  }

  JsonObject json() {
    Map<String, Object> members = new LinkedHashMap<>(keys);
    if (!dependencies.isEmpty()) {
      members.put("dependencies", dependencies);
    }
    if (isDecision() && !keys.containsKey("handler")) {
      members.put("rules", rules.stream().filter(rule -> rule.when() != null)
          .map(rule -> Map.of("when", rule.when(), "then", steps(rule))).toList());
      rules.stream().filter(rule -> rule.when() == null).map(this::steps)
          .filter(steps -> !steps.isEmpty()).findFirst()
          .ifPresent(steps -> members.put("otherwise", steps));
    }
    JsonObjectBuilder object = Json.createObjectBuilder();
    KEYS.stream().filter(members::containsKey)
        .forEach(key -> object.add(key, value(members.get(key))));
    return object.build();
  }

  private List<String> steps(Rule rule) {
    return rule.options().stream().flatMap(option -> targets(option).stream()).distinct().toList();
  }

  /** Maps, lists, texts, numbers and truth values as JSON; maps that are not ordered by name. */
  static JsonValue value(Object given) {
    if (given instanceof JsonValue json) {
      return json;
    }
    if (given instanceof Map<?, ?> map) {
      JsonObjectBuilder object = Json.createObjectBuilder();
      Map<?, ?> ordered = map instanceof LinkedHashMap ? map
          : map.containsKey("when") ? ordered(map) : new TreeMap<>(map);
      ordered.forEach((key, member) -> object.add((String) key, value(member)));
      return object.build();
    }
    if (given instanceof List<?> list) {
      JsonArrayBuilder array = Json.createArrayBuilder();
      list.forEach(item -> array.add(value(item)));
      return array.build();
    }
    return given instanceof Integer number ? Json.createValue(number)
        : given instanceof Long number ? Json.createValue(number)
            : given instanceof Boolean truth ? (truth ? JsonValue.TRUE : JsonValue.FALSE)
                : Json.createValue((String) given);
  }

  private static Map<String, Object> ordered(Map<?, ?> rule) {
    Map<String, Object> ordered = new LinkedHashMap<>();
    ordered.put("when", rule.get("when"));
    ordered.put("then", rule.get("then"));
    return ordered;
  }
}

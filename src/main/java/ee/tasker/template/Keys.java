package ee.tasker.template;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * The keys of one mapping. Ask for every key there may be, then call {@link #refuseOthers()}: what was never asked for is
 * a problem. Keys that are written twice or are not strings are problems from the start.
 */
final class Keys {
  private final Located mapping;
  private final Map<String, Node> keys = new LinkedHashMap<>();
  private final Map<String, Located> values = new LinkedHashMap<>();
  private final Set<String> known = new LinkedHashSet<>();

  Keys(Located mapping, MappingNode node) {
    this.mapping = mapping;
    for (var entry : node.getValue()) {
      name(entry.getKeyNode(), mapping).ifPresent(name -> {
        var path = mapping.path().isEmpty() ? name : mapping.path() + "." + name;
        if (keys.containsKey(name)) {
          problem(entry.getKeyNode(), path, "is here twice; the first is in line "
              + keys.get(name).getStartMark().map(mark -> mark.getLine() + 1).orElse(0));
        } else {
          keys.put(name, entry.getKeyNode());
          values.put(name, new Located(entry.getValueNode(), path, mapping.problems()));
        }
      });
    }
  }

  /** The key as a string, or empty and a problem. */
  private static Optional<String> name(Node key, Located mapping) {
    if (key instanceof ScalarNode scalar && key.getTag().equals(Tag.STR)) {
      return Optional.of(scalar.getValue());
    }
    mapping.problems().at(key, mapping.path(), "a key must be a string"
        + (key instanceof ScalarNode scalar ? ": put \"" + Located.shortened(scalar.getValue()) + "\" in quotes" : ""));
    return Optional.empty();
  }

  Located mapping() {
    return mapping;
  }

  /** All entries, for mappings whose keys are free. */
  Map<String, Located> entries() {
    known.addAll(values.keySet());
    return values;
  }

  /** The value, unless the key is absent or its value is null. */
  Optional<Located> find(String key) {
    known.add(key);
    return Optional.ofNullable(values.get(key)).filter(value -> !value.isNull());
  }

  /** The same for a key with a second name; both at once are a problem. */
  Optional<Located> find(String key, String alias) {
    var value = find(key);
    var other = find(alias);
    if (value.isPresent() && other.isPresent()) {
      problem(keys.get(alias), other.get().path(), "means the same as \"" + key + "\"; give only one of them");
    }
    return value.or(() -> other);
  }

  /** The value; its absence is a problem at the mapping. */
  Optional<Located> require(String key) {
    var value = find(key);
    if (value.isEmpty()) {
      var place = values.containsKey(key) ? keys.get(key) : mapping.node();
      var path = mapping.path().isEmpty() ? key : mapping.path() + "." + key;
      problem(place, path, "is missing");
    }
    return value;
  }

  /** The elements of a list; absent is empty. */
  List<Located> list(String key) {
    return find(key).flatMap(Located::list).orElse(List.of());
  }

  void refuseOthers() {
    var missing = new HashSet<>(known);
    missing.removeAll(values.keySet());
    values.forEach((name, value) -> {
      if (!known.contains(name)) {
        problem(keys.get(name), value.path(), name.equals("<<")
            ? "merge keys are not supported; write the keys out, or use an alias for the whole value"
            : "unknown key \"" + Located.shortened(name) + "\""
                + Hints.about(mapping.path(), name).orElseGet(() -> Spelling.suggestion(name, missing)));
      }
    });
  }

  private void problem(Node node, String path, String message) {
    mapping.problems().at(node, path, message);
  }
}

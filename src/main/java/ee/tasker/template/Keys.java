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
 * The keys of one mapping. Read every supported key, then call {@link #refuseOthers()}: each key
 * that was never read is a
 * problem. Duplicate keys, and keys that are not strings, are problems from the start.
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
        // Shortened, because it begins the path of everything below.
        var path = (mapping.path().isEmpty() ? "" : mapping.path() + ".") + Located.shortened(name);
        if (keys.containsKey(name)) {
          problem(entry.getKeyNode(), path, "appears twice; the first is in line "
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
        + (key instanceof ScalarNode scalar
            ? ": put \"" + Located.shortened(scalar.getValue()) + "\" in quotes" : ""));
    return Optional.empty();
  }

  Located mapping() {
    return mapping;
  }

  /** All entries, for mappings with free keys. */
  Map<String, Located> entries() {
    known.addAll(values.keySet());
    return values;
  }

  /** The value; empty when the key is absent or null. */
  Optional<Located> find(String key) {
    known.add(key);
    return Optional.ofNullable(values.get(key)).filter(value -> !value.isNull());
  }

  /** The same for a key with an alternative name; both at once are a problem. */
  Optional<Located> find(String key, String alias) {
    var value = find(key);
    var other = find(alias);
    if (value.isPresent() && other.isPresent()) {
      problem(keys.get(alias), other.get().path(),
          "means the same as \"" + key + "\"; give only one of them");
    }
    return value.or(() -> other);
  }

  /** The value; if it is absent, the problem is reported at the mapping. */
  Optional<Located> require(String key) {
    var value = find(key);
    if (value.isEmpty()) {
      var place = values.containsKey(key) ? keys.get(key) : mapping.node();
      var path = mapping.path().isEmpty() ? key : mapping.path() + "." + key;
      problem(place, path, "is missing");
    }
    return value;
  }

  /** The elements of a list; empty when absent. */
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
                + Hints.about(mapping.path(), name)
                    .orElseGet(() -> mapping.problems().suggestion(name, missing)));
      }
    });
  }

  private void problem(Node node, String path, String message) {
    mapping.problems().at(node, path, message);
  }
}

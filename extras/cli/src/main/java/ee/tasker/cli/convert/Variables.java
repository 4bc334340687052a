package ee.tasker.cli.convert;

import ee.tasker.cli.convert.Finding.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where the variables of a process are found: in the result of the step that the model says sets
 * them, or in the context. A task has no variables that everybody may overwrite.
 */
final class Variables {
  private record Source(String step, String path) {
  }

  private final Map<String, StepDraft> steps;
  private final CamundaModel model;
  private final Map<String, List<Source>> sources = new HashMap<>();
  private final Map<String, XmlElement> ofContext = new LinkedHashMap<>();
  private final Map<String, Object> startFields = new LinkedHashMap<>();
  private final List<String> required = new ArrayList<>();
  private Set<String> ancestors = Set.of();

  Variables(Map<String, StepDraft> steps, CamundaModel model) {
    this.steps = steps;
    this.model = model;
  }

  /** From now on they are read by a step that follows from these. */
  void readAfter(Collection<String> parents) {
    Set<String> found = new HashSet<>(parents);
    Deque<String> open = new ArrayDeque<>(found);
    while (!open.isEmpty()) {
      StepDraft step = steps.get(open.pop());
      if (step != null) {
        step.dependencies().stream().filter(found::add).forEach(open::push);
      }
    }
    ancestors = found;
  }

  /** @param member of the result of the step, with the dot before it */
  void setBy(StepDraft step, String variable, String member) {
    sources.computeIfAbsent(variable, none -> new ArrayList<>())
        .add(new Source(step.name(), "$.results." + Juel.key(step.name()) + member));
  }

  void field(String name, Object schema, boolean isRequired) {
    startFields.put(name, schema);
    if (isRequired) {
      required.add(name);
    }
  }

  /** The path at which the variable is read. */
  String path(String name, XmlElement reader) {
    List<Source> possible = sources.getOrDefault(name, List.of()).stream()
        .filter(source -> ancestors.contains(source.step())).toList();
    if (possible.isEmpty()) {
      if (!startFields.containsKey(name)) {
        ofContext.putIfAbsent(name, reader);
      }
      return "$.context." + Juel.key(name);
    }
    Source last = possible.get(possible.size() - 1);
    if (possible.size() > 1) {
      model.found(Kind.DIFFERS, reader, "reads \"" + name + "\" as " + last.path()
          + ", though other steps before it set it, too", "");
    }
    return last.path();
  }

  /**
   * The path of an expression that is a variable, or a member of one; empty, and told, if it is
   * not.
   */
  Optional<String> read(XmlElement element, String expression, String what) {
    try {
      return Optional.of(Juel.path(expression, name -> path(name, element)));
    } catch (Juel.UnknownException e) {
      model.found(Kind.MISSING, element, what + " " + e.getMessage(),
          "let a handler before it compute it");
      return Optional.empty();
    }
  }

  void tell() {
    ofContext.forEach((name, reader) -> model.found(Kind.DIFFERS, reader,
        "reads \"" + name + "\" from the context of the task",
        "if a handler sets it, write $.results.<step>." + name));
  }

  /** Of the form of the start event. */
  Optional<Object> inputSchema() {
    if (startFields.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(schema(startFields, required));
  }

  static Map<String, Object> schema(Map<String, Object> fields, List<String> required) {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", "object");
    if (!required.isEmpty()) {
      schema.put("required", List.copyOf(required));
    }
    schema.put("properties", new LinkedHashMap<>(fields));
    return schema;
  }
}

package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import ee.tasker.client.ProblemException;
import ee.tasker.client.Step;
import ee.tasker.client.Task;
import jakarta.json.JsonArray;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Draws graphs of tasks and templates. */
final class GraphCommands {
  private GraphCommands() {}

  static int task(Invocation in) {
    Task task = in.client().task(in.uuid("TASK"));
    Map<String, String> states = new LinkedHashMap<>();
    task.steps().forEach(step -> states.put(step.name(), step.state()));
    Map<String, Step> steps = new LinkedHashMap<>();
    task.steps().forEach(step -> steps.put(step.name(), step));
    print(in, of(in, task), states, steps);
    return Exit.DONE;
  }

  static int template(Invocation in) {
    Optional<JsonValue> template = TemplateCommands.normalForm(in, in.required("TEMPLATE"));
    template.ifPresent(found -> print(in, new Graph(parents(found)), Map.of(), Map.of()));
    return template.isPresent() ? Exit.DONE : Exit.INVALID;
  }

  /**
   * The steps of the task with the edges of its template. Steps that were added while it ran have
   * no edges here, since no operation
   * tells them; nor has any, if the caller may not read the template.
   */
  static Graph of(Invocation in, Task task) {
    Map<String, List<String>> parents = new LinkedHashMap<>();
    if (task.name().isPresent() && task.version().isPresent()) {
      try {
        parents.putAll(parents(
            Text.at(in.client()
                .send(Call.of(Operation.GET_TEMPLATE).path("namespace", task.namespace())
                    .path("name", task.name().get())
                    .path("version", task.version().get()))
                .json(), "configuration")));
      } catch (ProblemException e) {
        if (e.status() != 403 && e.status() != 404) {
          throw e;
        }
      }
    }
    task.steps().forEach(step -> parents.putIfAbsent(step.name(), List.of()));
    return new Graph(parents);
  }

  private static Map<String, List<String>> parents(JsonValue template) {
    Map<String, List<String>> parents = new LinkedHashMap<>();
    if (Text.at(template, "steps") instanceof JsonArray steps) {
      for (JsonValue step : steps) {
        List<String> of = Text.at(step, "dependencies") instanceof JsonArray names
            ? names.stream().filter(JsonString.class::isInstance)
                .map(name -> ((JsonString) name).getString()).toList()
            : List.of();
        parents.put(step.asJsonObject().getString("name"), of);
      }
    }
    return parents;
  }

  private static void print(Invocation in, Graph graph, Map<String, String> states,
      Map<String, Step> steps) {
    PrintStream out = in.terminal().out();
    switch (in.text("--as").orElse("text")) {
      case "mermaid" -> out.print(graph.mermaid(states));
      case "dot" -> out.print(graph.dot(states));
      case "text" -> {
        int widest = graph.parents().keySet().stream().mapToInt(String::length).max().orElse(0);
        for (Graph.Line line : graph.draw(step -> Colours.glyph(states.get(step)))) {
          if (line.step() == null) {
            out.println(line.rails());
            continue;
          }
          String label = String.format(Locale.ROOT, "%-" + widest + "s",
              Text.printable(line.step()));
          String state = states.getOrDefault(line.step(), "");
          Step step = steps.get(line.step());
          out.println((line.rails() + " " + label + "  " + in.output().colours().state(state, state)
              + (step != null && step.attempts() > 1 ? "  attempt " + step.attempts() : ""))
              .stripTrailing());
        }
      }
      default -> throw new UsageException("--as must be text, mermaid or dot");
    }
    out.flush();
  }
}

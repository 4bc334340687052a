package ee.tasker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class GraphTest {

  @Test
  void diamond_forks_and_joins() {
    assertThat(drawn("start", "", "left", "start", "right", "start", "end", "left right"))
        .isEqualTo("""
        * start
        ├─╮
        * │ left
        │ * right
        ├─╯
        * end""");
  }

  @Test
  void chain_and_steps_without_edges_are_lines() {
    assertThat(drawn("b", "a", "a", "", "c", ""))
        .isEqualTo("* a\n* │ c\n* b".replace("* │ c", "│ * c"));
  }

  @Test
  void every_step_is_drawn_once_and_after_its_parents() {
    Graph graph = graph("f", "d e", "a", "", "b", "a", "c", "a", "d", "b c", "e", "b c");

    assertThat(graph.parents().keySet()).containsExactly("a", "b", "c", "d", "e", "f");
    assertThat(graph.draw(step -> "*").stream().map(Graph.Line::step).filter(step -> step != null))
        .containsExactly("a", "b", "c", "d", "e",
            "f");
  }

  @Test
  void cycle_and_unknown_parent_are_survived() {
    assertThat(graph("a", "b", "b", "a", "c", "nobody").draw(step -> "*"))
        .extracting(Graph.Line::step).contains("a", "b", "c");
  }

  @Test
  void other_programs_get_nodes_and_edges() {
    Graph graph = graph("a", "", "b \"x\"", "a");

    assertThat(graph.mermaid(Map.of("a", "complete")))
        .isEqualTo(
            "flowchart TD\n  s0[\"a<br/>complete\"]\n  s1[\"b #quot;x#quot;\"]\n  s0 --> s1\n");
    assertThat(graph.dot(Map.of()))
        .isEqualTo(
            "digraph task {\n  \"a\" [label=\"a\"];\n  \"b \\\"x\\\"\" [label=\"b \\\"x\\\"\"];\n  \"a\" -> \"b \\\"x\\\"\";\n}\n");
  }

  private static String drawn(String... steps) {
    return graph(steps).draw(step -> "*").stream()
        .map(line -> line.step() == null ? line.rails() : line.rails() + line.step())
        .collect(Collectors.joining("\n"));
  }

  private static Graph graph(String... steps) {
    Map<String, List<String>> parents = new LinkedHashMap<>();
    for (int i = 0; i < steps.length; i += 2) {
      parents.put(steps[i], steps[i + 1].isEmpty() ? List.of() : List.of(steps[i + 1].split(" ")));
    }
    return new Graph(parents);
  }
}

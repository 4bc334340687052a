package ee.tasker.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The graph of a workflow, and a drawing of it for terminals: a line for each step, parents above
 * children, with rails between them as
 * {@code git log --graph} has them.
 *
 * @param parents of each step, by name
 */
record Graph(Map<String, List<String>> parents) {

  /**
   * A line of the drawing.
   *
   * @param rails what is left of the step, or the whole line
   * @param step null for a line of rails only
   */
  record Line(String rails, String step) {
  }

  /**
   * Parents before children, otherwise in the order given; what is in a cycle comes last. Parents
   * that are no steps are left out.
   */
  Graph {
    Map<String, List<String>> sorted = new LinkedHashMap<>();
    Map<String, List<String>> left = new LinkedHashMap<>();
    Map<String, List<String>> given = parents;
    given.forEach(
        (step, of) -> left.put(step, of.stream().filter(given::containsKey).distinct().toList()));
    boolean moved = true;
    while (moved) {
      moved = false;
      for (String step : List.copyOf(left.keySet())) {
        if (sorted.keySet().containsAll(left.get(step))) {
          sorted.put(step, left.remove(step));
          moved = true;
        }
      }
    }
    sorted.putAll(left);
    parents = sorted;
  }

  /** @param glyph of the steps in the drawing, one column wide */
  List<Line> draw(java.util.function.UnaryOperator<String> glyph) {
    List<Line> lines = new ArrayList<>();
    List<String> lanes = new ArrayList<>(); // where each open edge leads to; null: free
    Map<String, List<String>> children = children();
    for (String step : parents.keySet()) {
      int at = lanes.indexOf(step);
      if (at < 0) {
        at = free(lanes, 0);
        lanes.set(at, step);
      }
      Set<Integer> merging = new LinkedHashSet<>();
      for (int i = at + 1; i < lanes.size(); i++) {
        if (step.equals(lanes.get(i))) {
          merging.add(i);
        }
      }
      if (!merging.isEmpty()) {
        lines.add(new Line(joint(lanes, at, merging, '┴', '╯'), null));
        merging.forEach(lane -> lanes.set(lane, null));
        trim(lanes);
      }
      lines.add(new Line(node(lanes, at, glyph.apply(step)), step));
      List<String> next = children.get(step);
      lanes.set(at, next.isEmpty() ? null : next.get(0));
      Set<Integer> forking = new LinkedHashSet<>();
      for (String child : next.subList(Math.min(1, next.size()), next.size())) {
        int lane = free(lanes, at + 1);
        lanes.set(lane, child);
        forking.add(lane);
      }
      if (!forking.isEmpty()) {
        lines.add(new Line(joint(lanes, at, forking, '┬', '╮'), null));
      }
      trim(lanes);
    }
    return lines;
  }

  private static void trim(List<String> lanes) {
    while (!lanes.isEmpty() && lanes.get(lanes.size() - 1) == null) {
      lanes.remove(lanes.size() - 1);
    }
  }

  private Map<String, List<String>> children() {
    Map<String, List<String>> children = new LinkedHashMap<>();
    parents.keySet().forEach(step -> children.put(step, new ArrayList<>()));
    List<String> order = List.copyOf(parents.keySet());
    parents.forEach(
        (step, of) -> of.stream().filter(parent -> order.indexOf(parent) < order.indexOf(step))
            .forEach(parent -> children.get(parent).add(step)));
    return children;
  }

  private static int free(List<String> lanes, int from) {
    for (int i = from; i < lanes.size(); i++) {
      if (lanes.get(i) == null) {
        return i;
      }
    }
    while (lanes.size() < from) {
      lanes.add(null);
    }
    lanes.add(null);
    return lanes.size() - 1;
  }

  private static String node(List<String> lanes, int at, String glyph) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < lanes.size(); i++) {
      line.append(i == at ? glyph : lanes.get(i) == null ? " " : "│").append(' ');
    }
    return line.toString();
  }

  /** A line that joins a lane with others to its right, across those between. */
  private static String joint(List<String> lanes, int at, Set<Integer> others, char middle,
      char end) {
    int last = others.stream().mapToInt(Integer::intValue).max().orElse(at);
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < lanes.size(); i++) {
      boolean used = lanes.get(i) != null;
      char c = i == at ? '├' : i > at && i < last ? others.contains(i) ? middle : used ? '┼' : '─'
          : i == last ? end : used ? '│' : ' ';
      line.append(c).append(i >= at && i < last ? '─' : ' ');
    }
    return line.toString().stripTrailing();
  }

  String mermaid(Map<String, String> states) {
    StringBuilder text = new StringBuilder("flowchart TD\n");
    List<String> order = List.copyOf(parents.keySet());
    for (String step : order) {
      text.append("  s").append(order.indexOf(step)).append("[\"")
          .append(label(step, states, "<br/>").replace("\"", "#quot;"))
          .append("\"]\n");
    }
    parents.forEach((step, of) -> of
        .forEach(parent -> text.append("  s").append(order.indexOf(parent)).append(" --> s")
            .append(order.indexOf(step)).append('\n')));
    return text.toString();
  }

  String dot(Map<String, String> states) {
    StringBuilder text = new StringBuilder("digraph task {\n");
    for (String step : parents.keySet()) {
      text.append("  ").append(quoted(step)).append(" [label=")
          .append(quoted(label(step, states, "\n"))).append("];\n");
    }
    parents.forEach(
        (step, of) -> of.forEach(parent -> text.append("  ").append(quoted(parent)).append(" -> ")
            .append(quoted(step)).append(";\n")));
    return text.append("}\n").toString();
  }

  private static String label(String step, Map<String, String> states, String separator) {
    return Text.printable(states.containsKey(step) ? step + "\u0000" + states.get(step) : step)
        .replace("\uFFFD", separator);
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
  }
}

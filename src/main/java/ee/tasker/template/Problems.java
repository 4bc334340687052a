package ee.tasker.template;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.Node;

/** Collects the problems of one template. Not thread-safe: one instance per reading. */
final class Problems {
  private final List<TemplateProblem> found = new ArrayList<>();

  void at(Node node, String path, String message) {
    at(node.getStartMark(), path, message);
  }

  void at(Optional<Mark> mark, String path, String message) {
    at(mark.map(Mark::getLine).orElse(0) + 1, mark.map(Mark::getColumn).orElse(0) + 1, path, message);
  }

  void at(int line, int column, String path, String message) {
    found.add(new TemplateProblem(line, column, path, message));
  }

  boolean none() {
    return found.isEmpty();
  }

  int count() {
    return found.size();
  }

  /** In document order, each once. */
  List<TemplateProblem> inOrder() {
    return found.stream().distinct()
        .sorted(Comparator.comparingInt(TemplateProblem::line).thenComparingInt(TemplateProblem::column))
        .toList();
  }
}

package ee.tasker.template;

import ee.tasker.template.model.Limits;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.Node;

/** Collects the problems of one template. Not thread-safe: one instance per reading. */
final class Problems {
  /** Of those reported. */
  static final int MOST = 100;
  /** Of those kept, so that the first in the document are reported. */
  private static final int MOST_KEPT = 10_000;
  /** Words compared for suggestions: so many mistakes usually have one cause. */
  private static final int MOST_COMPARED = 200_000;

  private final List<TemplateProblem> found = new ArrayList<>();
  private int count;
  private int compared;
  private long patternStates;

  /**
   * Counts the states of patterns of the template's schemas. @return whether the template may have
   * so many
   */
  boolean mayAddPatterns(long states) {
    patternStates += states;
    return patternStates <= Limits.PATTERN_STATES;
  }

  void at(Node node, String path, String message) {
    at(node.getStartMark(), path, message);
  }

  void at(Optional<Mark> mark, String path, String message) {
    at(mark.map(Mark::getLine).orElse(0) + 1, mark.map(Mark::getColumn).orElse(0) + 1, path,
        message);
  }

  void at(int line, int column, String path, String message) {
    count++;
    if (found.size() < MOST_KEPT) {
      found.add(new TemplateProblem(line, column, path, message));
    }
  }

  /**
   * {@code ; did you mean "name"?} or the empty string; always empty once many words have been
   * compared.
   */
  String suggestion(String written, Collection<String> known) {
    compared = Math.min(MOST_COMPARED, compared) + known.size();
    return compared > MOST_COMPARED ? "" : Spelling.suggestion(written, known);
  }

  boolean none() {
    return count == 0;
  }

  int count() {
    return count;
  }

  /** In document order, each once; the last one says how many more there are. */
  List<TemplateProblem> inOrder() {
    var distinct = found.stream().distinct()
        .sorted(Comparator.comparingInt(TemplateProblem::line)
            .thenComparingInt(TemplateProblem::column))
        .toList();
    if (distinct.size() <= MOST) {
      return distinct;
    }
    var first = new ArrayList<>(distinct.subList(0, MOST));
    var last = first.get(MOST - 1);
    first.add(new TemplateProblem(last.line(), last.column(), "",
        "there are more problems, which are not listed: "
            + (distinct.size() + count - found.size() - MOST)));
    return List.copyOf(first);
  }
}

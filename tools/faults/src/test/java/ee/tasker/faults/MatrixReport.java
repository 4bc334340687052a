package ee.tasker.faults;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** The table: a row for each fault, with its rounds and violations. */
final class MatrixReport {
  private record Line(int rounds, long tasks, long steps, long moves, long rerun,
      long resubmissions, Duration slowest, int violations) {
    static final Line NONE = new Line(0, 0, 0, 0, 0, 0, Duration.ZERO, 0);

    Line plus(Line more) {
      return new Line(rounds + more.rounds, tasks + more.tasks, steps + more.steps,
          moves + more.moves, rerun + more.rerun, resubmissions + more.resubmissions,
          slowest.compareTo(more.slowest) > 0 ? slowest : more.slowest,
          violations + more.violations);
    }

    String cells() {
      return String.format(Locale.ROOT, "%d | %d | %d | %d | %d | %d | %.1f s | %d |", rounds,
          tasks,
          steps, moves, rerun, resubmissions, slowest.toMillis() / 1000.0, violations);
    }
  }

  private final Map<Fault, Line> lines = new EnumMap<>(Fault.class);

  void add(Fault fault, Verdict verdict) {
    lines
        .merge(fault,
            new Line(1, verdict.tasks(), verdict.steps(), verdict.moves(), verdict.rerun(),
                verdict.resubmissions(), verdict.slowest(), verdict.violations().size()),
            Line::plus);
  }

  /** A round without a verdict. */
  void addFailed(Fault fault) {
    lines.merge(fault, new Line(1, 0, 0, 0, 0, 0, Duration.ZERO, 1), Line::plus);
  }

  long steps() {
    return lines.values().stream().mapToLong(Line::steps).sum();
  }

  /** The moves of the rounds' tasks, each replayed once against those of the models. */
  long moves() {
    return lines.values().stream().mapToLong(Line::moves).sum();
  }

  String markdown() {
    StringBuilder table = new StringBuilder(
        "| Fault | Rounds | Tasks | Steps | Moves | Attempts run again | Submitted again | Slowest recovery | Violations |\n|---|---|---|---|---|---|---|---|---|\n");
    lines.forEach((fault, line) -> table.append("| ").append(fault.sentence()).append(" | ")
        .append(line.cells()).append('\n'));
    return table.append("| **all** | ")
        .append(lines.values().stream().reduce(Line.NONE, Line::plus).cells()).append('\n')
        .toString();
  }
}

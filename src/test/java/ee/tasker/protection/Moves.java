package ee.tasker.protection;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The allowed moves and their actors, as {@code db/model/moves.tsv} has them: what the tests hold
 * history against, and what O9 holds the rules tables against. A rule that is added on one side
 * only is noticed.
 */
final class Moves {
  /** From, to, actor. */
  static final Set<String> OF_STEPS = of("step");
  static final Set<String> OF_TASKS = of("task");

  private Moves() {}

  private static Set<String> of(String kind) {
    try (Stream<String> lines = Files.lines(Path.of("db/model/moves.tsv"))) {
      return lines.map(line -> line.split("\t")).filter(move -> move[0].equals(kind))
          .map(move -> (move[1].equals("-") ? "nothing" : move[1]) + " " + move[2] + " " + move[3])
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

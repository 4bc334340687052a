package ee.tasker.model;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The moves of the models are those of the product: {@code db/model/moves.tsv}, which the models are
 * compiled with, has the rows of the rules tables and of {@code get_model_moves}. Needs no Spin.
 */
@DatabaseTest
class ModelMovesTest {
  private static final Path FOLDER = Path.of("db/model");

  private final Sql sql = Sql.open();

  private static List<String[]> moves() throws IOException {
    return Files.readAllLines(FOLDER.resolve("moves.tsv")).stream()
        .filter(line -> !line.startsWith("#")).map(line -> line.split("\t")).toList();
  }

  private static Set<String> models() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".pml"))
          .map(name -> name.replace(".pml", "")).collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Test
  void the_models_have_the_moves_of_the_rules_and_no_others() throws IOException {
    assertThat(sql.texts(
        """
        select concat_ws(' ', 'task', coalesce(from_state::text, '-'), to_state, actor) from tasker.task_transition_rules
        union all
        select concat_ws(' ', 'step', coalesce(from_state::text, '-'), to_state, actor) from tasker.workflow_step_transition_rules"""))
        .containsExactlyInAnyOrderElementsOf(
            moves().stream().map(move -> String.join(" ", Arrays.copyOf(move, 4))).toList());
  }

  @Test
  void the_replay_has_the_moves_of_the_models_with_their_effects() throws IOException {
    if (Boolean.getBoolean("schema.write")) {
      write();
    }
    assertThat(sql.texts(
        """
        select concat_ws(' ', kind, coalesce(from_state, '-'), to_state, actor,
                         coalesce(to_char(handoff, 'FMSG9'), '-'), coalesce(to_char(attempt, 'FMSG9'), '-')) from tasker.get_model_moves()"""))
        .containsExactlyInAnyOrderElementsOf(moves().stream()
            .map(move -> String.join(" ", Arrays.copyOf(move, 6)).replaceAll(" 0(?= |$)", " +0"))
            .toList());
  }

  /** Of nulls and numbers the first row says the types. */
  private static void write() throws IOException {
    Path file = Path.of("db/routine/proof/R__get_model_moves.sql");
    String source = Files.readString(file);
    List<String> rows = new ArrayList<>();
    for (String[] move : moves()) {
      String from = move[1].equals("-") ? "null" : "'" + move[1] + "'";
      List<String> effects = Stream.of(move[4], move[5])
          .map(effect -> effect.equals("-") ? "null" : effect.replace("+", "")).toList();
      boolean isFirst = rows.isEmpty();
      rows.add(
          "    ('" + move[0] + "', " + from + (isFirst ? "::text" : "") + ", '" + move[2] + "', '"
              + move[3] + "', " + effects.get(0) + (isFirst ? "::int" : "") + ", " + effects.get(1)
              + (isFirst ? "::int" : "") + ")");
    }
    int from = source.indexOf("  values\n") + "  values\n".length();
    Files.writeString(file, source.substring(0, from) + String.join(",\n", rows)
        + source.substring(source.indexOf("\n$$", from)));
  }

  @Test
  void each_move_is_reached_by_models_that_are_there() throws IOException {
    assertThat(moves()).hasSizeGreaterThan(50).allSatisfy(
        move -> assertThat(models()).as("models that reach %s", String.join(" ", move))
            .containsAll(List.of(move[6].split(","))));
  }

  @Test
  void each_guard_has_its_counterexample_and_its_row_in_the_document() throws IOException {
    Pattern guard = Pattern.compile("WITHOUT_[A-Z_]+");
    Set<String> guards = new TreeSet<>();
    for (String model : models()) {
      Matcher found = guard.matcher(Files.readString(FOLDER.resolve(model + ".pml")));
      while (found.find()) {
        guards.add(model + "-" + found.group());
      }
    }
    assertThat(guards).hasSizeGreaterThan(15);
    try (Stream<Path> files = Files.list(FOLDER.resolve("counterexamples"))) {
      assertThat(files.map(file -> file.getFileName().toString().replace(".txt", "")))
          .containsExactlyInAnyOrderElementsOf(guards);
    }
    String document = Files.readString(Path.of("docs/reference/model-guards.md"));
    assertThat(guards.stream().map(name -> "| " + name.replaceFirst("-WITHOUT_", " | `")))
        .allMatch(row -> document.contains(row + "` |"));
  }

  /** The table of properties: each row names a guard and what its counterexample ends with. */
  @Test
  void each_property_fails_where_the_document_says() throws IOException {
    Matcher row = Pattern.compile("(?m)^\\| (?:No|A|An|Cancelled|Parallelism|Slots|Counters|What) "
        + "[^|]*\\| (\\w+) \\| `([A-Z_]+)` \\| `([^`]+)` \\|$")
        .matcher(Files.readString(Path.of("docs/model.md")));
    int rows = 0;
    for (; row.find(); rows++) {
      List<String> kept = Files.readAllLines(FOLDER
          .resolve("counterexamples/%s-WITHOUT_%s.txt".formatted(row.group(1), row.group(2))));
      assertThat(kept.get(kept.size() - 1)).as(row.group()).contains(row.group(3));
    }
    assertThat(rows).as("properties").isGreaterThanOrEqualTo(17);
  }

  @Test
  void each_model_says_what_it_covers_and_what_was_searched() throws IOException {
    for (String model : models()) {
      assertThat(Files.readString(FOLDER.resolve(model + ".pml"))).startsWith("/* " + model + ": ")
          .contains(" * Covers: ", " * Leaves out: ")
          .containsPattern(" \\* Searched: [1-9]\\d* states, depth \\d+, ");
    }
  }
}

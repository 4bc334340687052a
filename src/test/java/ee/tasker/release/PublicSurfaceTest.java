package ee.tasker.release;

import static ee.tasker.testing.Sources.files;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * What others depend on is kept in a file for each release, and in {@code unreleased.txt} as it is
 * now: a change of it is seen in a review, and a version that breaks what a release of the same
 * major version had is refused. {@code -Ddocs.write=true} writes {@code unreleased.txt} anew.
 */
class PublicSurfaceTest {
  private static final Path FOLDER = Path.of("src/test/resources/ee/tasker/release/surface");
  private static final Path UNRELEASED = FOLDER.resolve("unreleased.txt");

  @Test
  void what_others_depend_on_is_what_the_file_says()
      throws IOException, ReflectiveOperationException {
    Set<String> current = PublicSurface.current();
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(UNRELEASED, String.join("\n", current) + "\n");
    }
    assertThat(current).as("run -Dtest=PublicSurfaceTest -Ddocs.write=true, and look at the diff")
        .containsExactlyElementsOf(new TreeSet<>(Files.readAllLines(UNRELEASED)));
    assertThat(current).anyMatch(line -> line.equals("sql submit_task"))
        .contains("rest POST /v1/tasks", "setting tasker.worker.capacity", "log TK1015",
            "java ee.tasker.handler.StepHandler . handle(StepContext)StepOutcome required",
            "template . steps required", "request TaskRequest . name required",
            "rest GET /v1/tasks/{task_uuid} . path task_uuid required")
        .anyMatch(line -> line.startsWith("metric tasker_"))
        .anyMatch(line -> line.startsWith("migration V0001__"))
        .anyMatch(line -> line.startsWith("problem "))
        .anyMatch(line -> line.startsWith("permission tasks:"));
  }

  @Test
  void nothing_that_a_release_of_this_major_version_had_is_broken()
      throws IOException, ReflectiveOperationException {
    String major = Versions.of(Path.of("")).replaceFirst("\\..*", "");
    List<String> breaks = new ArrayList<>();
    for (Path released : files(FOLDER, ".txt")) {
      if (released.getFileName().toString().startsWith(major + ".")) {
        PublicSurface.breaks(Files.readAllLines(released), PublicSurface.current())
            .forEach(each -> breaks.add(released.getFileName() + ": " + each));
      }
    }
    assertThat(breaks).isEmpty();
  }

  @Test
  void what_is_taken_away_or_asked_for_breaks_and_what_is_added_does_not() {
    List<String> released = List.of("sql f", "sql f . p_a text required", "sql f . p_b int",
        "rest GET /v1/x", "java H", "java H . old()void", "migration V0001__a.sql 1234");

    assertThat(PublicSurface.breaks(released, List.of("sql f", "sql f . p_a text",
        "sql f . p_b int", "sql f . p_c int", "sql g", "sql g . p_a text required",
        "rest GET /v1/x", "rest GET /v1/x . query limit", "java H", "java H . old()void",
        "java H . more()void", "migration V0001__a.sql 1234", "migration V0002__b.sql 99")))
        .isEmpty();
    assertThat(PublicSurface.breaks(released, List.of("sql f", "sql f . p_a text required",
        "sql f . p_b int required", "rest GET /v1/x . query id required", "java H",
        "java H . more()void required", "migration V0001__a.sql 5678")))
        .containsExactly("gone: sql f . p_b int", "gone: rest GET /v1/x",
            "gone: java H . old()void",
            "gone: migration V0001__a.sql 1234",
            "asked for from now on: sql f . p_b int required",
            "asked for from now on: rest GET /v1/x . query id required",
            "asked for from now on: java H . more()void required");
  }
}

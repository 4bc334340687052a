package ee.tasker.protection;

import static ee.tasker.testing.Sources.files;
import static ee.tasker.testing.Sources.text;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * docs/guarantees.md promises nothing without a test and a query: each row names tests and
 * invariants that exist. docs/reference/invariants.md has all of them.
 */
@DatabaseTest
class GuaranteesTest {
  private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+(?:Test|IT))#(\\w+)`");
  private static final Pattern SUITE = Pattern.compile("\\| `([A-Z]\\w+)` \\|");
  private static final Pattern NAME = Pattern.compile("`([a-z]\\w+_\\w+)`");
  private static final List<Path> SOURCES = List.of(Path.of("src/test/java"),
      Path.of("tests/it/src/test/java"), Path.of("tools/faults/src/test/java"));

  private final List<String> rows = text(Path.of("docs/guarantees.md")).lines()
      .filter(line -> line.matches("\\| .* \\|.*")
          && !line.matches("\\| Guarantee .*|\\|-.*"))
      .toList();
  private final Set<String> invariants = invariants();

  @Test
  void every_guarantee_names_a_test_that_exists() {
    assertThat(rows).hasSizeGreaterThan(30).allSatisfy(row -> {
      List<MatchResult> tests = TEST.matcher(row).results().toList();
      List<MatchResult> suites = SUITE.matcher(row).results().toList();
      assertThat(tests.size() + suites.size()).as(row).isPositive();
      tests.forEach(test -> assertThat(source(test.group(1))).as(row)
          .contains("void " + test.group(2) + "("));
      suites.forEach(suite -> assertThat(source(suite.group(1))).as(row).contains("@Test"));
    });
  }

  @Test
  void every_guarantee_about_data_names_invariants_that_the_check_has() {
    List<String> ofData = rows.stream().filter(row -> TEST.matcher(row).find()).toList();

    assertThat(ofData).hasSizeGreaterThan(25).allSatisfy(row -> {
      String cell = row.split(" \\| ")[3];
      List<String> named = NAME.matcher(cell).results().map(found -> found.group(1)).toList();
      assertThat(named).as(row).isNotEmpty();
      assertThat(invariants).as(row).containsAll(named);
    });
  }

  @Test
  void every_invariant_of_the_check_is_explained_once() {
    String page = text(Path.of("docs/reference/invariants.md"));
    List<String> explained = page.substring(0, page.indexOf("## What follows")).lines()
        .filter(line -> line.startsWith("| `"))
        .flatMap(line -> NAME.matcher(line.split(" \\| ")[0]).results())
        .map(found -> found.group(1)).toList();

    assertThat(new TreeSet<>(explained)).isEqualTo(invariants);
    assertThat(invariants).hasSizeGreaterThan(75);
  }

  private static Set<String> invariants() {
    try (Sql sql = Sql.open()) {
      return new TreeSet<>(
          sql.texts("select invariant from tasker.check_history(p_quiet_for => '0 seconds')"));
    }
  }

  private static String source(String name) {
    List<String> found = new ArrayList<>();
    for (Path folder : SOURCES) {
      files(folder, ".java").stream().filter(file -> file.endsWith(name + ".java"))
          .forEach(file -> found.add(text(file)));
    }
    assertThat(found).as("the source of " + name).isNotEmpty();
    return String.join("\n", found);
  }
}

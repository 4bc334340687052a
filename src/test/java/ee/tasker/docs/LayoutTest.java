package ee.tasker.docs;

import static ee.tasker.testing.Sources.files;
import static ee.tasker.testing.Sources.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What a reviewer sees without scrolling sideways. The formatter lays out Java, but breaks no
 * strings; nothing lays out SQL.
 */
class LayoutTest {
  private static final int WIDTH = 100;
  private static final Path DATABASE = Path.of("db");
  /** A line of Java that is one literal, which the formatter cannot break. */
  private static final Pattern LITERAL = Pattern
      .compile("[^\"]*\"(?:[^\"\\\\]|\\\\.)*\"[^\"]*");
  private static final Pattern SOURCE = Pattern.compile("Source: ([^.]*(?:\\.[a-z][^.]*)*)\\.");

  @Test
  void sql_has_at_most_100_columns() {
    List<Path> files = files(DATABASE, ".sql");

    assertThat(files).hasSizeGreaterThan(400);
    assertThat(files.stream().flatMap(LayoutTest::longLines)).isEmpty();
  }

  /**
   * Not the folders of tests and tools, which have long strings, statements and documents over
   * several lines.
   */
  @Test
  void java_outside_the_folders_of_tests_has_at_most_100_columns_except_for_a_string_in_a_line() {
    List<Path> files = files(Path.of("src", "main", "java"), ".java");

    assertThat(files).hasSizeGreaterThan(200);
    assertThat(files.stream().flatMap(LayoutTest::longLines)
        .filter(line -> !LITERAL.matcher(line.substring(line.indexOf(": "))).matches())).isEmpty();
  }

  /** Who reads the source cannot follow any other name. */
  @Test
  void sources_of_sql_are_decisions_and_documents_of_this_repository() {
    List<String> sources = new ArrayList<>();
    for (Path file : files(DATABASE, ".sql")) {
      Matcher source = SOURCE.matcher(text(file).replaceAll("\n *-- ?", " "));
      while (source.find()) {
        for (String name : source.group(1).split(", ")) {
          sources.add(file.getFileName() + ": " + name);
          assertThat(exists(name)).as("%s names %s as its source", file, name).isTrue();
        }
      }
      assertThat(text(file).replaceAll("\n *-- ?", " "))
          .as("%s has a source without an end", file)
          .doesNotContainPattern("Source:(?! [^.]*(?:\\.[a-z][^.]*)*\\.)");
    }

    assertThat(sources).hasSizeGreaterThan(200);
  }

  private static boolean exists(String name) {
    if (name.startsWith("docs/")) {
      return Files.isRegularFile(Path.of(name));
    }
    return name.matches("ADR \\d{4}") && files(Path.of("docs", "adr"), ".md").stream()
        .anyMatch(file -> file.getFileName().toString().startsWith(name.substring(4) + "-"));
  }

  private static Stream<String> longLines(Path file) {
    return text(file).lines().filter(line -> line.length() > WIDTH)
        .map(line -> file + ": " + line);
  }
}

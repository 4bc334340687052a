package ee.tasker.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * {@code samples/run} and {@code samples/run.cmd} do the same. The build has no Windows: this reads
 * the text of the second, and the first is run
 * by continuous integration.
 */
class RunScriptsTest {
  private static final Pattern VARIABLE = Pattern.compile("\\b(?:TASKER_[A-Z]+|HTTP_PORT)\\b");
  private static final Pattern PROPERTY = Pattern.compile("-D(base\\.url|samples\\.\\w+)=");
  private static final Pattern OPTION = Pattern.compile("--(?:only|no-register|url)\\b");
  private static final Pattern SOURCES = Pattern
      .compile("(?:samples/java|extras/(?:cli|client)/src)/[a-z/]+");
  private static final Pattern LABEL = Pattern.compile("(?m)^:(\\w+)");
  private static final Pattern JUMP = Pattern.compile("goto (\\w+)");

  private final String posix = read("samples/run");
  private final String windows = read("samples/run.cmd");

  private static String read(String file) {
    try {
      return Files.readString(Path.of(file)).replace("\r\n", "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void both_know_the_same_variables_options_sources_and_properties() {
    Set<String> variables = found(VARIABLE, windows);
    variables.remove("TASKER_JAVA_OPTIONS");
    assertThat(variables).isEqualTo(found(VARIABLE, posix)).contains("TASKER_KEY", "TASKER_USER",
        "HTTP_PORT");
    for (Pattern each : List.of(PROPERTY, OPTION, SOURCES)) {
      assertThat(found(each, windows)).as(each.pattern()).isEqualTo(found(each, posix))
          .isNotEmpty();
    }
  }

  @Test
  void page_shows_how_many_cases_there_are() throws IOException {
    int cases = SampleCase.in(Path.of("samples")).size();

    assertThat(read("samples/README.md"))
        .contains("\n" + cases + " cases, " + cases + " as expected, 0 not\n");
  }

  @Test
  void both_run_the_command_line_and_without_its_jar_the_build() {
    assertThat(posix).contains("jar=extras/cli/target/tasker-ee-cli.jar",
        "exec extras/cli/tasker samples samples --url \"$base_url\" \"$@\"",
        "exec:java@samples");
    assertThat(windows).contains("JAR=extras\\cli\\target\\tasker-ee-cli.jar",
        "-jar \"%JAR%\" samples samples --url \"%BASE_URL%\"%ARGUMENTS%", "exec:java@samples");
  }

  @Test
  void the_script_for_windows_jumps_to_labels_that_it_has_and_hands_the_exit_code_on()
      throws IOException {
    Set<String> labels = LABEL.matcher(windows).results().map(label -> label.group(1))
        .collect(Collectors.toSet());
    Set<String> jumps = JUMP.matcher(windows).results().map(jump -> jump.group(1))
        .collect(Collectors.toSet());

    assertThat(labels).containsAll(jumps);
    assertThat(windows.lines().filter(line -> line.equals("exit /b %ERRORLEVEL%"))).hasSize(2);
    assertThat(Files.readString(Path.of("samples/run.cmd")).replace("\r\n", ""))
        .as("lines end as Windows reads them").doesNotContain("\n");
  }
}

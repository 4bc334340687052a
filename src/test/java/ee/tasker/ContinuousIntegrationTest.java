package ee.tasker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of {@code .ci/run}, worked by its own functions with parts that do nothing. */
class ContinuousIntegrationTest {
  private static final List<String> FUNCTIONS = List.of("part", "beside", "ended", "work");

  @TempDir
  private Path folder;

  private final String script = read(Path.of(".ci/run"));

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** @param failing the body of the part that fails, if any does */
  private int run(String... failing) throws IOException, InterruptedException {
    StringBuilder text = new StringBuilder(
        "set -euo pipefail\nothers=()\nparts=$(mktemp)\nlist=()\ntaken=$(mktemp -d)\n");
    for (String function : FUNCTIONS) {
      Matcher found = Pattern.compile("(?ms)^" + function + "\\(\\) \\{$.*?^\\}$").matcher(script);
      assertThat(found.find()).as(function).isTrue();
      text.append(found.group()).append('\n');
    }
    for (int part = 0; part < 20; part++) {
      String name = "part_" + part;
      text.append(name).append("() { echo ").append(name).append(" >> ran; ")
          .append(List.of(failing).contains(name) ? "false" : "part $1 true").append("; }\n");
      text.append("list+=(").append(name).append(")\n");
    }
    assertThat(script).contains("beside 0 work \"$copy/tasker\" \"$@\"", "work . \"$@\"\n",
        "part \"what ran beside\" ended");
    text.append("beside 0 work . an_option\nwork . an_option\npart \"what ran beside\" ended\n");
    Process process = new ProcessBuilder("bash", "-c", text.toString()).directory(folder.toFile())
        .redirectErrorStream(true).redirectOutput(folder.resolve("out").toFile()).start();
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return process.exitValue();
  }

  private List<String> ran() throws IOException {
    return Files.readAllLines(folder.resolve("ran"));
  }

  @Test
  void two_workers_run_each_part_once() throws IOException, InterruptedException {
    assertThat(run()).as(() -> read(folder.resolve("out"))).isZero();

    assertThat(ran()).hasSize(20).doesNotHaveDuplicates();
  }

  @Test
  void a_part_that_fails_fails_the_run_and_few_begin_after_it()
      throws IOException, InterruptedException {
    assertThat(run("part_3")).isNotZero();

    assertThat(ran()).doesNotContain("part_19");
  }

  @ParameterizedTest
  @ValueSource(strings = {"essential", "core", "faults", "installing"})
  void classes_that_are_named_exist(String variable) throws IOException {
    Matcher names = Pattern.compile("(?m)^" + variable + "=(.*)$").matcher(script);
    assertThat(names.find()).isTrue();
    try (Stream<Path> files = Stream.concat(Files.walk(Path.of("tests/it/src/test/java")),
        Files.walk(Path.of("tools/faults/src/test/java")))) {
      assertThat(files.map(file -> file.getFileName().toString().replace(".java", "")))
          .contains(names.group(1).split(","));
    }
  }

  @Test
  void every_long_test_is_in_a_part() {
    assertThat(script).contains(
        "all_but \"$long_console\" \"$long_servers\" \"$long_requests\" \"$installing\"");
    for (String variable : List.of("$long_console", "$long_servers", "$long_requests",
        "$installing")) {
      assertThat(script).contains(" long \"" + variable);
    }
  }
}

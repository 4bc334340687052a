package ee.tasker.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The part of {@code .ci/run} that searches the models, run by its own functions with a search that
 * ends as the test wants it.
 */
class ModelsInContinuousIntegrationTest {
  private static final List<String> FUNCTIONS = List.of("part", "begun", "end", "watch",
      "beside", "ended", "work", "run", "row_aside", "models");

  @TempDir
  private Path folder;

  private int run(String search) throws IOException, InterruptedException {
    String script = Files.readString(Path.of(".ci/run"));
    StringBuilder text = new StringBuilder(
        "set -euo pipefail\nothers=()\nparts=$(mktemp)\ntaken=$(mktemp -d)\n");
    for (String function : FUNCTIONS) {
      Matcher found = Pattern.compile("(?ms)^" + function + "\\(\\) \\{$.*?^\\}$").matcher(script);
      assertThat(found.find()).as(function).isTrue();
      text.append(found.group()).append('\n');
    }
    // As the script does it.
    String part = "models_of_the_protocol() { part \"models of the protocol\" models; }\n";
    assertThat(script).contains(part, "beside 19 row_aside . \"$@\"",
        "part \"what ran beside\" ended");
    text.append(part).append("passed() { :; }\naside=(models_of_the_protocol)\n")
        .append("beside 19 row_aside .\npart \"what ran beside\" ended\ncat \"$parts\"\n");
    program("bin/spin", "");
    program("bin/gcc", "");
    program("db/model/check", search);
    ProcessBuilder bash = new ProcessBuilder("bash", "-c", text.toString())
        .directory(folder.toFile()).redirectErrorStream(true)
        .redirectOutput(folder.resolve("out").toFile());
    bash.environment().merge("PATH", folder.resolve("bin").toString(),
        (path, own) -> own + ":" + path);
    Process process = bash.start();
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return process.exitValue();
  }

  private void program(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void a_model_that_fails_fails_the_run() throws IOException, InterruptedException {
    assertThat(run("echo FAILED slots; exit 1")).isNotZero();
    assertThat(Files.readString(folder.resolve("out"))).contains("FAILED slots");
  }

  @Test
  void models_that_hold_are_printed_with_their_states_and_the_run_goes_on()
      throws IOException, InterruptedException {
    assertThat(run("echo 'ok slots 304 states, depth 203'")).isZero();
    assertThat(Files.readString(folder.resolve("out"))).contains("304 states, depth 203",
        "models of the protocol\n");
  }
}

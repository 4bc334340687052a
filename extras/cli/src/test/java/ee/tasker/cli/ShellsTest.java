package ee.tasker.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Completion in the shells themselves, where they are installed: {@code apt-get install zsh fish}.
 */
class ShellsTest {
  @TempDir
  private Path folder;
  private Program tasker;

  @BeforeEach
  void start() {
    tasker = new Program(folder.resolve("configuration"));
  }

  @AfterEach
  void close() {
    tasker.close();
  }

  /**
   * @param offered words that the shell shows for the line, with spaces between; those after a !
   * are not shown
   */
  private void check(String shell, String line, String offered) throws Exception {
    assumeTrue(run("sh", "-c", "command -v " + shell).length() > 0,
        "no " + shell + " on this machine: apt-get install " + shell);
    assertThat(tasker.run("completion", shell)).isZero();
    Path script = Files.writeString(folder.resolve("tasker." + shell), tasker.out);

    String shown = switch (shell) {
      case "fish" ->
        run("fish", "--no-config", "-c", "source " + script + "; complete -C '" + line + "'");
      case "zsh" ->
        run("zsh", "-f", Path.of("src/test/resources/complete.zsh").toAbsolutePath().toString(),
            script.toString(), line);
      default -> run("bash", "--norc", "--noprofile", "-c",
          "source " + script + "; COMP_WORDS=(" + line + (line.endsWith(" ") ? " ''" : "")
              + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE='" + line + "'; COMP_POINT="
              + line.length()
              + "; _complete_tasker; printf '%s\\n' \"${COMPREPLY[@]}\"");
    };

    List<String> words = List.of(shown.replaceAll("\u001B\\[[0-9;?]*[A-Za-z]", " ").split("\\s+"));
    for (String word : offered.split(" ")) {
      if (word.startsWith("!")) {
        assertThat(words).as(shown).doesNotContain(word.substring(1));
      } else {
        assertThat(words).as(shown).contains(word);
      }
    }
  }

  private String run(String... command) throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "output", "");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
        .redirectOutput(output.toFile());
    builder.environment().put("HOME", folder.toString());
    builder.environment().put("TERM", "xterm");
    Process process = builder.start();
    process.getOutputStream().close();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(command[0] + " did not end: " + Files.readString(output));
    }
    return Files.readString(output);
  }

  @ParameterizedTest
  @CsvSource({"bash", "zsh", "fish"})
  void commands_of_a_group_are_offered_and_those_of_others_are_not(String shell) throws Exception {
    check(shell, "tasker task ", "cancel diagnosis submit-many watch !register");
  }

  @ParameterizedTest
  @CsvSource({"bash", "zsh", "fish"})
  void options_of_a_command_are_offered(String shell) throws Exception {
    check(shell, "tasker task list --s", "--state !--watch");
  }

  @ParameterizedTest
  @CsvSource({"bash", "zsh", "fish"})
  void options_that_all_commands_have_and_their_values_are_offered(String shell) throws Exception {
    check(shell, "tasker task list --ou", "--output");
    check(shell, "tasker whoami -o ", "yaml wide !cancelled");
  }

  @ParameterizedTest
  @CsvSource({"bash", "zsh", "fish"})
  void values_of_an_argument_are_offered(String shell) throws Exception {
    check(shell, "tasker task document 01a1fc6e ", "context output");
  }

  @ParameterizedTest
  @CsvSource({"bash", "zsh", "fish"})
  void values_of_an_option_are_offered(String shell) throws Exception {
    check(shell, "tasker task list --state ", "blocked_by_failures cancelled !prod");
  }
}

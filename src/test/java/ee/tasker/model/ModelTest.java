package ee.tasker.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Searches all models, as {@code db/model/check --no-guards} does: some seconds. Skipped where there
 * is no Spin or no gcc. With {@code -Dmodel.required=true} a missing one is a failure, and each guard
 * of each model is taken out as well.
 */
class ModelTest {
  private static final boolean IS_REQUIRED = Boolean.getBoolean("model.required");

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  @Test
  void every_model_holds() throws IOException, InterruptedException {
    if (!IS_REQUIRED) {
      assumeTrue(isInstalled("bash") && isInstalled("spin") && isInstalled("gcc"),
          "SKIPPED: the models were not searched, because spin or gcc is not on the PATH");
    }
    Path report = Files.createTempFile("models", ".txt");
    List<String> command = new ArrayList<>(List.of("nice", "bash", "db/model/check"));
    if (!IS_REQUIRED) {
      command.add("--no-guards");
    }
    Process check = new ProcessBuilder(command).redirectErrorStream(true)
        .redirectOutput(report.toFile()).start();
    boolean hasEnded = check.waitFor(10, TimeUnit.MINUTES);
    if (!hasEnded) {
      check.destroyForcibly();
    }
    String said = Files.readString(report);
    System.out.println(said);
    assertThat(hasEnded).as(said).isTrue();
    assertThat(check.exitValue()).as(said).isZero();
    assertThat(said).contains("moves of the rules are reached");
  }
}

package ee.tasker.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnProcessTest {
  @TempDir
  private Path folder;

  /** Java reads the arguments and finds the class, without running it. */
  @Test
  void java_starts_with_the_arguments_from_a_folder_whose_name_needs_quotes() throws Exception {
    Path classes = Files.createDirectories(folder.resolve("a \\\"b\" c/ee/tasker/run"));
    Path compiled = Path
        .of(RunCommand.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    URL from = RunCommand.class.getResource("RunCommand.class");
    Files.copy(from.openStream(), classes.resolve("RunCommand.class"));
    Path file = folder.resolve("arguments of java");
    try (URLClassLoader loader = new URLClassLoader(new URL[]{
      classes.getParent().getParent().getParent().toUri().toURL(), compiled.toUri().toURL()},
        null)) {
      Files.write(file, OwnProcess.arguments(file, loader));
    }

    Process java = new ProcessBuilder(List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--dry-run",
        "@" + file)).redirectErrorStream(true).start();
    String said = new String(java.getInputStream().readAllBytes());
    assertThat(java.waitFor()).as(said).isZero();
    assertThat(Files.readAllLines(file))
        .contains("\"-Dtasker.start.file=" + file + "\"", "\"ee.tasker.run.RunCommand\"");
  }

  @Test
  void a_process_that_mvnw_did_not_start_stays_as_it_is() {
    assertThat(System.getenv(OwnProcess.FILE)).isNull();
    assertThat(OwnProcess.isPrepared(getClass().getClassLoader())).isFalse();
  }
}

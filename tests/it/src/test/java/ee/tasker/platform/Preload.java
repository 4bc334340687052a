package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Program;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Libraries that stand before the C library of a process, in its {@value #VARIABLE}: so that the
 * system answers it otherwise. They are compiled from {@code /preload}.
 */
final class Preload {
  static final String VARIABLE = "LD_PRELOAD";

  private Preload() {
  }

  /** Skips the test where there is no compiler, except where it is required. */
  static Path library(Path folder, String name) throws IOException {
    Program.GCC.require();
    // PostgreSQL may have to run as another user.
    assertThat(folder.toFile().setExecutable(true, false)).isTrue();
    try (InputStream text = Preload.class.getResourceAsStream("/preload/" + name + ".c")) {
      Files.copy(text, folder.resolve(name + ".c"));
    }
    Program.Ended ended = Program.GCC.run(folder, Map.of(),
        List.of("-shared", "-fPIC", "-o", name + ".so", name + ".c", "-ldl"));
    assertThat(ended.status()).as(ended.output()).isZero();
    return folder.resolve(name + ".so");
  }
}

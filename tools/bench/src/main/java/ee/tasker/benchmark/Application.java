package ee.tasker.benchmark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** What the servers of the benchmark run. */
final class Application {
  private Application() {}

  /**
   * A copy of a WAR, at that path, with the jar among its libraries: nothing else of the benchmark
   * is the application's.
   */
  static Path with(Path jar, Path war, Path copy) {
    try {
      Files.copy(war, copy, StandardCopyOption.REPLACE_EXISTING);
      try (FileSystem content = FileSystems.newFileSystem(copy)) {
        Files.copy(jar, content.getPath("WEB-INF", "lib", jar.getFileName().toString()));
      }
      return copy;
    } catch (IOException e) {
      throw new UncheckedIOException("the benchmark's application cannot be made", e);
    }
  }
}

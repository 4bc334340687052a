package ee.tasker.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Files of the checkout, for tests that read sources and documents. */
public final class Sources {
  private Sources() {
  }

  /** Below a folder, by the end of their names and in their order, without what npm installs. */
  public static List<Path> files(Path folder, String end) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(end))
          .filter(file -> !file.toString().contains("node_modules")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

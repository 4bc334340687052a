package ee.tasker.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a run of tests has found, in {@code target/reports}: tables that change with every run and
 * are published with a release. The repository keeps what must be in them, not the tables.
 */
public final class Reports {

  private Reports() {}

  /** @param name of the file, such as {@code corruptions.md} */
  public static void write(String name, String text) {
    Path folder = Path.of(System.getProperty("tasker.checkout", "."), "target", "reports");
    try {
      Files.writeString(Files.createDirectories(folder).resolve(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

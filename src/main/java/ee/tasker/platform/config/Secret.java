package ee.tasker.platform.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A password, given in the configuration or as a file. The file is read whenever the password is
 * needed, so that a new one counts without a restart.
 *
 * @param value what is configured; of no meaning with a file
 */
public record Secret(String value, Optional<Path> file) {

  public static Secret of(String value) {
    return new Secret(value, Optional.empty());
  }

  /** @throws IOException if the file cannot be read now */
  public String current() throws IOException {
    return file.isPresent() ? read(file.get()) : value;
  }

  /** Without the end of its last line, which editors add. */
  static String read(Path file) throws IOException {
    return Files.readString(file).replaceFirst("[\\r\\n]+$", "");
  }

  @Override
  public String toString() {
    return "Secret[" + file.map(Path::toString).orElse("configured") + "]";
  }
}

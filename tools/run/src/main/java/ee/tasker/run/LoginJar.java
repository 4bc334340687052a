package ee.tasker.run;

import ee.tasker.login.PasswordFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * {@code tasker-ee-login.jar}: the one class that lies beside the driver of a server. Made from the
 * class itself, so that there is no other copy of it to be found, packed or forgotten.
 */
public final class LoginJar {

  public static final String NAME = "tasker-ee-login.jar";

  /** For a jar that is not published. */
  static final LocalDateTime ANY_TIME = LocalDateTime.of(2000, 1, 1, 0, 0);

  private LoginJar() {}

  /** @param time of its entry, so that two builds have the same bytes */
  public static void write(Path jar, LocalDateTime time) throws IOException {
    var entry = PasswordFile.class.getName().replace('.', '/') + ".class";
    try (OutputStream out = Files.newOutputStream(jar);
        var zip = new ZipOutputStream(out);
        InputStream bytes = PasswordFile.class.getResourceAsStream("/" + entry)) {
      var made = new ZipEntry(entry);
      made.setTimeLocal(time);
      zip.putNextEntry(made);
      bytes.transferTo(zip);
      zip.closeEntry();
    }
  }
}

package ee.tasker.release;

import ee.tasker.run.LoginJar;
import ee.tasker.run.ServerKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.regex.Pattern;

/** Writes into {@code target/release-parts} what the archives contain and no plugin makes. */
public final class Parts {

  private static final Pattern TIME = Pattern
      .compile("<project\\.build\\.outputTimestamp>([^<]+)<");

  private Parts() {}

  public static void main(String[] arguments) throws IOException {
    var checkout = Path.of(System.getProperty("tasker.checkout"));
    var folder = checkout.resolve("target/release-parts");
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("install.sql"),
        InstallScript.of(checkout.resolve("db"), Versions.of(checkout)));
    LoginJar.write(folder.resolve(LoginJar.NAME),
        time(Files.readString(checkout.resolve("pom.xml"))));
    var contexts = Files.createDirectories(folder.resolve("contexts"));
    for (var server : ServerKind.values())
      Files.writeString(contexts.resolve("container-" + server.id() + ".xml"),
          ContainerContext.descriptor(checkout, server));
  }

  /** Of the entries of all archives. */
  private static LocalDateTime time(String pom) {
    var time = TIME.matcher(pom);
    if (!time.find())
      throw new IllegalStateException("pom.xml has no project.build.outputTimestamp");
    return LocalDateTime.ofInstant(Instant.parse(time.group(1)), ZoneOffset.UTC);
  }
}

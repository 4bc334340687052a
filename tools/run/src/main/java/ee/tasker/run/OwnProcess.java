package ee.tasker.run;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Lets the run command leave Maven: a build needs up to a gigabyte, and watching a server and a
 * database needs little. {@code mvnw} names a file in {@code TASKER_START_FILE}; this class writes
 * the arguments of Java into it and ends Maven, and {@code mvnw} becomes that Java. Where nobody
 * names a file ({@code mvn}, {@code mvnw.cmd}), the product runs inside Maven.
 */
final class OwnProcess {

  static final String FILE = "TASKER_START_FILE";
  /** Set in the process of its own. */
  static final String STARTED = "tasker.start.file";

  private OwnProcess() {}

  /** Whether the arguments were written, so that this process is to end with success. */
  static boolean isPrepared(ClassLoader loader) {
    var file = System.getenv(FILE);
    if (System.getProperty(STARTED) != null) {
      delete(Path.of(System.getProperty(STARTED)));
      return false;
    }
    if (file == null || file.isBlank() || !(loader instanceof URLClassLoader urls))
      return false;
    try {
      Files.write(Path.of(file), arguments(Path.of(file), urls));
      return true;
    } catch (IOException | URISyntaxException e) {
      return false;
    }
  }

  static List<String> arguments(Path file, URLClassLoader loader) throws URISyntaxException {
    var classPath = new ArrayList<String>();
    for (var url : loader.getURLs())
      classPath.add(Path.of(url.toURI()).toString());
    var arguments = new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
        "-XX:ReservedCodeCacheSize=16m", "-Xms8m"));
    // A reload compiles the application.
    arguments.add(Boolean.getBoolean("tasker.dev") ? "-Xmx384m" : "-Xmx48m");
    System.getProperties().stringPropertyNames().stream().filter(OwnProcess::isOurs).sorted()
        .forEach(name -> arguments.add("-D" + name + "=" + System.getProperty(name)));
    arguments.add("-D" + STARTED + "=" + file);
    arguments.addAll(List.of("-cp", String.join(System.getProperty("path.separator"), classPath),
        RunCommand.class.getName()));
    return arguments.stream().map(OwnProcess::quoted).toList();
  }

  /** As the launcher of Java reads a file of arguments. */
  private static String quoted(String argument) {
    return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private static boolean isOurs(String name) {
    return name.startsWith("tasker.");
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // it is in the folder of the system for such files
    }
  }
}

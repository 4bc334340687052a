package ee.tasker.release;

import ee.tasker.run.LoginJar;
import ee.tasker.run.ServerKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The descriptor by which Maven packs the context of a container image: {@code
 * .mvn/release/container.xml}, with the name of the server and those files that the server's {@code
 * Containerfile} copies.
 */
final class ContainerContext {
  private static final Pattern COPY = Pattern.compile("(?m)^COPY --chown=\\S+ (.+) \\S+$");

  /** What lies beside the configuration of the server, in this order. */
  private static final List<String> MADE = List.of("tasker-ee.war", "jdbc/postgresql.jar",
      "jdbc/" + LoginJar.NAME, "jpa/eclipselink.jar");

  private ContainerContext() {}

  /** Of the checkout. */
  static String file(ServerKind server) {
    return "deploy/container/" + server.id() + "/Containerfile";
  }

  /** What the file copies, as it names it: files, and folders with a slash at the end. */
  static List<String> sources(Path checkout, ServerKind server) throws IOException {
    return COPY.matcher(Files.readString(checkout.resolve(file(server)))).results()
        .flatMap(copy -> List.of(copy.group(1).split(" ")).stream()).toList();
  }

  static String descriptor(Path checkout, ServerKind server) throws IOException {
    var sources = sources(checkout, server);
    var files = new StringBuilder();
    for (var file : MADE) {
      if (sources.contains(file) || sources.contains(file.replaceFirst("[^/]+$", "")))
        files.append(element(file));
    }
    return Files.readString(checkout.resolve(".mvn/release/container.xml"))
        .replace("@server@", server.id()).replace("@files@", files.toString().stripTrailing());
  }

  private static String element(String file) {
    var slash = file.indexOf('/');
    return "    <file><source>${checkout}/target/"
        + (slash < 0 ? file : "release-parts" + file.substring(slash))
        + "</source><outputDirectory>" + (slash < 0 ? "/" : file.substring(0, slash))
        + "</outputDirectory><fileMode>0644</fileMode></file>\n";
  }
}

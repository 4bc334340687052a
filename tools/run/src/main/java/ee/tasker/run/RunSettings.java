package ee.tasker.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;

/**
 * The settings of the run command: the user's from the environment, the build's from system
 * properties.
 *
 * @param checkout        the repository's top folder
 * @param war             the WAR to run
 * @param server          which server
 * @param serverHome      the unpacked server
 * @param postgresVersion of the embedded PostgreSQL
 * @param httpPort        {@code HTTP_PORT}, 8080 by default
 * @param startBound      {@code START_SECONDS}, 1800 by default: how long the server may take to
 *   become ready
 * @param database        the embedded one, or the one that {@code DB_HOST} names
 * @param embedded        whether this run starts the database
 */
record RunSettings(Path checkout, Path war, ServerKind server, Path serverHome,
    String postgresVersion, int httpPort, Duration startBound, DatabaseAddress database,
    boolean embedded) {

  static RunSettings from(Map<String, String> environment, Properties build) {
    int databasePort = port(environment, "DB_PORT", 54320);
    boolean embedded = given(environment, "DB_HOST", "").isEmpty();
    var database = embedded
        ? DatabaseAddress.embedded(databasePort)
        : new DatabaseAddress(
            environment.get("DB_HOST"),
            databasePort,
            given(environment, "DB_NAME", "tasker"),
            given(environment, "DB_USER", "tasker"),
            given(environment, "DB_PASSWORD", "tasker"));
    return new RunSettings(
        Path.of(build.getProperty("tasker.checkout")),
        Path.of(build.getProperty("tasker.war")),
        ServerKind.from(build),
        Path.of(build.getProperty("tasker.server.home")),
        build.getProperty("tasker.postgres.version"),
        port(environment, "HTTP_PORT", 8080),
        Duration.ofSeconds(
            number(environment, "START_SECONDS", 1_800, 10, 86_400, "a number of seconds")),
        database, embedded);
  }

  /** The WAR, unpacked, as the build leaves it beside the file. */
  Path exploded() {
    return war.resolveSibling(war.getFileName().toString().replaceFirst("\\.war$", ""));
  }

  Path folder() {
    return checkout.resolve(".tasker");
  }

  private static String given(Map<String, String> environment, String name, String otherwise) {
    var value = environment.get(name);
    return value == null || value.isBlank() ? otherwise : value;
  }

  private static int port(Map<String, String> environment, String name, int otherwise) {
    return number(environment, name, otherwise, 1, 65_535, "a port number");
  }

  private static int number(Map<String, String> environment, String name, int otherwise, int least,
      int most, String kind) {
    var value = given(environment, name, Integer.toString(otherwise));
    try {
      int number = Integer.parseInt(value.strip());
      if (number >= least && number <= most)
        return number;
    } catch (NumberFormatException e) {
      // falls through to the one complaint below
    }
    throw new RunProblem(
        name + " must be " + kind + " from " + least + " to " + most + ", and is: " + value);
  }
}

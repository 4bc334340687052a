package ee.tasker.run;

import java.util.Map;

/**
 * The check that {@code ./mvnw} makes before it builds: it reports a port in use, a second run
 * command or an invalid
 * setting within seconds and not after the build. It starts and claims nothing; {@link RunCommand}
 * checks again when it
 * claims what was free here.
 */
public final class PortsCheck {

  private PortsCheck() {}

  /**
   * Ends the whole process, which is Maven's, without its summary when something blocks the run.
   */
  public static void main(String[] arguments) {
    try {
      check(RunSettings.from(System.getenv(), System.getProperties()));
    } catch (RunProblem problem) {
      System.err.println("\n" + problem.getMessage());
      System.err.flush();
      System.exit(1);
    }
  }

  static void check(RunSettings settings) {
    settings.server()
        .process(settings.serverHome(), settings.folder(), settings.httpPort(), Map.of())
        .checkPort();
    if (settings.embedded())
      EmbeddedDatabase.checkPort(settings.folder(), settings.postgresVersion(),
          settings.database().port());
  }
}

package ee.tasker.run;

import java.util.Map;

/**
 * What {@code ./mvnw} does before it builds anything: a port that is taken, a second run command, a setting that makes no sense are told within seconds and
 * not after the build. It starts nothing and takes nothing; {@link RunCommand} asks again when it takes what was free here.
 */
public final class PortsCheck {

  private PortsCheck() {}

  /** Ends the whole process, Maven's, without its summary when something is in the way. */
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
    settings.server().process(settings.serverHome(), settings.folder(), settings.httpPort(), Map.of()).checkPort();
    if (settings.embedded())
      EmbeddedDatabase.checkPort(settings.folder(), settings.postgresVersion(), settings.database().port());
  }
}

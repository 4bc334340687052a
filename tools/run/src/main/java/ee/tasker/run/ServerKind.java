package ee.tasker.run;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/**
 * The Jakarta EE servers that the WAR runs on. Each has a folder in {@code server-config} and a
 * build profile, both of its
 * name.
 */
public enum ServerKind {
  LIBERTY("Open Liberty"), WILDFLY("WildFly"), PAYARA("Payara Micro");

  private final String title;

  ServerKind(String title) {
    this.title = title;
  }

  /** The server selected by {@code tasker.server}. */
  public static ServerKind from(Properties build) {
    return valueOf(build.getProperty("tasker.server", "liberty").toUpperCase(Locale.ROOT));
  }

  /** The display name. */
  public String title() {
    return title;
  }

  public Path config(Path checkout) {
    return checkout.resolve("server-config").resolve(name().toLowerCase(Locale.ROOT));
  }

  public ServerProcess process(Path home, Path parent, int httpPort,
      Map<String, String> environment) {
    return switch (this) {
      case LIBERTY -> new LibertyProcess(home, parent, httpPort, environment);
      case WILDFLY -> new WildFlyProcess(home, parent, httpPort, environment);
      case PAYARA -> new PayaraProcess(home, parent, httpPort, environment);
    };
  }
}

package ee.tasker.run;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/**
 * The Jakarta EE servers that the WAR runs on. Each has a folder in {@code server-config}, one in
 * {@code deploy/container} and a build profile, all of its name.
 */
public enum ServerKind {
  LIBERTY("Open Liberty", LibertyProcess::new), WILDFLY("WildFly", WildFlyProcess::new), PAYARA(
      "Payara Micro", PayaraProcess::new);

  /** The constructor of its process. */
  private interface Starter {
    ServerProcess process(Path home, Path parent, int httpPort, Map<String, String> environment);
  }

  private final String title;
  private final Starter starter;

  ServerKind(String title, Starter starter) {
    this.title = title;
    this.starter = starter;
  }

  /** The server selected by {@code tasker.server}. */
  public static ServerKind from(Properties build) {
    return valueOf(
        build.getProperty("tasker.server", LIBERTY.id()).toUpperCase(Locale.ROOT));
  }

  /** The name of its folders and of its profile. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The display name. */
  public String title() {
    return title;
  }

  public Path config(Path checkout) {
    return checkout.resolve("server-config").resolve(id());
  }

  public ServerProcess process(Path home, Path parent, int httpPort,
      Map<String, String> environment) {
    return starter.process(home, parent, httpPort, environment);
  }
}

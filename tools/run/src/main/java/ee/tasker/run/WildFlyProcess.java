package ee.tasker.run;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * WildFly: its command line interface creates the configuration from the shipped one, which takes
 * some seconds. The result
 * is cached beside the server for later starts with the same script.
 */
public final class WildFlyProcess extends ServerProcess {

  private static final String CONFIGURATION = "tasker.xml";

  /** The options that WildFly's {@code bin/common.sh} adds on a modular JDK. */
  private static final List<String> JAVA_OPTIONS = List.of(
      "--add-exports=java.desktop/sun.awt=ALL-UNNAMED",
      "--add-exports=java.naming/com.sun.jndi.ldap=ALL-UNNAMED",
      "--add-exports=java.naming/com.sun.jndi.url.ldap=ALL-UNNAMED",
      "--add-exports=java.naming/com.sun.jndi.url.ldaps=ALL-UNNAMED",
      "--add-exports=jdk.naming.dns/com.sun.jndi.dns=ALL-UNNAMED",
      "--add-opens=java.base/java.lang=ALL-UNNAMED",
      "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
      "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
      "--add-opens=java.base/java.io=ALL-UNNAMED",
      "--add-opens=java.base/java.net=ALL-UNNAMED",
      "--add-opens=java.base/java.security=ALL-UNNAMED",
      "--add-opens=java.base/java.util=ALL-UNNAMED",
      "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
      "--add-opens=java.management/javax.management=ALL-UNNAMED",
      "--add-opens=java.naming/javax.naming=ALL-UNNAMED",
      "-Djava.net.preferIPv4Stack=true",
      "-Djboss.modules.system.pkgs=org.jboss.byteman");

  private final int managementPort;
  /** Whether the broker that is part of the server is configured. */
  private final boolean hasMessaging;
  private final boolean isLogJson;

  public WildFlyProcess(Path home, Path parent, int httpPort, Map<String, String> environment) {
    super(home, parent, httpPort, environment);
    this.hasMessaging = "embedded".equals(environment.get("MESSAGING"));
    this.isLogJson = "json".equals(environment.get("CONSOLE_FORMAT"));
    this.managementPort = environment.containsKey("MANAGEMENT_PORT")
        ? Integer.parseInt(environment.get("MANAGEMENT_PORT"))
        : Ports.freeNear(httpPort + 1910); // 9990 for 8080, as WildFly has it
  }

  @Override
  public Path log() {
    return base().resolve("log/server.log");
  }

  @Override
  void deploy(Path war) throws IOException {
    // its name makes it the application at /
    Files.copy(war, base().resolve("deployments/ROOT.war"));
  }

  /** The scanner notices that the file has changed. */
  @Override
  public boolean redeploy(Path war) throws IOException {
    var complete = Files.copy(war, folder.resolve("ROOT.war.new"),
        StandardCopyOption.REPLACE_EXISTING);
    Files.move(complete, base().resolve("deployments/ROOT.war"),
        StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    return true;
  }

  @Override
  public boolean deployBeside(String name, Path application) throws IOException {
    var file = name + (application.toString().endsWith(".ear") ? ".ear" : ".war");
    var complete = Files.copy(application, folder.resolve(file + ".new"),
        StandardCopyOption.REPLACE_EXISTING);
    Files.move(complete, base().resolve("deployments").resolve(file),
        StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    return true;
  }

  @Override
  void configure(Path serverConfig) throws IOException {
    Folders.delete(base());
    Folders.delete(modules());
    Folders.copy(serverConfig.resolve("modules"), modules());
    Files.copy(driver(), modules().resolve("org/postgresql/jdbc/main/postgresql.jar"));
    LoginJar.write(modules().resolve("org/postgresql/jdbc/main").resolve(LoginJar.NAME),
        LoginJar.ANY_TIME);
    Files.copy(home.resolveSibling("eclipselink.jar"),
        modules().resolve("org/eclipse/persistence/main/eclipselink.jar"));
    Files.copy(glue(), modules().resolve("org/eclipse/persistence/main/jipijapa-eclipselink.jar"));
    Files.createDirectories(base().resolve("log"));
    Files.createDirectories(base().resolve("deployments"));
    Folders.copy(home.resolve("standalone/configuration"), base().resolve("configuration"));
    Files.copy(serverConfig.resolve("jvm.options"), folder.resolve("jvm.options"),
        StandardCopyOption.REPLACE_EXISTING);
    var scripts = new ArrayList<>(List.of(serverConfig.resolve("configure.cli")));
    if (hasMessaging)
      scripts.add(serverConfig.resolve("messaging.cli"));
    if (isLogJson)
      scripts.add(serverConfig.resolve("json.cli"));
    var kept = home.resolveSibling("tasker-" + digest(scripts) + ".xml");
    if (!Files.exists(kept))
      makeConfiguration(scripts, kept);
    Files.copy(kept, base().resolve("configuration").resolve(CONFIGURATION));
  }

  /** Its scanner leaves a file beside the application, with all the details. */
  @Override
  Optional<String> deploymentFailure() throws IOException {
    var failed = base().resolve("deployments/ROOT.war.failed");
    if (!Files.exists(failed))
      return Optional.empty();
    var text = Files.readString(failed);
    return text.isBlank() ? Optional.empty()
        : Optional.of(LogWatch.causeOf(text).orElse(text.strip()));
  }

  @Override
  ProcessBuilder command() throws IOException {
    var words = new ArrayList<String>();
    words.add(java());
    words.addAll(options(folder.resolve("jvm.options")));
    words.addAll(JAVA_OPTIONS);
    words.addAll(List.of(
        "-Dorg.jboss.boot.log.file=" + log(),
        "-Dlogging.configuration=" + base().resolve("configuration/logging.properties").toUri(),
        "-jar", home.resolve("jboss-modules.jar").toString(),
        "-mp", modulePath(),
        "org.jboss.as.standalone",
        "-Djboss.home.dir=" + home,
        "-Djboss.server.base.dir=" + base(),
        "-c", CONFIGURATION));
    var builder = new ProcessBuilder(words);
    builder.environment().put("MANAGEMENT_PORT", Integer.toString(managementPort));
    return builder;
  }

  /** In a folder that no server runs from; only a complete result is kept. */
  private void makeConfiguration(List<Path> scripts, Path kept) throws IOException {
    System.out.println("Configuring WildFly (once) ...");
    var scratch = Files.createTempDirectory(folder, "configure-");
    try {
      Folders.copy(home.resolve("standalone/configuration"), scratch.resolve("configuration"));
      var made = scratch.resolve("configuration").resolve(CONFIGURATION);
      Files.copy(scratch.resolve("configuration/standalone.xml"), made);
      for (var script : scripts) {
        var words = List.of(java(),
            "-Djboss.home.dir=" + home, "-Djboss.server.base.dir=" + scratch,
            "-jar", home.resolve("jboss-modules.jar").toString(), "-mp", modulePath(),
            "org.jboss.as.cli", "--file=" + script);
        var run = Command.run(folder, words, Map.of("JBOSS_HOME", home.toString()));
        if (!run.succeeded())
          throw new RunProblem("WildFly cannot be configured by " + script + ". " + run.output());
      }
      Files.move(made, kept, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Folders.delete(scratch);
    }
  }

  /** WildFly's adapter for EclipseLink. */
  private Path glue() throws IOException {
    try (var jars = Files.newDirectoryStream(
        home.resolve("modules/system/layers/base/org/eclipse/persistence/main"),
        "jipijapa-eclipselink-*.jar")) {
      for (var jar : jars)
        return jar;
    }
    throw new IOException("WildFly has no jipijapa-eclipselink jar in " + home);
  }

  private String modulePath() {
    return modules() + File.pathSeparator + home.resolve("modules");
  }

  private Path base() {
    return folder.resolve("standalone");
  }

  private Path modules() {
    return folder.resolve("modules");
  }

  private static String digest(List<Path> files) throws IOException {
    try {
      var text = new StringBuilder();
      for (var file : files)
        text.append(Files.readString(file, StandardCharsets.UTF_8));
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256")
              .digest(text.toString().getBytes(StandardCharsets.UTF_8)))
          .substring(0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}

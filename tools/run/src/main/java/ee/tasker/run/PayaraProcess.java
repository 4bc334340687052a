package ee.tasker.run;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Payara Micro: one jar, which unpacks itself into the run's folder at each start, and is
 * configured by asadmin commands
 * while it boots.
 */
public final class PayaraProcess extends ServerProcess {
  private static final String JSON = "fish.payara.enterprise.server.logging.JSONLogFormatter";

  private static final Pattern NOT_STARTED = Pattern.compile("Exception while [a-z]+ the app\\b");

  private final boolean isLogJson;
  private LogWatch watch;

  public PayaraProcess(Path home, Path parent, int httpPort, Map<String, String> environment) {
    super(home, parent, httpPort, environment);
    this.isLogJson = "json".equals(environment.get("CONSOLE_FORMAT"));
  }

  @Override
  public Path log() {
    return folder.resolve("server.0.log");
  }

  @Override
  void configure(Path serverConfig) throws IOException {
    Folders.delete(domain()); // it keeps what it was told, and must not be told again
    Folders.delete(folder.resolve("runtime"));
    Files.createDirectories(domain());
    Folders.copy(serverConfig, folder);
    if (isLogJson)
      logInJson(folder.resolve("logging.properties"));
    Files.copy(driver(), folder.resolve("postgresql.jar"), StandardCopyOption.REPLACE_EXISTING);
    LoginJar.write(folder.resolve(LoginJar.NAME), LoginJar.ANY_TIME);
  }

  /** As the head of that file says. */
  private static void logInJson(Path properties) throws IOException {
    Files.writeString(properties, Files.readString(properties)
        .replace("formatter=java.util.logging.SimpleFormatter", "formatter=" + JSON));
  }

  @Override
  void deploy(Path war) throws IOException {
    watch = new LogWatch(log(), NOT_STARTED);
    Files.copy(war, folder.resolve("tasker-ee.war"), StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  Optional<String> deploymentFailure() throws IOException {
    return watch.failure();
  }

  @Override
  ProcessBuilder command() throws IOException {
    var words = new ArrayList<String>();
    words.add(java());
    words.addAll(options(folder.resolve("jvm.options")));
    words.addAll(List.of(
        "-jar", home.resolve("payara-micro.jar").toString(),
        "--nohazelcast", "--disablephonehome",
        "--rootdir", domain().toString(),
        "--unpackdir", folder.resolve("runtime").toString(),
        "--port", Integer.toString(httpPort),
        "--addlibs",
        folder.resolve("postgresql.jar") + File.pathSeparator + folder.resolve(LoginJar.NAME),
        "--prebootcommandfile", folder.resolve("pre-boot.asadmin").toString(),
        "--postbootcommandfile", folder.resolve("post-boot.asadmin").toString(),
        "--logproperties", folder.resolve("logging.properties").toString(),
        "--deploy", folder.resolve("tasker-ee.war").toString(),
        "--contextroot", "/"));
    return new ProcessBuilder(words);
  }

  private Path domain() {
    return folder.resolve("domain");
  }
}

package ee.tasker.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Open Liberty: its configuration is a server folder, copied unchanged. */
public final class LibertyProcess extends ServerProcess {

  private static final String SERVER = "tasker";
  private static final Pattern NOT_STARTED = Pattern.compile("CWWKZ0002E|CWWKZ0004E");

  private LogWatch watch;

  public LibertyProcess(Path home, Path parent, int httpPort, Map<String, String> environment) {
    super(home, parent, httpPort, environment);
  }

  @Override
  public Path log() {
    return server().resolve("logs/messages.log");
  }

  @Override
  void configure(Path serverConfig) throws IOException {
    var server = server();
    Folders.delete(server.resolve("configDropins"));
    Folders.copy(serverConfig, server);
    Folders.delete(server.resolve("jdbc"));
    Files.createDirectories(server.resolve("jdbc"));
    Files.copy(driver(), server.resolve("jdbc").resolve(driver().getFileName()));
    LoginJar.write(server.resolve("jdbc").resolve(LoginJar.NAME), LoginJar.ANY_TIME);
  }

  @Override
  void deploy(Path war) throws IOException {
    Files.deleteIfExists(log()); // Liberty would put it aside at its start
    watch = new LogWatch(log(), NOT_STARTED);
    var apps = server().resolve("apps");
    Folders.delete(apps);
    Files.createDirectories(apps);
    Files.copy(war, apps.resolve("tasker-ee.war" + descriptor(war)));
  }

  /**
   * Beside a WAR there is a file that names the places where its parts are: Liberty's loose
   * application.
   */
  private static String descriptor(Path war) {
    return war.toString().endsWith(".xml") ? ".xml" : "";
  }

  /**
   * Through its configuration, which Liberty rereads when it changes: files in {@code apps} are not
   * monitored, see
   * server.xml.
   */
  @Override
  public boolean redeploy(Path war) throws IOException {
    var application = server().resolve("application.xml");
    var before = Files.readString(application);
    var name = "tasker-ee-" + System.nanoTime() + ".war";
    Files.copy(war, server().resolve("apps").resolve(name + descriptor(war)));
    watch = new LogWatch(log(), NOT_STARTED);
    var changed = server().resolve("application.xml.new");
    Files.writeString(changed,
        before.replaceFirst("location=\"[^\"]*\"", "location=\"" + name + "\""));
    Files.move(changed, application, StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.ATOMIC_MOVE);
    return true;
  }

  /**
   * In a configuration of its own, which Liberty rereads, too. Data sources of an EAR find the driver
   * only in a shared library.
   */
  @Override
  public boolean deployBeside(String name, Path application) throws IOException {
    var isEar = application.toString().endsWith(".ear");
    var file = name + "-" + System.nanoTime() + (isEar ? ".ear" : ".war");
    Files.copy(application, server().resolve("apps").resolve(file));
    var dropins = Files.createDirectories(server().resolve("configDropins/overrides"));
    var changed = server().resolve(name + ".xml.new");
    Files.writeString(changed, String.format(Locale.ROOT, """
        <server>
          <%s id="%s" location="%s" %s>
            <classloader commonLibraryRef="pgjdbc"/>
          </%1$s>
        </server>
        """, isEar ? "enterpriseApplication" : "webApplication", name, file,
        isEar ? "" : "contextRoot=\"/" + name + "\""));
    Files.move(changed, dropins.resolve(name + ".xml"), StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.ATOMIC_MOVE);
    return true;
  }

  @Override
  Optional<String> deploymentFailure() throws IOException {
    return watch.failure();
  }

  @Override
  ProcessBuilder command() throws IOException {
    return command(List.of(SERVER));
  }

  @Override
  void askToStop(Process running) throws IOException, InterruptedException {
    if (PostgresBinaries.WINDOWS)
      command(List.of(SERVER, "--stop")).start().waitFor(40, TimeUnit.SECONDS);
    else
      super.askToStop(running);
  }

  private ProcessBuilder command(List<String> arguments) throws IOException {
    var words = new ArrayList<String>();
    words.add(java());
    words.add("-javaagent:" + home.resolve("bin/tools/ws-javaagent.jar"));
    words.addAll(options(server().resolve("jvm.options")));
    words.addAll(options(home.resolve("lib/platform/java")
        .resolve(Runtime.version().feature() < 24 ? "java9.options" : "java24.options")));
    words.addAll(List.of("-jar", home.resolve("bin/tools/ws-server.jar").toString()));
    words.addAll(arguments);
    var builder = new ProcessBuilder(words);
    builder.environment().put("WLP_USER_DIR", folder.resolve("usr").toString());
    builder.environment().remove("WLP_OUTPUT_DIR");
    builder.environment().remove("LOG_DIR");
    return builder;
  }

  private Path server() {
    return folder.resolve("usr/servers").resolve(SERVER);
  }
}

package ee.tasker.run;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Runs database and server until interrupted, then stops them in reverse order: the server first,
 * while its database still
 * answers.
 *
 * <p>On Ctrl-C the terminal signals the server at the same moment as us, but not PostgreSQL, which
 * detached itself at its
 * start; so the order holds then too.
 */
public final class RunCommand {

  private final RunSettings settings;
  private final Optional<DevProject> project;
  private final Path loginFile;
  private final boolean loginIsNew;
  private final Login login;
  private final Optional<EmbeddedDatabase> database;
  private final ServerProcess server;
  private final Optional<DevLoop> dev;
  private volatile boolean told;
  private volatile boolean failed;

  private RunCommand(RunSettings settings, Optional<DevProject> project) {
    this.settings = settings;
    this.project = project;
    this.loginFile = settings.folder().resolve("login");
    this.loginIsNew = !Files.exists(loginFile);
    this.login = Login.keptIn(loginFile);
    this.server = settings.server().process(settings.serverHome(), settings.folder(),
        settings.httpPort(), serverEnvironment(settings, project, login));
    this.dev = project
        .map(found -> new DevLoop(found, server, new DevTemplates(server.address(), login),
            server.folder, System.out::println));
    if (dev.isPresent() && settings.server() != ServerKind.LIBERTY)
      throw new RunProblem("./mvnw -Pdev runs on Open Liberty only.");
    this.database = settings.embedded()
        ? Optional.of(EmbeddedDatabase.durable(settings.folder(), settings.postgresVersion(),
            settings.database().port()))
        : Optional.empty();
  }

  /**
   * Ends the whole process, which may be Maven's, without its summary: this was not a build that
   * failed or succeeded, but a run that ended.
   */
  public static void main(String[] arguments) throws InterruptedException {
    if (OwnProcess.isPrepared(RunCommand.class.getClassLoader()))
      System.exit(0);
    try {
      loadEverything();
      var command = new RunCommand(RunSettings.from(System.getenv(), System.getProperties()),
          DevProject.from(Path.of(System.getProperty("tasker.checkout")), System.getProperties()));
      Runtime.getRuntime().addShutdownHook(new Thread(command::stop, "tasker-stop"));
      command.run();
    } catch (RunProblem problem) {
      System.err.println("\n" + problem.getMessage());
    }
    System.exit(1);
  }

  /** Returns only when something failed; otherwise the process ends while this waits. */
  private void run() throws InterruptedException {
    long begin = System.nanoTime();
    try {
      server.claimPort();
      if (database.isPresent()) {
        System.out.println("Starting PostgreSQL " + settings.postgresVersion() + " ...");
        database.get().start();
      }
      System.out.println("Starting " + settings.server().title() + " ...");
      var application = dev.map(loop -> loop.prepare(settings.exploded())).orElse(settings.war());
      server.start(settings.server().config(settings.checkout()), application);
      server.awaitReady(settings.startBound(), settings.database());
      long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
      System.out.println(Banner.of(settings, project, login, isValid(login), seconds));
      if (dev.isPresent())
        watch(dev.get());
      int status = server.waitFor();
      throw new RunProblem(
          "The server ended by itself (status " + status + "). Its log: " + server.log());
    } catch (RunProblem problem) {
      // Ctrl-C ends children a moment before we receive it: their end is not a problem then.
      Thread.sleep(500);
      if (told)
        Thread.sleep(Long.MAX_VALUE);
      failed = true;
      throw problem;
    }
  }

  /** On a thread of its own: this one waits for the server. */
  private void watch(DevLoop loop) {
    var watcher = new Thread(() -> {
      try {
        loop.watch();
      } catch (InterruptedException e) {
        // no caller asks for that
      }
    }, "tasker-dev");
    watcher.setDaemon(true);
    watcher.start();
  }

  /**
   * A database that already had users keeps exactly those. A password generated in vain is not
   * stored.
   */
  private boolean isValid(Login login) throws InterruptedException {
    if (server.accepts(login))
      return true;
    if (loginIsNew) {
      try {
        Files.deleteIfExists(loginFile);
      } catch (IOException e) {
        // then it is as wrong at the next start, and is reported
      }
    }
    return false;
  }

  private void stop() {
    told = true;
    server.close();
    database.ifPresent(EmbeddedDatabase::close);
    if (failed)
      return;
    System.out.println(settings.embedded()
        ? "\nTasker EE has stopped. Its data are kept in .tasker/"
            + database.get().data().getFileName() + "."
        : "\nTasker EE has stopped.");
    System.out.flush();
  }

  private static Map<String, String> serverEnvironment(RunSettings settings,
      Optional<DevProject> project, Login login) {
    var database = settings.database();
    var environment = new HashMap<>(login.environment());
    environment.putAll(Map.of(
        "CONSOLE_FORMAT", "dev",
        "HTTP_HOST", "127.0.0.1",
        "HTTP_PORT", Integer.toString(settings.httpPort()),
        "DB_HOST", database.host(),
        "DB_PORT", Integer.toString(database.port()),
        "DB_NAME", database.name(),
        "DB_USER", database.user(),
        "DB_PASSWORD", database.password(),
        "TASKER_TEMPLATES_FOLDER", project.map(DevProject::templates)
            .orElse(settings.checkout().resolve("samples")).toString()));
    environment.put("TASKER_GUARDS", System.getenv().getOrDefault("TASKER_GUARDS", "true"));
    // A reload waits for running steps no longer than this.
    if (project.isPresent())
      environment.put("TASKER_WORKER_DRAIN_SECONDS",
          System.getenv().getOrDefault("TASKER_WORKER_DRAIN_SECONDS", "1"));
    return environment;
  }

  /**
   * A build in the same checkout may replace our class files while we run; the classes needed to
   * stop must be loaded by then.
   */
  private static void loadEverything() {
    try {
      var classes = Path
          .of(RunCommand.class.getProtectionDomain().getCodeSource().getLocation().toURI())
          .resolve("ee/tasker/run");
      try (var files = Files.list(classes)) {
        for (var file : (Iterable<Path>) files::iterator) {
          var name = file.getFileName().toString();
          if (name.endsWith(".class") && !name.equals("package-info.class")) {
            Class.forName("ee.tasker.run." + name.substring(0, name.length() - ".class".length()));
          }
        }
      }
    } catch (IOException | URISyntaxException | ClassNotFoundException e) {
      // then they are loaded when first used, as usual
    }
  }
}

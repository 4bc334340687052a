package ee.tasker.run;

import ee.tasker.login.PasswordFile;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Jakarta EE server with the WAR as a child process, in a folder of its own per HTTP port, so
 * that several can run from
 * one checkout and a running build does not affect them.
 *
 * <p>Life cycle: {@link #claimPort}, {@link #start}, {@link #awaitReady}, {@link #close}. Every
 * server is started by its
 * jar and not by its script: a script needs a shell, which would come between us and the process to
 * stop.
 */
public abstract class ServerProcess implements AutoCloseable {

  private static final HttpClient PROBE = HttpClient.newBuilder()
      .version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(2))
      .build();

  /** How a server calls itself in its health: host and process. */
  private static final Pattern NAME = Pattern
      .compile("\"name\"\\s*:\\s*\"([^\"]*:([0-9]{1,10}))\"");

  final Path home;
  final Path folder;
  final int httpPort;
  private final Map<String, String> environment;
  private ProcessBuilder.Redirect output = ProcessBuilder.Redirect.INHERIT;
  private FolderLock lock;
  private Path console;
  private volatile Process process;
  private boolean closed;
  private volatile String lastAnswer = "was not asked";

  /**
   * @param home        the unpacked server, shared by all and written by none
   * @param environment additional environment variables of the server
   */
  ServerProcess(Path home, Path parent, int httpPort, Map<String, String> environment) {
    this.home = home;
    this.folder = parent.resolve("run-" + httpPort);
    this.httpPort = httpPort;
    this.environment = environment;
  }

  /**
   * Creates everything in {@link #folder} that the command needs except the application; tolerates
   * files of an earlier run.
   */
  abstract void configure(Path serverConfig) throws IOException;

  /** Puts the application where the server finds it. */
  abstract void deploy(Path war) throws IOException;

  /**
   * Replaces the application with another WAR while the server runs; the server undeploys one and
   * then deploys the other,
   * asynchronously.
   *
   * @return false for a server that does not support this: it has to be restarted
   */
  public boolean redeploy(Path war) throws IOException {
    return false;
  }

  /**
   * Deploys an application beside the product's while the server runs, asynchronously. What was
   * deployed of that name before is undeployed first.
   *
   * @param name        a file's name without its type
   * @param application a WAR, with this name as its context root, or an EAR
   * @return false for a server that does not support this
   */
  public boolean deployBeside(String name, Path application) throws IOException {
    return false;
  }

  /** The command that runs this server in the foreground. */
  abstract ProcessBuilder command() throws IOException;

  /**
   * Why the server could not start the application, as soon as the log shows it. Polled while
   * waiting for the application.
   */
  abstract Optional<String> deploymentFailure() throws IOException;

  /** The server's own log file. */
  public abstract Path log();

  /**
   * A server's own stop command, for Windows, where a process can be killed but not asked to stop.
   */
  void askToStop(Process running) throws IOException, InterruptedException {
    running.destroy();
  }

  /** Prints nothing on our console; {@link #log} has everything. */
  public ServerProcess quietly() {
    output = ProcessBuilder.Redirect.DISCARD;
    return this;
  }

  /**
   * Sends the server's output to a file; otherwise it goes where our own output goes. To be called
   * before the start.
   */
  public ServerProcess withConsole(Path file) {
    console = file;
    return this;
  }

  /** Empty until it is started. */
  public Optional<ProcessHandle> handle() {
    return Optional.ofNullable(process).map(Process::toHandle);
  }

  /** To be called before anything is started: checks the common reasons for a failed start. */
  public void claimPort() {
    lock = lockFolder();
    stopOrphan();
    expectFreePort();
  }

  /**
   * The same checks long before the start; claims nothing and stops nothing. A server that {@link
   * #claimPort} would stop is
   * no obstacle.
   */
  void checkPort() {
    try (var held = lockFolder()) {
      if (orphan().isEmpty())
        expectFreePort();
    }
  }

  private FolderLock lockFolder() {
    return FolderLock.of(folder)
        .orElseThrow(() -> new RunProblem("Another ./mvnw of this checkout runs on port " + httpPort
            + ": stop it, or start beside it with HTTP_PORT=<another> DB_HOST=127.0.0.1."));
  }

  private void expectFreePort() {
    if (!Ports.isFree(httpPort)) {
      throw new RunProblem("Port " + httpPort
          + " is taken: stop what uses it, or choose another with HTTP_PORT=<port>.");
    }
  }

  /** @param serverConfig the folder of {@code server-config} for this kind of server */
  public synchronized void start(Path serverConfig, Path war) {
    if (closed)
      throw new RunProblem("Told to stop before the server was started.");
    try {
      configureOnly(serverConfig);
      deploy(war);
      var builder = command().directory(folder.toFile()).redirectOutput(output)
          .redirectError(output)
          .redirectInput(ProcessBuilder.Redirect.PIPE);
      builder.environment().putAll(environment);
      // The jar with it lies beside the driver, wherever this starts a server.
      if (builder.environment().containsKey("DB_PASSWORD_FILE"))
        builder.environment().putIfAbsent("DB_AUTHENTICATION_PLUGIN",
            PasswordFile.class.getName());
      if (console != null)
        builder.redirectOutput(console.toFile()).redirectError(console.toFile());
      process = builder.start();
      process.getOutputStream().close();
      Files.writeString(pidFile(), process.pid() + " " + startOf(process.toHandle()));
    } catch (IOException e) {
      throw new RunProblem("The server cannot be started in " + folder + ": " + e.getMessage(), e);
    }
  }

  /** For tests that start the server themselves and deploy to it. */
  public void configureOnly(Path serverConfig) throws IOException {
    Files.createDirectories(folder);
    configure(serverConfig);
  }

  /**
   * Waits until the server and the application report ready, as long as the start makes progress
   * and no longer than the bound. An application that the
   * server cannot start is reported at once, with its cause: most servers keep running without it.
   *
   * @throws RunProblem says what was waited for, for how long, and what to do
   */
  public void awaitReady(Duration most, DatabaseAddress database) throws InterruptedException {
    var patience = new StartPatience(most, StartPatience.SILENCE, System.nanoTime());
    try (var progress = new StartProgress(database)) {
      while (process.isAlive()) {
        expectDeployable();
        if (isReady())
          return;
        var exhausted = patience.exhausted(progress.look(log()), System.nanoTime());
        if (exhausted.isPresent())
          throw new RunProblem(notReady(exhausted.get()));
        process.waitFor(200, TimeUnit.MILLISECONDS);
      }
    }
    throw new RunProblem("The server ended by itself (status " + process.exitValue()
        + ") before it was ready. Its log: " + log());
  }

  private String notReady(String end) {
    return "The server did not become ready " + end + "\n\nWaited for " + uri("/health/ready")
        + ", which " + lastAnswer + ".\nIts log: "
        + log()
        + "\n\nIf the log shows an error, correct that. Otherwise the machine may be too busy: run ./mvnw again, which goes on where the"
        + " migration was, with START_SECONDS=<seconds> for a higher bound.";
  }

  private void expectDeployable() {
    try {
      var failure = deploymentFailure();
      if (failure.isPresent())
        throw new RunProblem("The application cannot be started: " + failure.get()
            + "\n\nThe server's log: " + log());
    } catch (IOException e) {
      // then it shows by not becoming ready
    }
  }

  boolean within(Duration patience, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (System.nanoTime() < deadline && process.isAlive()) {
      if (condition.getAsBoolean())
        return true;
      process.waitFor(200, TimeUnit.MILLISECONDS);
    }
    return false;
  }

  /**
   * A server may be ready before anything is deployed: our own check is decisive. And one is ready
   * before it routes
   * requests to the application.
   */
  boolean isReady() {
    try {
      var ready = PROBE.send(request("/health/ready"), HttpResponse.BodyHandlers.ofString());
      lastAnswer = "answered " + ready.statusCode()
          + (ready.body().isBlank() ? "" : ": " + brief(ready.body()));
      var stranger = stranger(ready.body(), process.pid());
      if (stranger.isPresent())
        throw new RunProblem("Port " + httpPort
            + " is taken: another server of Tasker EE answers there, " + stranger.get()
            + ", and not the one that was started here. Stop it, or choose another port with HTTP_PORT=<port>.");
      return ready.statusCode() == 200 && ready.body().contains("\"database\"")
          && PROBE.send(request("/"), HttpResponse.BodyHandlers.discarding()).statusCode() != 404;
    } catch (IOException e) {
      lastAnswer = "did not answer ("
          + (e.getMessage() == null ? "it does not listen" : e.getMessage()) + ")";
      return false; // not listening yet
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static String brief(String body) {
    var line = body.strip().replaceAll("\\s+", " ");
    return line.length() > 400 ? line.substring(0, 400) + " ..." : line;
  }

  /**
   * The name of the server that answered, if it is not the process that we have started: one that
   * took the port since {@link
   * #claimPort} would be taken for ours.
   */
  static Optional<String> stranger(String health, long process) {
    return Optional.of(NAME.matcher(health)).filter(Matcher::find)
        .filter(name -> Long.parseLong(name.group(2)) != process)
        .map(name -> name.group(1));
  }

  /** Whether the server, once ready, accepts that user and password. */
  boolean accepts(Login login) throws InterruptedException {
    // The first response of a server that has just started may be slow.
    var whoAmI = HttpRequest.newBuilder(uri("/v1/me")).header("Authorization", login.basic())
        .timeout(Duration.ofSeconds(60)).build();
    try {
      return PROBE.send(whoAmI, HttpResponse.BodyHandlers.discarding()).statusCode() != 401;
    } catch (IOException e) {
      return true; // not known to be wrong
    }
  }

  /** Whether a file of the application is there with that content. */
  boolean answers(String path, String content) {
    try {
      var response = PROBE.send(request(path), HttpResponse.BodyHandlers.ofString());
      return response.statusCode() == 200 && response.body().strip().equals(content);
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  URI address() {
    return uri("/");
  }

  private HttpRequest request(String path) {
    return HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(5)).build();
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + httpPort + path);
  }

  /** Kills the server, as if its machine had lost power. It must still be closed afterwards. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  int waitFor() throws InterruptedException {
    return process.waitFor();
  }

  @Override
  public synchronized void close() {
    closed = true;
    var running = process;
    if (running != null && running.isAlive()) {
      try {
        askToStop(running);
        if (!running.waitFor(40, TimeUnit.SECONDS))
          running.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
      } catch (IOException e) {
        running.destroyForcibly();
      } catch (InterruptedException e) {
        running.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
    try {
      Files.deleteIfExists(pidFile());
    } catch (IOException e) {
      // a stale one is recognised at the next start
    }
    if (lock != null)
      lock.close();
    lock = null;
  }

  static String java() {
    return Path
        .of(System.getProperty("java.home"), "bin", PostgresBinaries.WINDOWS ? "java.exe" : "java")
        .toString();
  }

  /** One option per line, in the format of every server's {@code jvm.options}. */
  static List<String> options(Path file) throws IOException {
    if (!Files.exists(file))
      return List.of();
    return Files.readAllLines(file).stream().map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("#")).toList();
  }

  /** The driver that we use ourselves. */
  static Path driver() throws IOException {
    try {
      return Path.of(
          org.postgresql.Driver.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IOException("the PostgreSQL driver cannot be found", e);
    }
  }

  private Path pidFile() {
    return folder.resolve("server.pid");
  }

  /**
   * A server that outlived its run command, after a kill -9 for instance. The process id alone
   * proves nothing; id and start
   * time do.
   */
  private Optional<ProcessHandle> orphan() {
    try {
      if (!Files.exists(pidFile()))
        return Optional.empty();
      var words = Files.readString(pidFile()).strip().split(" ");
      return ProcessHandle.of(Long.parseLong(words[0]))
          .filter(handle -> words.length == 2 && words[1].equals(startOf(handle))
              && !words[1].equals("?"));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty(); // then the check of the port will tell
    }
  }

  private void stopOrphan() {
    try {
      var orphan = orphan();
      if (orphan.isPresent()) {
        System.out.println("Stopping a server that an earlier run left behind ...");
        orphan.get().destroy();
        try {
          orphan.get().onExit().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
          orphan.get().destroyForcibly();
        }
      }
      Files.deleteIfExists(pidFile());
    } catch (IOException e) {
      // a stale one is recognised at the next start
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String startOf(ProcessHandle handle) {
    return handle.info().startInstant().map(instant -> Long.toString(instant.toEpochMilli()))
        .orElse("?");
  }
}

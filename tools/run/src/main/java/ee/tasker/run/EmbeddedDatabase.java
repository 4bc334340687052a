package ee.tasker.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A PostgreSQL that this process starts and stops, listening on 127.0.0.1 only, with a database,
 * user and password {@code
 * tasker}.
 *
 * <p>The data folder is created under another name and renamed when complete, so an interrupted
 * first start is simply
 * repeated. A later start recovers from any previous end: PostgreSQL recovers its data itself, and
 * a server that outlived
 * its run command is stopped first.
 *
 * <p>zonky's own {@code EmbeddedPostgres} is not used because it always passes {@code -F}; only its
 * binaries are.
 */
public final class EmbeddedDatabase implements AutoCloseable {

  private static final String WITH_PASSWORD = "host all all 127.0.0.1/32 scram-sha-256\n";
  private static final String SUPERUSER_WITHOUT_PASSWORD = "host all postgres 127.0.0.1/32 trust\nhost replication postgres 127.0.0.1/32 trust\n";

  private final Path data;
  private final PostgresBinaries binaries;
  private final PostgresSettings settings;
  private final DatabaseAddress address;
  private final int majorVersion;
  private final String access;
  private PostgresAccount account;
  private FolderLock lock;
  private boolean started;

  private EmbeddedDatabase(Path data, PostgresBinaries binaries, PostgresSettings settings,
      DatabaseAddress address, int majorVersion, String access) {
    this.data = data;
    this.binaries = binaries;
    this.settings = settings;
    this.address = address;
    this.majorVersion = majorVersion;
    this.access = access;
  }

  /** Durable, with its data in {@code postgres-<major>} of the given folder. */
  public static EmbeddedDatabase durable(Path folder, String version, int port) {
    var binaries = PostgresBinaries.unpackedIn(folder, version);
    return new EmbeddedDatabase(folder.resolve("postgres-" + major(version)), binaries,
        PostgresSettings.durable(port), DatabaseAddress.embedded(port), major(version),
        WITH_PASSWORD);
  }

  /** Starts empty and does not wait for disks. */
  public static EmbeddedDatabase forTests(Path folder, Path binariesFolder, String version,
      int port) {
    var binaries = PostgresBinaries.unpackedIn(binariesFolder, version);
    var data = folder.resolve("postgres-" + port);
    Folders.delete(data);
    return new EmbeddedDatabase(data, binaries, PostgresSettings.forTests(port),
        DatabaseAddress.embedded(port), major(version), WITH_PASSWORD);
  }

  /**
   * The same with the content of another one that has been closed, of the same version: sooner than
   * making it again.
   */
  public static EmbeddedDatabase forTests(EmbeddedDatabase origin, Path folder, Path binariesFolder,
      String version, int port) {
    var copy = forTests(folder, binariesFolder, version, port);
    try {
      Folders.copyWithAttributes(origin.data(), copy.data());
    } catch (IOException e) {
      throw new RunProblem(
          "Cannot copy " + origin.data() + " to " + copy.data() + ": " + e.getMessage(), e);
    }
    return copy;
  }

  /**
   * Starts empty, is as durable as the run command's database, and lets the superuser {@code
   * postgres} in without a
   * password: the peers of a benchmark create their own databases, and only the superuser can read
   * the counters.
   */
  public static EmbeddedDatabase forBenchmarks(Path folder, Path binariesFolder, String version,
      int port, Map<String, String> more) {
    var binaries = PostgresBinaries.unpackedIn(binariesFolder, version);
    var data = folder.resolve("postgres-" + port);
    Folders.delete(data);
    var settings = PostgresSettings.durable(port).with(more);
    return new EmbeddedDatabase(data, binaries, settings, DatabaseAddress.embedded(port),
        major(version), SUPERUSER_WITHOUT_PASSWORD + WITH_PASSWORD);
  }

  /**
   * Unpacks the programs of another release than the class path's, from its jar, so that databases
   * of that version can be made with that folder of binaries.
   */
  public static void unpackPrograms(Path binariesFolder, String version, Path jar) {
    PostgresBinaries.unpackedIn(binariesFolder, version, jar);
  }

  /**
   * A standby of a running {@link #forBenchmarks} database, to be started by the caller: from a
   * base copy taken now over
   * SQL, since the bundled programs lack {@code pg_basebackup}. The write-ahead log comes from the
   * primary. An earlier
   * database on that port is deleted.
   */
  public static EmbeddedDatabase standbyOf(EmbeddedDatabase primary, Path folder,
      Path binariesFolder, String version, int port) {
    var binaries = PostgresBinaries.unpackedIn(binariesFolder, version);
    var data = folder.resolve("postgres-" + port);
    Folders.delete(data);
    BaseCopy.of(primary, data);
    var settings = PostgresSettings.durable(port).with(Map.of(
        "primary_conninfo", "host=127.0.0.1 port=" + primary.address().port()
            + " user=postgres application_name=standby"));
    return new EmbeddedDatabase(data, binaries, settings, DatabaseAddress.embedded(port),
        major(version), SUPERUSER_WITHOUT_PASSWORD + WITH_PASSWORD);
  }

  /** As the superuser, if that needs no password. */
  String superuserUrl() {
    return "jdbc:postgresql://127.0.0.1:" + address.port() + "/postgres?user=postgres";
  }

  /**
   * What would keep {@link #durable} from starting, checked early; unpacks nothing, claims nothing
   * and stops nothing.
   */
  static void checkPort(Path folder, String version, int port) {
    var data = folder.resolve("postgres-" + major(version));
    try (var held = lock(data)) {
      if (!isPostgres(data.resolve("postmaster.pid")))
        expectFree(port);
    }
  }

  private static FolderLock lock(Path data) {
    return FolderLock.of(data).orElseThrow(() -> new RunProblem("Another run uses the data folder "
        + data
        + ": stop it, or use its database with DB_HOST=127.0.0.1 HTTP_PORT=<another> (and its DB_PORT if that is not 54320)."));
  }

  private static void expectFree(int port) {
    if (!Ports.isFree(port)) {
      throw new RunProblem(
          "Port " + port
              + " is taken, so the database cannot start: stop what uses it, or choose another with DB_PORT=<port>.");
    }
  }

  public DatabaseAddress address() {
    return address;
  }

  public Path data() {
    return data;
  }

  public synchronized void start() {
    start(Map.of());
  }

  /** @param environment of its processes, besides that of this one; not on Windows */
  public synchronized void start(Map<String, String> environment) {
    lock = lock(data);
    account = PostgresAccount.owning(data, binaries);
    if (Files.exists(data.resolve("PG_VERSION")))
      stopOrphan();
    else
      create();
    expectFree(address.port());
    write(data.resolve("tasker.conf"), settings.text());
    started = true;
    var words = new ArrayList<>(account.prefix());
    if (!environment.isEmpty()) {
      words.add("env");
      environment.forEach((name, value) -> words.add(name + "=" + value));
    }
    words.addAll(List.of(binaries.program("pg_ctl"), "start", "-D", data.toString(), "-l",
        log().toString(), "-w", "-t", "120"));
    var start = Command.run(binaries.folder(), words);
    if (!start.succeeded())
      throw new RunProblem("PostgreSQL did not start; the reason is at the end of " + log() + ". "
          + lastLine(log()));
  }

  /**
   * Stops it if it was started: connections are cut, everything committed is written. Idempotent.
   */
  @Override
  public synchronized void close() {
    if (started) {
      started = false;
      program("pg_ctl", "stop", "-D", data.toString(), "-m", "fast", "-w", "-t", "60");
    }
    if (lock != null)
      lock.close();
    lock = null;
  }

  /**
   * Ends it as a power cut would, as far as a process can: nothing more is written, and the next
   * start has to recover.
   * Harmless when it is down.
   */
  public synchronized void crash() {
    if (started) {
      started = false;
      program("pg_ctl", "stop", "-D", data.toString(), "-m", "immediate", "-w", "-t", "60");
    }
    if (lock != null)
      lock.close();
    lock = null;
  }

  /**
   * Kills all its processes at once, as a power cut would. The next start has to recover; harmless
   * when it is down, also when it has ended by itself.
   */
  public synchronized void kill() {
    var pidFile = data.resolve("postmaster.pid");
    if (started && isPostgres(pidFile)) {
      try {
        long pid = Long.parseLong(Files.readAllLines(pidFile).get(0).strip());
        var postmaster = ProcessHandle.of(pid);
        var all = new ArrayList<>(postmaster.stream().flatMap(ProcessHandle::descendants).toList());
        postmaster.ifPresent(all::add);
        all.forEach(ProcessHandle::destroyForcibly);
        for (var each : all)
          each.onExit().get(30, TimeUnit.SECONDS);
      } catch (NoSuchFileException endedMeanwhile) {
        // There is nothing to kill.
      } catch (IOException | ExecutionException | TimeoutException e) {
        throw new RunProblem("PostgreSQL could not be killed: " + e, e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    started = false;
    if (lock != null)
      lock.close();
    lock = null;
  }

  /** We hold the lock, so no other run owns a server that still runs on this folder. */
  private void stopOrphan() {
    var pidFile = data.resolve("postmaster.pid");
    if (!Files.exists(pidFile))
      return;
    if (isPostgres(pidFile)) {
      System.out.println("Stopping a PostgreSQL that an earlier run left behind ...");
      var stop = program("pg_ctl", "stop", "-D", data.toString(), "-m", "fast", "-w", "-t", "60");
      if (!stop.succeeded())
        throw new RunProblem(
            "A PostgreSQL left behind by an earlier run still uses " + data
                + " and does not stop: end it by hand. " + stop.output());
    } else {
      // Stale. PostgreSQL would detect that, unless the process id now belongs to another process.
      try {
        Files.deleteIfExists(pidFile);
      } catch (IOException e) {
        throw new RunProblem("Cannot delete the stale " + pidFile + ": " + e.getMessage(), e);
      }
    }
  }

  private static boolean isPostgres(Path pidFile) {
    try {
      var lines = Files.readAllLines(pidFile);
      long pid = Math.abs(Long.parseLong(lines.get(0).strip()));
      var process = ProcessHandle.of(pid);
      if (process.isEmpty())
        return false;
      // Where the command line is not visible, assume PostgreSQL rather than start a second one on
      // the same data.
      return process.get().info().command().map(command -> command.contains("postgres"))
          .orElse(true);
    } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
      return false;
    }
  }

  private void create() {
    try {
      Files.createDirectories(data.getParent());
      if (Files.isDirectory(data)) {
        try (var files = Files.list(data)) {
          if (files.findAny().isPresent())
            throw new RunProblem("The folder " + data
                + " is neither empty nor a PostgreSQL data folder: move it away.");
        }
        Files.delete(data);
      }
      var unfinished = data.resolveSibling(data.getFileName() + ".new");
      Folders.delete(unfinished);
      account = PostgresAccount.owning(unfinished, binaries);
      initialize(unfinished);
      Files.move(unfinished, data);
    } catch (IOException e) {
      throw new RunProblem("Cannot create the data folder " + data + ": " + e.getMessage(), e);
    }
  }

  private void initialize(Path folder) {
    // Initialised with trust and then locked by our own pg_hba.conf: the superuser has no password
    // and so cannot log in
    // over the network.
    var words = new ArrayList<>(
        List.of("-D", folder.toString(), "-U", "postgres", "-A", "trust", "-E", "UTF8",
            "--locale=C", "--no-instructions"));
    if (majorVersion >= 17) {
      words.addAll(List.of("--locale-provider=builtin", "--builtin-locale=C.UTF-8"));
    }
    expect(program("initdb", words.toArray(String[]::new)),
        "PostgreSQL's data folder cannot be initialised");
    write(folder.resolve("pg_hba.conf"), "# Only from this machine.\n" + access);
    append(folder.resolve("postgresql.conf"), "\ninclude_if_exists = 'tasker.conf'\n");
    single(folder, "postgres", "create role tasker login password 'tasker'",
        "grant pg_monitor to tasker",
        "create database tasker owner tasker");
    single(folder, "tasker", "create extension pg_stat_statements",
        "grant execute on all functions in schema public to tasker");
  }

  /** One statement per line, without a running server. */
  private void single(Path folder, String database, String... statements) {
    var words = new ArrayList<>(account.prefix());
    words.addAll(List.of(binaries.program("postgres"), "--single", "-D", folder.toString(), "-c",
        "exit_on_error=on", database));
    var setup = Command.run(binaries.folder(), String.join("\n", statements) + "\n", words);
    if (setup.output().contains("ERROR:"))
      throw new RunProblem("PostgreSQL refused to make the database tasker. " + setup.output());
    expect(setup, "PostgreSQL refused to make the database tasker");
  }

  private Command program(String name, String... arguments) {
    var words = new ArrayList<>(account.prefix());
    words.add(binaries.program(name));
    words.addAll(List.of(arguments));
    return Command.run(binaries.folder(), words);
  }

  private static void expect(Command command, String otherwise) {
    if (!command.succeeded())
      throw new RunProblem(otherwise + ". " + command.output());
  }

  public Path log() {
    return data.resolve("server.log");
  }

  private static int major(String version) {
    return Integer.parseInt(version.substring(0, version.indexOf('.')));
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new RunProblem("Cannot write " + file + ": " + e.getMessage(), e);
    }
  }

  private static void append(Path file, String text) {
    try {
      Files.writeString(file, text, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new RunProblem("Cannot write " + file + ": " + e.getMessage(), e);
    }
  }

  private static String lastLine(Path log) {
    try {
      var lines = Files.readAllLines(log);
      return lines.isEmpty() ? "" : "It says: " + lines.get(lines.size() - 1);
    } catch (IOException e) {
      return "";
    }
  }
}

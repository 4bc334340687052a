package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.Program;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The database of two servers moves from the oldest PostgreSQL that is supported to the newest, with
 * tasks of every kind under way, while clients go on asking: by dump and restore, and by pg_upgrade.
 *
 * <p>{@code ./mvnw verify -Pfaults -Dit.test=MajorUpgrade}; needs pg_dump and pg_restore. pg_upgrade
 * and what it calls are not among the programs of the embedded PostgreSQL: it is that of the machine
 * in {@code /usr/lib/postgresql/18/bin}; where there is only the oldest, to a new cluster of that.
 */
class MajorUpgrade {
  private static final long SEED = Long.getLong("faults.seed", LocalDate.now().toEpochDay());
  private static final int TASKS = Integer.getInteger("faults.tasks", 260);
  /** What a dump has to carry over. */
  private static final String ROWS = """
      select concat_ws(' ', (select count(*) from tasker.tasks),
                       (select count(*) from tasker.task_transitions),
                       (select count(*) from tasker.workflow_step_transitions),
                       (select count(*) from tasker.workflow_step_result_audit),
                       (select count(*) from tasker.step_waits),
                       (select count(*) from tasker.task_wakeups),
                       (select md5(string_agg(tasker.format_idempotency_token(
                                                s.workflow_step_uuid, s.idempotency_resets),
                                              ',' order by s.workflow_step_uuid))
                        from tasker.workflow_steps s))""";
  private static final Path OF_MACHINE = Path.of("/usr/lib/postgresql");
  private static final String KINDS_UNDER_WAY = """
      select count(distinct t.named_task_uuid) from tasker.tasks t where t.completed_at is null""";

  /** How an administrator moves a database that is closed meanwhile. */
  private interface Move {
    EmbeddedDatabase to(EmbeddedDatabase older) throws Exception;
  }

  @TempDir
  private Path folder;

  private Cluster cluster;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void tasks_of_every_kind_go_on_after_a_dump_is_restored_into_a_newer_postgresql()
      throws Exception {
    Program.PG_DUMP.require();
    Program.PG_RESTORE.require();
    move("a dump", 18, this::restoredIntoNewer);
  }

  @Test
  void tasks_of_every_kind_go_on_after_pg_upgrade() throws Exception {
    boolean isThere = Files.isExecutable(programs(15).resolve("pg_upgrade"));
    if (Boolean.getBoolean("pg_upgrade.required")) {
      assertThat(isThere).as("no " + programs(15)).isTrue();
    }
    assumeTrue(isThere, "no pg_upgrade on this machine: apt-get install postgresql-15");
    move("pg_upgrade", newestOfMachine(), this::upgraded);
  }

  private void move(String way, int newest, Move move) throws Exception {
    EmbeddedDatabase older = olderDatabase();
    cluster = new Cluster(2, older);
    cluster.start();
    assertThat(majorVersion()).isEqualTo(15);

    Instant begin = Instant.now().minusMillis(1);
    Load load = new Load(cluster, "major upgrade", new Random(SEED));
    CompletableFuture<Void> submitting = load.begin(TASKS);
    try {
      TaskerClient.until("tasks of many kinds are under way", Duration.ofMinutes(2),
          () -> cluster.tasker().count("select count(*) from tasker.tasks") >= TASKS / 3
              && cluster.tasker().count(KINDS_UNDER_WAY) >= 6);
      // Not drained, as an administrator would: so that much is under way.
      cluster.nodes().forEach(Node::kill);
      cluster.nodes().forEach(Node::stop);
      System.out.println(cluster.tasker().count(KINDS_UNDER_WAY) + " kinds of "
          + cluster.tasker().count("select count(*) from tasker.tasks where completed_at is null")
          + " tasks are under way");
      Object rows = cluster.tasker().value(ROWS);

      EmbeddedDatabase newer = move.to(older);

      assertThat(majorVersion()).isEqualTo(newest);
      assertThat(cluster.tasker().value(ROWS)).isEqualTo(rows);
      cluster.moveTo(newer);
    } finally {
      load.struck();
    }
    submitting.get(6, TimeUnit.MINUTES);
    Verdict verdict = Verdict.of(cluster.tasker(), load, begin, begin, Duration.ofMinutes(3),
        false);
    System.out.println("from PostgreSQL 15 to " + newest + " by " + way + ": " + verdict);
    assertThat(verdict.violations()).as("-Dfaults.seed=" + SEED).isEmpty();
    System.out.println(cluster.expectSound());
  }

  private static EmbeddedDatabase olderDatabase() {
    String version = System.getProperty("tasker.older.postgres.version");
    EmbeddedDatabase.unpackPrograms(TestServer.binaries(), version,
        Path.of(System.getProperty("tasker.older.postgres")));
    return TestServer.newDurableDatabase(version, TestServer.freePort());
  }

  private long majorVersion() {
    return cluster.tasker()
        .count("select current_setting('server_version_num')::bigint / 10000");
  }

  /** As the documents say, and at the same address. */
  private EmbeddedDatabase restoredIntoNewer(EmbeddedDatabase older) {
    int port = older.address().port();
    // Of the tests' databases alone, with a grant on a function that has other arguments later.
    DatabasePair.run(older, "drop extension pg_stat_statements");
    run(Program.PG_DUMP, port, "-Fc", "-d", "tasker", "-f", "tasker.dump");
    older.close();
    EmbeddedDatabase newer = TestServer
        .newDurableDatabase(System.getProperty("tasker.postgres.version"), port);
    // What each database of the tests has from its start is in the dump too.
    run(Program.PSQL, port, "-X", "-d", "tasker", "-c", "drop schema testing cascade");
    run(Program.PG_RESTORE, port, "--exit-on-error", "-d", "tasker", "tasker.dump");
    run(Program.PSQL, port, "-X", "-d", "tasker", "-c", "analyze");
    return newer;
  }

  private static Path programs(int version) {
    return OF_MACHINE.resolve(version + "/bin");
  }

  /** Of those that the embedded PostgreSQL can start, too. */
  private static int newestOfMachine() {
    return Files.isExecutable(programs(18).resolve("pg_upgrade")) ? 18 : 15;
  }

  /** As the documents say; the copy is at the same address. */
  private EmbeddedDatabase upgraded(EmbeddedDatabase older) throws IOException {
    int port = older.address().port();
    int newest = newestOfMachine();
    DatabasePair.run(older, "drop extension pg_stat_statements");
    older.close();
    EmbeddedDatabase newer = EmbeddedDatabase.forBenchmarks(
        Files.createDirectories(Path.of(System.getProperty("tasker.it.folder"), "upgraded")),
        TestServer.binaries(),
        System.getProperty(newest == 18 ? "tasker.postgres.version"
            : "tasker.older.postgres.version"),
        port, Map.of());
    // It connects by a socket, as the superuser.
    Path access = older.data().resolve("pg_hba.conf");
    String rules = Files.readString(access);
    Files.writeString(access, rules + "local all postgres trust\n");
    List<String> initdb = new ArrayList<>(List.of(programs(newest).resolve("initdb").toString(),
        "-D", newer.data().toString(), "-U", "postgres", "-A", "trust", "-E", "UTF8",
        "--locale=C"));
    if (newest >= 18) {
      initdb.add("--no-data-checksums");
    }
    asPostgres(initdb);
    asPostgres(List.of(programs(newest).resolve("pg_upgrade").toString(), "-U", "postgres", "-b",
        programs(15).toString(), "-B", programs(newest).toString(), "-d", older.data().toString(),
        "-D", newer.data().toString(), "-p", Integer.toString(TestServer.freePort()), "-P",
        Integer.toString(TestServer.freePort())));
    Files.writeString(newer.data().resolve("pg_hba.conf"), rules);
    Files.writeString(newer.data().resolve("postgresql.conf"),
        "\ninclude_if_exists = 'tasker.conf'\n", StandardOpenOption.APPEND);
    newer.start();
    run(Program.PSQL, port, "-X", "-d", "tasker", "-c", "analyze");
    return newer;
  }

  /** Not as root, which PostgreSQL refuses, but as the owner of the files. */
  private void asPostgres(List<String> command) {
    List<String> prefix = "root".equals(System.getProperty("user.name")) ? List.of("unshare", "-U")
        : List.of();
    Program.Ended ended = Program.run(folder, Map.of(), prefix, command);
    assertThat(ended.status()).as(command + ended.output()).isZero();
  }

  private void run(Program program, int port, String... arguments) {
    List<String> all = new ArrayList<>(List.of("-h", "127.0.0.1", "-p", Integer.toString(port),
        "-U", "tasker"));
    all.addAll(List.of(arguments));
    Program.Ended ended = program.run(folder, Map.of("PGPASSWORD", "tasker"), all);
    assertThat(ended.status()).as(ended.output()).isZero();
  }
}
